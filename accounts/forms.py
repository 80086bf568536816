"""Forms about people that more than one page uses."""

from typing import Any

from django import forms
from unfold.widgets import UnfoldAdminPasswordWidget

from accounts.models import User


def password_field(label: str, *, autocomplete: str = "new-password") -> forms.CharField:
    """A field for a password; what a new one may be is the action's to say."""
    widget = UnfoldAdminPasswordWidget(attrs={"autocomplete": autocomplete})
    return forms.CharField(label=label, strip=False, max_length=1024, widget=widget)


class NewPasswordForm(forms.Form):
    """A new password, twice."""

    password = password_field("New password")
    again = password_field("The same again")

    def clean(self) -> dict[str, Any]:
        """Both are equal."""
        values = super().clean() or {}
        if "password" in values and values["password"] != values.get("again"):
            self.add_error("again", "Type the same password twice.")
        return values


class OwnPasswordForm(NewPasswordForm):
    """One's own new password, and the proof that one knows the old."""

    old = password_field("Password until now", autocomplete="current-password")
    field_order = ("old", "password", "again")

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._user = user

    def clean_old(self) -> str:
        """It is the person's own."""
        old = str(self.cleaned_data["old"])
        if not self._user.check_password(old):
            raise forms.ValidationError("That is not your password; try again.")
        return old
