"""What pages say of rules that were saved though their owner should think of something."""

from collections.abc import Iterable

from django.contrib import messages
from django.http import HttpRequest


def warn(request: HttpRequest, warnings: Iterable[str]) -> None:
    """Say each, on the next page."""
    for each in warnings:
        messages.warning(request, each)
