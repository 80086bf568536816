"""The forms of agents and of what belongs to them: providers of models, routes, schedules."""

import zoneinfo
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.widgets import (
    UnfoldAdminIntegerFieldWidget,
    UnfoldAdminPasswordWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextareaWidget,
    UnfoldAdminTextInputWidget,
    UnfoldBooleanSwitchWidget,
)

from core.actor import Actor
from sessions_app.models import Agent, ModelProvider
from sessions_app.owning.words import RUNNERS

PLAIN = {"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}
PRESETS = (("", gettext_lazy("none")), ("claude", "Claude Code"), ("codex", "Codex"), ("pi", "Pi"))


def text(label: Any, *, required: bool = False, most: int = 128, hint: Any = "") -> forms.CharField:
    """A line of text."""
    widget = UnfoldAdminTextInputWidget(attrs=PLAIN)
    return forms.CharField(label=label, required=required, max_length=most, help_text=hint, widget=widget)


def secret(label: Any, *, most: int, hint: Any) -> forms.CharField:
    """What is written and never read again: the field is empty whatever is kept."""
    widget = UnfoldAdminPasswordWidget(attrs={**PLAIN, "autocomplete": "new-password"}, render_value=False)
    return forms.CharField(label=label, required=False, max_length=most, help_text=hint, widget=widget)


def switch(label: Any, hint: Any = "") -> forms.BooleanField:
    """On or off."""
    return forms.BooleanField(label=label, required=False, widget=UnfoldBooleanSwitchWidget, help_text=hint)


def number(label: Any, hint: Any = "", *, least: int = 0) -> forms.IntegerField:
    """A whole number; the action knows how large it may be."""
    return forms.IntegerField(label=label, min_value=least, widget=UnfoldAdminIntegerFieldWidget, help_text=hint)


class LinesField(forms.CharField):
    """A list of texts, one a line; blank lines are none."""

    def __init__(self, label: Any, hint: Any = "", *, rows: int = 3) -> None:
        widget = UnfoldAdminTextareaWidget(attrs={"rows": rows, **PLAIN})
        super().__init__(label=label, required=False, max_length=65_536, widget=widget, help_text=hint, strip=False)

    def prepare_value(self, value: Any) -> Any:
        """A list as lines."""
        return "\n".join(map(str, value)) if isinstance(value, list | tuple) else value

    def clean(self, value: Any) -> Any:
        """The lines as a tuple."""
        given: str = super().clean(value)
        return tuple(line.strip() for line in given.splitlines() if line.strip())


class AgentForm(forms.Form):
    """An agent. The fields of commands are there only for an owner who may run commands."""

    slug = text(
        gettext_lazy("Its id"), required=True, most=64, hint=gettext_lazy("a-z 0-9 - _; part of the keys of its sessions.")
    )
    name = text(gettext_lazy("Its name"), most=64)
    enabled = switch(gettext_lazy("Switched on"))
    runner = forms.ChoiceField(
        label=gettext_lazy("Who runs it"),
        widget=UnfoldAdminSelectWidget,
        help_text=gettext_lazy(
            "Connected: an agent that came over MCP takes its runs. Command: the hub starts a program. "
            "Model: the hub asks a model provider."
        ),
    )
    instructions = forms.CharField(
        label=gettext_lazy("Instructions"),
        required=False,
        max_length=32_768,
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 4}),
        help_text=gettext_lazy("What its model is told before every message."),
    )
    provider = forms.ChoiceField(label=gettext_lazy("Model provider"), required=False, widget=UnfoldAdminSelectWidget)
    model = text(gettext_lazy("Model"))
    subagent_model = text(gettext_lazy("Model of its sub-agents"), hint=gettext_lazy("Empty: the account's choice."))
    model_names = LinesField(
        gettext_lazy("Models it may be asked for"), gettext_lazy("One a line; empty: any that its program takes.")
    )
    preset = forms.ChoiceField(
        label=gettext_lazy("Preset"),
        required=False,
        choices=PRESETS,
        widget=UnfoldAdminSelectWidget,
        help_text=gettext_lazy("A harness whose command the hub knows; what stands below is its program and further arguments."),
    )
    argv = LinesField(
        gettext_lazy("Command"),
        gettext_lazy("One argument a line, the program first; no shell reads it. {message} stands for the message."),
    )
    environment = LinesField(
        gettext_lazy("Variables it inherits"), gettext_lazy("Names, one a line, such as ANTHROPIC_API_KEY; never values.")
    )
    working_directory = text(gettext_lazy("Working directory"), most=500, hint=gettext_lazy("Empty: a fresh, private one."))
    output_bytes = number(gettext_lazy("Most bytes of output"), least=1024)
    timeout_seconds = number(gettext_lazy("Longest run, in seconds"), least=1)
    tools = LinesField(
        gettext_lazy("Tools it may use"),
        gettext_lazy("One a line, such as chat_*; empty: every tool of the hub."),
    )
    allow_agents = LinesField(
        gettext_lazy("Agents it may spawn under"), gettext_lazy("Ids, one a line; empty: only its own; * every agent.")
    )
    sandboxed = switch(gettext_lazy("Sandboxed"), gettext_lazy("Its sessions see only what they spawned."))

    COMMAND_FIELDS = ("preset", "argv", "environment", "working_directory", "output_bytes", "model_names")

    def __init__(self, *args: Any, actor: Actor, may_run_commands: bool, is_new: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        own = ModelProvider.objects.visible_to(actor).filter(account_id=actor.account_id).values_list("pk", "name")
        self.fields["provider"].choices = [("", _("none")), *((str(pk), name) for pk, name in own)]  # type: ignore[attr-defined]
        runners = [(name, label) for name, label in RUNNERS.items() if may_run_commands or name != Agent.COMMAND]
        self.fields["runner"].choices = runners  # type: ignore[attr-defined]
        if not may_run_commands:
            for name in self.COMMAND_FIELDS:
                del self.fields[name]
        if not is_new:
            self.fields["slug"].disabled = True

    def clean_provider(self) -> int | None:
        """Its id, or none."""
        return int(self.cleaned_data["provider"]) if self.cleaned_data["provider"] else None


class ProviderForm(forms.Form):
    """Where models answer. The key is written, never read."""

    name = text(gettext_lazy("Its name"), required=True, most=64)
    base_url = text(
        gettext_lazy("Address"),
        required=True,
        most=500,
        hint=gettext_lazy("OpenAI-compatible, such as https://api.openai.com/v1"),
    )
    key = secret(
        gettext_lazy("Key"), most=4096, hint=gettext_lazy("Kept encrypted and never shown; empty keeps the one there is.")
    )
    forget_key = switch(gettext_lazy("Forget the key"))
    model_names = LinesField(gettext_lazy("Models"), gettext_lazy("One a line; empty: any."))

    def __init__(self, *args: Any, actor: Actor, is_new: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if is_new:
            del self.fields["forget_key"]
        else:
            self.fields["name"].disabled = True


class RouteForm(forms.Form):
    """A messenger. The address is written, never read."""

    channel = text(gettext_lazy("Channel"), required=True, most=32, hint=gettext_lazy("A messenger's name, such as telegram."))
    to_account = text(
        gettext_lazy("Sender's account"), most=64, hint=gettext_lazy("Only where you have several on this channel.")
    )
    address = secret(
        gettext_lazy("Address"),
        most=1000,
        hint=gettext_lazy(
            "An apprise address such as tgram://TOKEN/{to}. Kept encrypted and never shown; empty keeps the one there is."
        ),
    )
    enabled = switch(gettext_lazy("Switched on"))

    def __init__(self, *args: Any, actor: Actor, is_new: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["address"].required = is_new


class ScheduleForm(forms.Form):
    """A prompt by the clock."""

    slug = text(gettext_lazy("Its name"), required=True, most=64, hint=gettext_lazy("a-z 0-9 - _"))
    agent = forms.ChoiceField(label=gettext_lazy("Agent"), widget=UnfoldAdminSelectWidget)
    prompt = forms.CharField(
        label=gettext_lazy("What it is asked"), max_length=65_536, widget=UnfoldAdminTextareaWidget(attrs={"rows": 4})
    )
    crontab = text(
        gettext_lazy("When"),
        required=True,
        most=100,
        hint=gettext_lazy("Minute, hour, day, month, day of the week: 30 7 * * 1-5 is half past seven on working days."),
    )
    zone = text(gettext_lazy("Time zone"), required=True, most=64, hint=gettext_lazy("Such as America/Sao_Paulo."))
    deliver = switch(gettext_lazy("Deliver the answer on the session's route"))
    enabled = switch(gettext_lazy("Switched on"))

    def __init__(self, *args: Any, actor: Actor, is_new: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        own = Agent.objects.visible_to(actor).filter(account_id=actor.account_id).values_list("slug", flat=True)
        self.fields["agent"].choices = [(each, each) for each in own]  # type: ignore[attr-defined]
        self.fields["zone"].widget.attrs["list"] = "zones"
        if not is_new:
            self.fields["slug"].disabled = True


def zones() -> list[str]:
    """Names of time zones, for the form to offer."""
    return sorted(zoneinfo.available_timezones())


class TryForm(forms.Form):
    """A prompt to try an agent with."""

    prompt = forms.CharField(
        label=gettext_lazy("What it is asked"),
        max_length=65_536,
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 3, "autofocus": True}),
    )
