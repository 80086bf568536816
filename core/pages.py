"""Pages of our own in the admin site's frame: no inline script, no Alpine, the hub's strict content policy."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.template.response import TemplateResponse


class Page(TemplateResponse):
    """An answer that keeps the strict policy; the site gives unfold's looser one to every other."""


def page(request: HttpRequest, template: str, title: str, *, status: int = 200, **context: Any) -> Page:
    """`template` (extends `pages/base.html`) under `title`, with the site's navigation around it."""
    frame = admin.site.each_context(request)
    return Page(request, template, {**frame, "title": title, **context}, status=status)


def fragment(request: HttpRequest, template: str, *, status: int = 200, **context: Any) -> Page:
    """A part of a page, for htmx to put in place."""
    return Page(request, template, context, status=status)
