"""Names of tables and columns as the lists and forms of the admin show them: Django makes most from the code, untranslated."""

from django.apps import apps
from django.db.models import Field
from django.utils.translation import gettext_lazy, gettext_noop

MADE = (
    gettext_noop("Accounts"),
    gettext_noop("Audit"),
    gettext_noop("Chat"),
    gettext_noop("ID"),
    gettext_noop("Django OAuth Toolkit"),
    gettext_noop("Task Name"),
    gettext_noop("access token"),
    gettext_noop("access tokens"),
    gettext_noop("account"),
    gettext_noop("account id"),
    gettext_noop("accounts"),
    gettext_noop("application"),
    gettext_noop("applications"),
    gettext_noop("at"),
    gettext_noop("client name"),
    gettext_noop("connection"),
    gettext_noop("connection id"),
    gettext_noop("connections"),
    gettext_noop("counter"),
    gettext_noop("counters"),
    gettext_noop("created at"),
    gettext_noop("date joined"),
    gettext_noop("deed"),
    gettext_noop("device grant"),
    gettext_noop("device grants"),
    gettext_noop("door"),
    gettext_noop("email"),
    gettext_noop("expires at"),
    gettext_noop("grant"),
    gettext_noop("grants"),
    gettext_noop("id"),
    gettext_noop("id token"),
    gettext_noop("id tokens"),
    gettext_noop("is active"),
    gettext_noop("is staff"),
    gettext_noop("keep thread openers"),
    gettext_noop("last seq"),
    gettext_noop("last used at"),
    gettext_noop("may run commands"),
    gettext_noop("message"),
    gettext_noop("messages"),
    gettext_noop("prefix"),
    gettext_noop("read seq"),
    gettext_noop("redirect host"),
    gettext_noop("refresh token"),
    gettext_noop("refresh tokens"),
    gettext_noop("reply to"),
    gettext_noop("revoked at"),
    gettext_noop("scopes"),
    gettext_noop("seq"),
    gettext_noop("session name"),
    gettext_noop("stored bytes"),
    gettext_noop("target"),
    gettext_noop("target label"),
    gettext_noop("thread"),
    gettext_noop("ticket"),
    gettext_noop("tickets"),
    gettext_noop("topic"),
    gettext_noop("used at"),
    gettext_noop("user id"),
    gettext_noop("who"),
)
"""What Django made; a test compares the catalogue with every list."""


def translate_labels() -> None:
    """Let every such name follow the reader's language. Migrations keep what the code says, so none comes of this."""
    for config in apps.get_app_configs():
        config.verbose_name = gettext_lazy(str(config.verbose_name))
    for model in apps.get_models():
        options = model._meta
        plural = gettext_lazy(str(options.verbose_name_plural))  # before the singular, of which Django makes it with an s
        options.verbose_name, options.verbose_name_plural = gettext_lazy(str(options.verbose_name)), plural
        for field in options.get_fields():
            if isinstance(field, Field):
                field.verbose_name = gettext_lazy(str(field.verbose_name))
