"""Names of tables and columns as the lists and forms of the admin show them: Django makes most from the code, untranslated."""

from django.apps import apps
from django.db.models import Field
from django.utils.translation import gettext_lazy, gettext_noop

OWN = {
    "chat.grant": (gettext_noop("chat grant"), gettext_noop("chat grants")),
    "triggers.dedupseen": (gettext_noop("content that a rule has seen"), gettext_noop("contents that rules have seen")),
    "triggers.webhookdelivery": (gettext_noop("delivery of a webhook"), gettext_noop("deliveries of webhooks")),
    "sessions_app.entry": (gettext_noop("line of a transcript"), gettext_noop("lines of transcripts")),
}
"""Tables whose name of Django's making is another thing's too."""


def translate_labels() -> None:
    """Let every such name follow the reader's language. Migrations keep what the code says, so none comes of this."""
    for config in apps.get_app_configs():
        config.verbose_name = gettext_lazy(str(config.verbose_name))
    for model in apps.get_models():
        options = model._meta
        made = options.verbose_name, options.verbose_name_plural  # the plural is made of the singular with an s
        name, plural = OWN.get(options.label_lower, made)
        options.verbose_name, options.verbose_name_plural = gettext_lazy(str(name)), gettext_lazy(str(plural))
        for field in options.get_fields():
            if isinstance(field, Field):
                field.verbose_name = gettext_lazy(str(field.verbose_name))
