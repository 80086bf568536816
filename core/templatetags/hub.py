"""How text from elsewhere is shown in a line of a page."""

from collections.abc import Mapping
from typing import Any

from django import template

from core import text

register = template.Library()


@register.filter
def one_line(value: object, limit: int) -> str:
    """`core.text.one_line` of it; escaping is the template's."""
    return text.one_line(str(value), limit)


@register.filter
def of(values: Mapping[Any, object], key: object) -> object:
    """What `values` holds under `key`; empty where it holds nothing."""
    return values.get(key, "")
