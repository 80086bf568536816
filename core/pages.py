"""Pages of our own in the admin site's frame: no inline script, no Alpine, the hub's strict content policy."""

from collections.abc import Callable
from typing import Any, Protocol, TypeVar, cast

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from core.actor import Actor

LONGEST_NUMBER = 18


class Page(TemplateResponse):
    """An answer that keeps the strict policy; the site gives unfold's looser one to every other."""


View = TypeVar("View", bound=Callable[..., HttpResponse])


def in_own_transaction(view: View) -> View:
    """Mark a page whose writing the site does not put into one transaction: its actions hold their own, for what comes before
    they write takes long, such as asking the network or matching many messages, while on SQLite nobody else could write."""
    view.in_own_transaction = True  # type: ignore[attr-defined]
    return view


class Site(Protocol):
    """What these pages ask of the admin site."""

    def person(self, request: HttpRequest) -> Actor:
        """Who looks at his own pages."""


def person(request: HttpRequest) -> Actor:
    """Who looks at the page, in his own account: for the floors beneath sessions. Raises Unauthenticated."""
    return cast(Site, admin.site).person(request)


def page(request: HttpRequest, template: str, title: str, *, status: int = 200, **context: Any) -> Page:
    """`template` (extends `pages/base.html`) under `title`, with the site's navigation around it."""
    frame = admin.site.each_context(request)
    return Page(request, template, {**frame, "title": title, **context}, status=status)


def fragment(request: HttpRequest, template: str, *, status: int = 200, **context: Any) -> Page:
    """A part of a page, for htmx to put in place."""
    return Page(request, template, context, status=status)


def number_in(given: str) -> int | None:
    """The number that an address or a form names; None for what is none, which counts as not given."""
    return int(given) if given.isascii() and given.isdigit() and len(given) <= LONGEST_NUMBER else None
