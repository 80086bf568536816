"""Pages of long lists: nothing is counted past a cap, so that a list of millions opens like one of hundreds."""

from functools import cached_property

from django.core.paginator import Paginator
from django.db.models import QuerySet


class CappedPaginator(Paginator):  # type: ignore[type-arg]
    """Counts at most `cap` rows; what lies beyond is found by searching or filtering."""

    cap = 10_000
    template_name = "admin/pagination_capped.html"

    @cached_property
    def count(self) -> int:
        """How many rows there are, and `cap` where there are more."""
        rows = self.object_list
        if isinstance(rows, QuerySet):
            return rows.order_by().values("pk")[: self.cap].count()
        return min(len(rows), self.cap)
