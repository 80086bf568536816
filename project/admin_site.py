"""The one admin site: owners work in it too and see their account, staff see all."""

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.functional import SimpleLazyObject

from core.actor import Actor, Door
from core.admin import OwnedAdmin
from core.errors import DomainError
from core.pages import Page
from project.look import THEMES

if TYPE_CHECKING:
    from django.contrib.admin import AdminSite as UnfoldAdminSite
else:
    from unfold.sites import UnfoldAdminSite

View = Callable[..., HttpResponse]
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})
FRAME_PARTS = ("triggers/toasts.html",)
"""Templates that stand at the foot of every page of ours."""


class HubAdminSite(UnfoldAdminSite):
    """unfold's look with our rights: any active user may enter, and `OwnedAdmin` says what he sees."""

    def actor(self, request: HttpRequest) -> Actor:
        """Who asks, at the admin's door."""
        from accounts.sessions import actor_from_request

        return actor_from_request(request, Door.ADMIN)

    def person(self, request: HttpRequest) -> Actor:
        """Who asks, at the door of his own pages: staff too in their own account alone."""
        from accounts.sessions import actor_from_request

        return actor_from_request(request, Door.PAGE)

    def has_permission(self, request: HttpRequest) -> bool:
        """Whether somebody active is signed in."""
        return request.user.is_authenticated and request.user.is_active

    def register(self, model_or_iterable: Any, admin_class: Any = None, **options: Any) -> None:
        """Take our own admin classes only: a library's would neither ask our rights nor hide its secrets."""
        if admin_class is not None and issubclass(admin_class, OwnedAdmin):
            super().register(model_or_iterable, admin_class, **options)

    def admin_view(self, view: View, cacheable: bool = False) -> View:  # type: ignore[override]
        """Every page of the site: signed in or sent to sign in, writes in one transaction, unfold's content policy."""
        guarded = super().admin_view(in_transaction(view), cacheable)

        @wraps(guarded)
        def inner(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            if "\x00" in unquote(request.get_full_path()):
                raise Http404  # no stored text holds it, and PostgreSQL takes it for an error of ours
            if not self.has_permission(request):
                return redirect_to_login(request.get_full_path(), reverse("sign-in"))
            try:
                response: HttpResponse = guarded(request, *args, **kwargs)
            except DomainError as error:
                messages.error(request, error.detail)
                here = request.method not in SAFE_METHODS
                response = HttpResponseRedirect(request.path if here else reverse("admin:index"))
            if not isinstance(response, Page):
                response._csp_replace = settings.UNFOLD_CSP  # type: ignore[attr-defined]
            return response

        return inner

    def each_context(self, request: HttpRequest) -> dict[str, Any]:
        """unfold's frame, and what our own parts of it need."""
        return {**super().each_context(request), "theme_choices": THEMES, "frame_parts": FRAME_PARTS}

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> Any:
        """The lists he may open, found out only by the page that names them: it is half of what a page's frame costs."""
        return SimpleLazyObject(lambda: UnfoldAdminSite.get_app_list(self, request, app_label))

    def login(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """The hub has one sign-in page, and it is not here."""
        return redirect_to_login(request.GET.get("next") or reverse("admin:index"), reverse("sign-in"))

    def extra_urls(self) -> list[URLPattern]:
        """The owner's pages, which are no lists of a model."""
        from accounts import pages_connections as connections
        from accounts.pages_profile import profile_page
        from audit import pages as audit
        from chat import pages as settings
        from chat import pages_chat as chat
        from chat import pages_launches as launches
        from chat import pages_topics as topics
        from chat.pages_connection import connection_messages
        from project import home
        from sessions_app.pages import page_urls
        from triggers.pages import page_urls as push_urls

        return [
            *(path(route, self.admin_view(view), name=name) for route, view, name in [*page_urls(), *push_urls()]),
            path("now/", self.admin_view(home.now_part), name="home-now"),
            path("connect/", self.admin_view(home.connect_page), name="connect"),
            path("connect/steps/", self.admin_view(home.steps_part), name="connect-steps"),
            path("chat/", self.admin_view(chat.chat_page), name="chat"),
            path("chat/m/<int:seq>/", self.admin_view(chat.message_page), name="chat-message"),
            path("chat/t/<int:seq>/", self.admin_view(chat.thread_page), name="chat-thread"),
            path("chat/badge/", self.admin_view(topics.badge_part), name="chat-badge"),
            path("chat/read/", self.admin_view(topics.read), name="chat-read"),
            path("chat/topics/open/", self.admin_view(topics.open_topic), name="topic-open"),
            path("chat/topics/archive/", self.admin_view(topics.archive_topic), name="topic-archive"),
            path("chat/older/", self.admin_view(chat.older_part), name="chat-older"),
            path("chat/search/", self.admin_view(chat.search_page), name="chat-search"),
            path("chat/compose/", self.admin_view(chat.compose_part), name="chat-compose"),
            path("chat/post/", self.admin_view(chat.post), name="chat-post"),
            path("audit-log/", self.admin_view(audit.audit_page), name="audit"),
            path("audit-log/news/", self.admin_view(audit.news_part), name="audit-news"),
            path("audit-log/export/", self.admin_view(audit.export), name="audit-export"),
            path("profile/", self.admin_view(profile_page), name="profile"),
            path("launches/", self.admin_view(launches.launches_page), name="launches"),
            path("launches/list/", self.admin_view(launches.launches_part), name="launches-part"),
            path("launches/<str:launch_key>/grant/", self.admin_view(launches.grant_page), name="grant"),
            path("launches/<str:launch_key>/revoke/", self.admin_view(launches.revoke_page), name="grant-revoke"),
            path("settings/", self.admin_view(settings.settings_page), name="settings"),
            path("connections/", self.admin_view(connections.connections_page), name="connections"),
            path("connections/list/", self.admin_view(connections.connections_part), name="connections-part"),
            path("connections/<str:connection_id>/messages/", self.admin_view(connection_messages), name="connection-messages"),
            path("connections/<str:connection_id>/revoke/", self.admin_view(connections.revoke_page), name="connection-revoke"),
        ]

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        """The owner's home; staff find the lists beneath."""
        from project.home import home_page

        request.current_app = self.name
        return home_page(request)

    def search(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """unfold's search of lists by name; a page that is no number is the first."""
        if not request.GET.get("page", "1").isdecimal():
            raise Http404
        return super().search(request, extra_context)  # type: ignore[misc, no-any-return]

    def password_change(  # type: ignore[override]
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Our page for one's own password, which asks our action."""
        from accounts.pages_password import password_page

        return password_page(request)

    def get_log_entries(self, request: HttpRequest) -> Any:
        """None: the audit log is the only history."""
        return super().get_log_entries(request).none()


def in_transaction(view: View) -> View:
    """One transaction for a request that writes; none for one that reads, which would hold SQLite's write lock, nor where the
    page holds its own (`core.pages.in_own_transaction`)."""

    @wraps(view)
    def inner(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.method in SAFE_METHODS or getattr(view, "in_own_transaction", False):
            return view(request, *args, **kwargs)
        with transaction.atomic():
            return view(request, *args, **kwargs)

    return inner
