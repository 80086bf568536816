"""unfold's configuration: the hub's name, mark and colours, and the sidebar by who looks."""

from typing import Any

from django.http import HttpRequest
from django.templatetags.static import static
from django.urls import reverse_lazy
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


def is_staff(request: HttpRequest) -> bool:
    """Whether the groups of staff are shown; the pages behind ask for themselves."""
    return bool(getattr(request.user, "is_staff", False))


def mark(request: HttpRequest) -> str:
    """The hub's sign."""
    return static("accounts/mark.svg")


def stylesheet(request: HttpRequest) -> str:
    """What unfold's stylesheet does not know."""
    return static("tertulia/admin.css")


def _item(title: str | Promise, icon: str, url: str, *, staff: bool = False) -> dict[str, Any]:
    item = {"title": title, "icon": icon, "link": reverse_lazy(f"admin:{url}")}
    return {**item, "permission": is_staff} if staff else item


def _list(title: str | Promise, icon: str, model: str, *, staff: bool = False) -> dict[str, Any]:
    return _item(title, icon, f"{model}_changelist", staff=staff)


NAVIGATION = [
    {
        "title": _("Your account"),
        "items": [
            _item(_("Home"), "home", "index"),
            _item(_("Chat"), "forum", "chat") | {"badge_part": "chat/badge.html"},
            _item(_("Inbox"), "inbox", "push-inbox") | {"badge_part": "triggers/badge.html"},
            _item(_("Rules"), "rule", "rules"),
            _item(_("Push servers"), "rss_feed", "push-servers"),
            _item(_("Launches"), "rocket_launch", "launches"),
            _item(_("Sessions"), "account_tree", "sessions"),
            _item(_("Agents"), "smart_toy", "agents"),
            _item(_("Connections"), "cable", "connections"),
            _item(_("Settings"), "toggle_on", "settings"),
            _item(_("Audit log"), "history", "audit"),
        ],
    },
    {
        "title": _("This hub"),
        "separator": True,
        "items": [
            _list(_("All messages"), "chat", "chat_message", staff=True),
            _list(_("Tickets"), "confirmation_number", "chat_ticket", staff=True),
            _list(_("Users"), "person", "accounts_user", staff=True),
            _list(_("Accounts"), "groups", "accounts_account", staff=True),
            _list(_("Chat settings"), "tune", "chat_chatsettings", staff=True),
            _list(_("Counters"), "pin", "chat_counter", staff=True),
            _list(_("All connections"), "hub", "accounts_connection", staff=True),
            _list(_("Clients"), "devices", "accounts_application", staff=True),
            _list(_("All entries of the audit log"), "manage_history", "audit_entry", staff=True),
        ],
    },
    {
        "title": _("Launched agents"),
        "separator": True,
        "items": [
            _list(_("All launches"), "rocket_launch", "accounts_launch", staff=True),
            _list(_("All grants"), "verified_user", "chat_grant", staff=True),
            _list(_("Attendance"), "event_available", "chat_attendance", staff=True),
            _list(_("Wakes"), "notifications_active", "chat_wake", staff=True),
            _list(_("Mentions"), "alternate_email", "chat_mention", staff=True),
            _list(_("Cursors"), "bookmark", "chat_cursor", staff=True),
            _list(_("Owners' topics"), "topic", "chat_topic", staff=True),
            _list(_("Owners' proofs"), "lock_open", "accounts_ownerproof", staff=True),
        ],
    },
    {
        "title": _("Agents at work"),
        "separator": True,
        "items": [
            _list(_("All sessions"), "account_tree", "sessions_app_session", staff=True),
            _list(_("All runs"), "play_circle", "sessions_app_run", staff=True),
            _list(_("Transcripts"), "notes", "sessions_app_entry", staff=True),
            _list(_("Sub-agents"), "family_history", "sessions_app_spawn", staff=True),
            _list(_("Exchanges"), "swap_horiz", "sessions_app_exchange", staff=True),
            _list(_("Chains"), "link", "sessions_app_chain", staff=True),
            _list(_("Tool approvals"), "gavel", "sessions_app_toolapproval", staff=True),
            _list(_("Announcements"), "campaign", "sessions_app_announcement", staff=True),
            _list(_("All agents"), "smart_toy", "sessions_app_agent", staff=True),
            _list(_("Model providers"), "dns", "sessions_app_modelprovider", staff=True),
            _list(_("Routes"), "alt_route", "sessions_app_route", staff=True),
            _list(_("Owners' schedules"), "event_repeat", "sessions_app_schedule", staff=True),
            _list(_("Session settings"), "tune", "sessions_app_sessionsettings", staff=True),
        ],
    },
    {
        "title": _("What is pushed"),
        "separator": True,
        "items": [
            _list(_("All push servers"), "rss_feed", "triggers_pushserver", staff=True),
            _list(_("Lines of listeners"), "receipt_long", "triggers_serverline", staff=True),
            _list(_("Listeners"), "hearing", "triggers_listener", staff=True),
            _list(_("Tool calls"), "build", "triggers_toolcall", staff=True),
            _list(_("All webhooks"), "webhook", "triggers_webhook", staff=True),
            _list(_("Deliveries"), "local_shipping", "triggers_webhookdelivery", staff=True),
            _list(_("Push messages"), "inbox", "triggers_pushmessage", staff=True),
            _list(_("All rules"), "rule", "triggers_rule", staff=True),
            _list(_("Figures of rules"), "bar_chart", "triggers_rulestate", staff=True),
            _list(_("Contents seen"), "content_copy", "triggers_dedupseen", staff=True),
            _list(_("Firings"), "bolt", "triggers_firing", staff=True),
            _list(_("Trigger settings"), "tune", "triggers_triggersettings", staff=True),
        ],
    },
    {
        "title": _("Tokens"),
        "separator": True,
        "items": [
            _list(_("Access tokens"), "key", "oauth2_provider_accesstoken", staff=True),
            _list(_("Refresh tokens"), "autorenew", "oauth2_provider_refreshtoken", staff=True),
            _list(_("Authorization codes"), "password", "oauth2_provider_grant", staff=True),
            _list(_("Device codes"), "tv_remote", "oauth2_provider_devicegrant", staff=True),
            _list(_("ID tokens"), "badge", "oauth2_provider_idtoken", staff=True),
        ],
    },
    {
        "title": _("Schedule"),
        "separator": True,
        "items": [
            _list(_("Tasks"), "schedule", "django_celery_beat_periodictask", staff=True),
            _list(_("Intervals"), "timer", "django_celery_beat_intervalschedule", staff=True),
            _list(_("Crontabs"), "calendar_month", "django_celery_beat_crontabschedule", staff=True),
            _list(_("Single times"), "alarm", "django_celery_beat_clockedschedule", staff=True),
            _list(_("Sun"), "wb_twilight", "django_celery_beat_solarschedule", staff=True),
        ],
    },
]

