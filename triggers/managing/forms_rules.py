"""The form of a rule."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextareaWidget

from core.text import one_line
from sessions_app.owning.forms_agents import LinesField, switch, text
from triggers.models import Rule
from triggers.rules.checking import NAME, PROMPT, REGEX, SERVER, BadRules
from triggers.servers.drafts import LONGEST_CHANNEL
from triggers.values import RuleDraft

FIELDS = {"contentRegex": "content_regex", "rateLimit": "rate_limit", "dedupWindow": "dedup_window"}
"""What a file calls a field, where it is not the form's name of it."""


class RuleForm(forms.Form):
    """One rule; the rules' own check says what may be."""

    name = text(gettext_lazy("Its name"), required=True, most=NAME)
    enabled = switch(gettext_lazy("Switched on"))
    server = text(gettext_lazy("Server"), most=SERVER, hint=gettext_lazy("To the letter; empty or * is every server."))
    channel = text(
        gettext_lazy("Channel"),
        most=LONGEST_CHANNEL,
        hint=gettext_lazy("To the letter; alerts/* is alerts and all beneath it; empty or * is every channel."),
    )
    content_regex = text(
        gettext_lazy("Content matches"),
        most=REGEX,
        hint=gettext_lazy("A regular expression (RE2), found anywhere in the content; (?i) ignores case. Empty is any content."),
    )
    mode = forms.ChoiceField(
        label=gettext_lazy("What then"),
        choices=[
            (Rule.NOTIFY, gettext_lazy("Notify me")),
            (Rule.CONFIRM, gettext_lazy("Ask me, then put an agent to it")),
            (Rule.AUTO, gettext_lazy("Put an agent to it at once")),
        ],
        widget=UnfoldAdminSelectWidget,
        error_messages={"invalid_choice": gettext_lazy('invalid mode "%(value)s"')},
    )
    prompt = forms.CharField(
        label=gettext_lazy("What the agent is asked"),
        required=False,
        max_length=PROMPT,
        strip=False,
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 5}),
        help_text=gettext_lazy("{{content}} {{channel}} {{server}} {{seq}} and {{timestamp}} stand for what was pushed."),
    )
    tools = LinesField(
        gettext_lazy("Tools it may use"),
        gettext_lazy("One a line, such as chat_*. For any other a model asks you first; a command has no other."),
    )
    rate_limit = text(
        gettext_lazy("At most once in"), most=32, hint=gettext_lazy("Such as 5m or 1h30m; what comes sooner fires nothing.")
    )
    dedup_window = text(
        gettext_lazy("The same content only once in"), most=32, hint=gettext_lazy("Such as 24h; told by its first 256 bytes.")
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["content_regex"].strip = False  # type: ignore[attr-defined]
        for name in ("server", "channel"):
            self.fields[name].widget.attrs["list"] = f"{name}s"

    def draft(self) -> RuleDraft:
        """The rule that was filled in."""
        return RuleDraft(**self.cleaned_data)

    def tell(self, refusal: BadRules) -> None:
        """Put each fault beside its field; those of other rules above all, with their names."""
        ours = {"", one_line(self.draft().name, NAME)}
        for fault in refusal.faults:
            name = FIELDS.get(fault.field, fault.field)
            own = name in self.fields and fault.rule in ours
            self.add_error(name if own else None, fault.said if own else str(fault))


def initial(rule: Rule) -> dict[str, Any]:
    """The form's values of a stored rule."""
    return {name: getattr(rule, name) for name in RuleForm.base_fields}
