"""Input of REST doors: parameters and bodies by pydantic models that take nothing they do not name. Pure."""

from collections.abc import Iterable
from typing import Annotated, Any, TypeVar, get_origin

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from core.errors import Invalid
from core.text import is_printable

M = TypeVar("M", bound=BaseModel)
MOST_DIGITS = 19


class Malformed(Invalid):
    """Input that does not fit; `fields` says what is wrong with which."""

    def __init__(self, detail: str, *, fields: dict[str, list[str]], code: str | None = None) -> None:
        super().__init__(detail, code=code)
        self.fields = fields


class Strict(BaseModel):
    """A body or parameters: unknown names are refused, and nothing of one type passes for another."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Query(BaseModel):
    """Parameters of an address, which come as text."""

    model_config = ConfigDict(extra="forbid")


def _digits(value: Any) -> Any:
    if isinstance(value, str) and not (value.isascii() and value.isdigit() and len(value) <= MOST_DIGITS):
        raise ValueError("takes a whole number")
    return value


def _shown(value: Any) -> Any:
    if isinstance(value, str) and not is_printable(value):
        raise ValueError("takes printable characters")
    return value


Whole = Annotated[int, BeforeValidator(_digits)]
"""A whole number written in plain digits."""
Words = Annotated[str, BeforeValidator(_shown), Field(min_length=1, max_length=254)]
"""A piece of printable text to look for."""


def from_query(model: type[M], pairs: Iterable[tuple[str, str]]) -> M:
    """The parameters of an address; a list takes its name again and again, everything else once. Raises Malformed."""
    given: dict[str, Any] = {}
    for name, value in pairs:
        known = model.model_fields.get(name)
        if known is not None and get_origin(known.annotation) is list:
            given.setdefault(name, []).append(value)
        elif name in given:
            raise Malformed("A parameter is given twice; give it once.", fields={name: ["is given twice"]} if known else {})
        else:
            given[name] = value
    return check(model, given, "parameter")


def from_body(model: type[M], value: Any) -> M:
    """The body of a request. Raises Malformed."""
    if not isinstance(value, dict):
        raise Malformed(f"Send one JSON object; it takes {', '.join(model.model_fields)}.", fields={})
    return check(model, value, "field")


def check(model: type[M], given: dict[str, Any], noun: str) -> M:
    """The model; raises Malformed with a sentence for the first thing wrong and a list of all."""
    try:
        return model.model_validate(given)
    except ValidationError as error:
        wrong = error.errors(include_input=False, include_url=False)
    names = list(model.model_fields)
    fields: dict[str, list[str]] = {}
    for each in wrong:
        if each["loc"] and each["loc"][0] in names:
            fields.setdefault(str(each["loc"][0]), []).append(_words(each))
    takes = f"it takes {', '.join(names)}" if names else "it takes none"
    if any(each["type"] == "extra_forbidden" for each in wrong):
        raise Malformed(f"There is a {noun} that this address does not take; {takes}.", fields=fields) from None
    name, reasons = next(iter(fields.items()))
    raise Malformed(f"{name} {reasons[0]}.", fields=fields) from None


def _words(error: Any) -> str:
    kind, bounds = error["type"], error.get("ctx", {})
    if kind == "value_error":
        return str(error["msg"].removeprefix("Value error, "))
    if kind == "missing":
        return "is needed"
    if kind in _BOUNDS:
        words, bound = _BOUNDS[kind]
        return f"{words} {bounds[bound]}"
    return next((words for begin, words in _KINDS.items() if kind.startswith(begin)), "is not right")


_BOUNDS = {
    "greater_than_equal": ("takes a number from", "ge"),
    "less_than_equal": ("takes a number up to", "le"),
    "string_too_short": ("takes text, of characters at least", "min_length"),
    "string_too_long": ("takes text, of characters at most", "max_length"),
    "literal_error": ("takes one of", "expected"),
    "enum": ("takes one of", "expected"),
}
_KINDS = {
    "int": "takes a whole number",
    "float": "takes a number",
    "finite": "takes a number",
    "string_pattern": "is not of the form that the description shows",
    "string": "takes text",
    "list": "takes a list",
    "bool": "takes true or false",
    "datetime": "takes a time with its zone, such as 2026-11-29T12:00:00Z",
    "timezone": "takes a time with its zone, such as 2026-11-29T12:00:00Z",
}