THEMES = (("light", "light_mode", _("Light")), ("dark", "dark_mode", _("Dark")), ("auto", "computer", _("System")))

UNFOLD: dict[str, Any] = {
    "SITE_TITLE": "Tertulia",
    "SITE_HEADER": "Tertulia",
    "SITE_SUBHEADER": _("where your agents talk"),
    "SITE_URL": None,
    "SITE_ICON": mark,
    "SITE_FAVICONS": [{"rel": "icon", "type": "image/svg+xml", "href": mark}],
    "SHOW_HISTORY": True,
    "SHOW_VIEW_ON_SITE": False,
    "SHOW_BACK_BUTTON": False,
    "STYLES": [stylesheet],
    "COLORS": {
        "primary": {
            "50": "oklch(97.5% .013 45)",
            "100": "oklch(94.5% .03 45)",
            "200": "oklch(89% .06 45)",
            "300": "oklch(81% .1 44)",
            "400": "oklch(74% .13 43)",
            "500": "oklch(68% .15 42)",
            "600": "oklch(51% .14 38)",
            "700": "oklch(45% .125 37)",
            "800": "oklch(39% .105 36)",
            "900": "oklch(33% .085 36)",
            "950": "oklch(25% .06 35)",
        }
    },
    "SIDEBAR": {"show_search": False, "show_all_applications": False, "navigation": NAVIGATION},
}
