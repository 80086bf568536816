"""The forms of push servers and of webhooks."""

from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextareaWidget

from sessions_app.owning.forms_agents import PLAIN, LinesField, switch, text
from triggers.managing.fields import PairsField, names
from triggers.models import PushServer, Webhook
from triggers.servers.drafts import ServerDraft
from triggers.servers.reading import secrets_of

NAME_HINT = gettext_lazy("A-Z a-z 0-9 . _ -; stands before every message it pushes.")
OF_ADDRESSES = ("url", "headers", "forget_headers")
OF_COMMANDS = ("argv", "environment", "forget_environment")


class ServerForm(forms.Form):
    """A push server. stdio is offered only to an owner who may run commands."""

    name = text(gettext_lazy("Its name"), required=True, most=64, hint=NAME_HINT)
    enabled = switch(gettext_lazy("Switched on"))
    transport = forms.ChoiceField(label=gettext_lazy("Transport"), widget=UnfoldAdminSelectWidget)
    url = text(gettext_lazy("Address"), most=1000, hint=gettext_lazy("Such as https://example.org/mcp; keys belong in headers."))
    headers = PairsField(
        gettext_lazy("Headers"),
        gettext_lazy("One a line, such as Authorization: Bearer …; kept encrypted and never shown."),
        sign=":",
    )
    forget_headers = switch(gettext_lazy("Forget the headers"))
    argv = LinesField(gettext_lazy("Command"), gettext_lazy("The program, then one argument a line; no shell reads it."))
    environment = PairsField(
        gettext_lazy("Variables"),
        gettext_lazy("One a line, such as API_KEY=…; kept encrypted and never shown."),
        sign="=",
    )
    forget_environment = switch(gettext_lazy("Forget the variables"))
    channels = LinesField(
        gettext_lazy("Channels"), gettext_lazy("Only these are let in, one a line, to the letter; empty or * lets in all.")
    )
    refresh_tools = switch(gettext_lazy("Fetch its tools anew when it says they changed"))

    def __init__(self, *args: Any, held: PushServer | None, may_run_commands: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._lets_none_in = held is not None and held.channels == [""]
        own = held.transport if held is not None else ""
        offered = [
            each for each in PushServer.TRANSPORTS if may_run_commands or each[0] in {PushServer.SSE, PushServer.HTTP, own}
        ]
        self.fields["transport"].choices = offered  # type: ignore[attr-defined]
        self._drop([] if PushServer.STDIO in dict(offered) else list(OF_COMMANDS))
        self._drop([] if held is not None else ["forget_headers", "forget_environment"])
        if held is not None:
            self.fields["name"].disabled = True
            self._tell_names(secrets_of(held))

    def draft(self) -> ServerDraft:
        """What was filled in; fields of the other kind of transport do not count."""
        given = self.cleaned_data
        is_command = given["transport"] == PushServer.STDIO
        left_out = OF_ADDRESSES if is_command else OF_COMMANDS
        kept = {name: value for name, value in given.items() if name not in left_out}
        for secret in ("headers", "environment"):
            if kept.pop(f"forget_{secret}", False) and not kept[secret]:
                kept[secret] = {}
        if self._lets_none_in and not kept["channels"]:
            kept["channels"] = ("",)
        return ServerDraft(**kept)

    def _drop(self, fields: list[str]) -> None:
        for name in fields:
            self.fields.pop(name, None)

    def _tell_names(self, kept: dict[str, dict[str, str]]) -> None:
        for field, pairs in kept.items():
            if field in self.fields and pairs:
                told = _("Empty keeps those there are: %(names)s.") % {"names": names(pairs)}
                self.fields[field].help_text = f"{self.fields[field].help_text} {told}"
            elif not pairs:
                self._drop([f"forget_{field}"])


class ImportForm(forms.Form):
    """JSON, pasted or in a file."""

    text = forms.CharField(
        label=gettext_lazy("JSON"),
        required=False,
        max_length=1_048_576,
        strip=False,
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 14, "class": "hub-code-area", **PLAIN}),
    )
    file = forms.FileField(label=gettext_lazy("Or a file"), required=False, widget=forms.FileInput(attrs={"class": "hub-file"}))

    def clean(self) -> dict[str, Any]:
        """The text, wherever it came from."""
        given: dict[str, Any] = super().clean() or {}
        file = given.get("file")
        if file is not None:
            try:
                given["text"] = file.read().decode("utf-8-sig")
            except UnicodeDecodeError:
                self.add_error("file", _("This file is no text in UTF-8; choose another one."))
        elif not str(given.get("text") or "").strip():
            self.add_error("text", _("Paste the JSON, or choose a file."))
        return given


class WebhookForm(forms.Form):
    """A webhook. Its kind and its name stay."""

    name = text(gettext_lazy("Its name"), required=True, most=64, hint=NAME_HINT)
    kind = forms.ChoiceField(
        label=gettext_lazy("Who posts"),
        choices=Webhook.KINDS,
        widget=UnfoldAdminSelectWidget,
        help_text=gettext_lazy("GitHub signs in its own way; a generic service signs the time and the body."),
    )
    channel = text(
        gettext_lazy("Channel"),
        most=200,
        hint=gettext_lazy("Empty: GitHub's event, or the channel that the JSON names, else webhook."),
    )
    enabled = switch(gettext_lazy("Switched on"))

    def __init__(self, *args: Any, held: Webhook | None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if held is None:
            del self.fields["enabled"]
        else:
            self.fields["name"].disabled = self.fields["kind"].disabled = True
