"""Fields of forms for what is written and never read again, a line each."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from unfold.widgets import UnfoldAdminTextareaWidget

from sessions_app.owning.forms_agents import PLAIN


class SecretArea(UnfoldAdminTextareaWidget):  # type: ignore[misc]
    """An area that is empty whatever is kept, and whatever was sent."""

    def format_value(self, value: Any) -> str:
        """Nothing."""
        return ""


class PairsField(forms.CharField):
    """Names with values, one pair a line, such as `Authorization: Bearer …`; empty is None."""

    def __init__(self, label: Any, hint: Any, *, sign: str) -> None:
        widget = SecretArea(attrs={"rows": 3, **PLAIN})
        super().__init__(label=label, required=False, max_length=65_536, widget=widget, help_text=hint, strip=False)
        self._sign = sign

    def clean(self, value: Any) -> Any:
        """A dictionary, or None."""
        lines = [line for line in super().clean(value).splitlines() if line.strip()]
        return dict(map(self._pair, lines)) or None

    def _pair(self, line: str) -> tuple[str, str]:
        name, sign, value = line.partition(self._sign)
        if not sign:
            raise forms.ValidationError(_("Write each line as a name, %(sign)s and a value.") % {"sign": self._sign})
        return name.strip(), value.strip()


def names(kept: Mapping[str, str]) -> str:
    """What is told of such pairs: their names."""
    return ", ".join(kept)
