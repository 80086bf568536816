"""Long lists at the REST doors, page by page after a cursor."""

import re
from collections.abc import Callable, Iterable
from typing import Annotated, Any, Generic, TypeVar

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db.models import IntegerField, QuerySet
from django.utils.timezone import is_aware
from pydantic import BaseModel, Field
from rest_framework import exceptions, pagination
from rest_framework.request import Request

from core.api.input import Malformed, Query, Whole

PAGE_DEFAULT = 50
PAGE_MOST = 100
MOST_POSITION = 2**63 - 1
FIRST_YEAR, LAST_YEAR = 1970, 9000
"""Beyond lie times that cannot be told in every zone."""
R = TypeVar("R")
_ENCODED = re.compile(r"[A-Za-z0-9+/]+={0,2}")


class PageQuery(Query):
    """Where in a list, and how much of it."""

    cursor: Annotated[str | None, Field(description="Only as `next` or `previous` of an answer give it")] = None
    page_size: Annotated[Whole, Field(ge=1, le=PAGE_MOST, description="How many at most")] = PAGE_DEFAULT


class Listing(BaseModel, Generic[R]):
    """One page of a list."""

    next: str | None = Field(description="Address of the next page; null: there is none")
    previous: str | None = Field(description="Address of the page before; null: there is none")
    results: list[R]


class _Cursor(pagination.CursorPagination):
    """The library's, with what a caller may change checked before it becomes part of a question to the database."""

    def __init__(self, rows: "QuerySet[Any]", ordering: tuple[str, ...], size: int) -> None:
        self.rows = rows
        self.order = ordering
        self.size = size

    def get_page_size(self, request: Request) -> int:
        """As the checked parameter says."""
        return self.size

    def get_ordering(self, request: Any, queryset: Any, view: Any) -> tuple[str, ...]:
        """As the list was asked for."""
        return self.order

    def decode_cursor(self, request: Any) -> Any:
        """The cursor of the address; raises Malformed for one that is none of ours."""
        try:
            if _ENCODED.fullmatch(request.query_params.get("cursor", "0")) is None:
                raise ValueError("the library leaves out what is no base64")
            cursor = super().decode_cursor(request)
            if cursor is not None and cursor.position is not None:
                self._check(str(cursor.position))
        except (exceptions.NotFound, ValidationError, ValueError, OverflowError):
            told = "is none of this list's; leave it out to begin anew"
            raise Malformed(f"cursor {told}.", fields={"cursor": [told]}) from None
        return cursor

    def _check(self, position: str) -> None:
        field = self.rows.model._meta.get_field(self.order[0].lstrip("-"))
        value = field.to_python(position)
        if isinstance(field, IntegerField):
            if not (position.isascii() and position.isdigit() and value <= MOST_POSITION):
                raise ValueError(position)
        elif not (is_aware(value) and FIRST_YEAR <= value.year <= LAST_YEAR):
            raise ValueError(position)


def listed(
    request: Request,
    rows: "QuerySet[Any]",
    query: PageQuery,
    *,
    order: tuple[str, ...],
    shape: Callable[[Iterable[Any]], list[R]],
) -> Listing[R]:
    """The page of `rows` that the request asks for. `shape` makes what is answered of the rows."""
    pages = _Cursor(rows, order, query.page_size)
    found = pages.paginate_queryset(rows, request)
    pages.base_url = f"{settings.TERTULIA_URL}{request.get_full_path()}"
    return Listing(next=pages.get_next_link(), previous=pages.get_previous_link(), results=shape(found or []))
