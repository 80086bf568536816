"""Forms about people that more than one page uses."""

from typing import TYPE_CHECKING, Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.widgets import UnfoldAdminPasswordWidget

from accounts.models import User

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise


def password_field(label: "_StrPromise", *, autocomplete: str = "new-password") -> forms.CharField:
    """A field for a password; what a new one may be is the action's to say."""
    widget = UnfoldAdminPasswordWidget(attrs={"autocomplete": autocomplete})
    return forms.CharField(label=label, strip=False, max_length=1024, widget=widget)


class NewPasswordForm(forms.Form):
    """A new password, twice."""

    password = password_field(gettext_lazy("New password"))
    again = password_field(gettext_lazy("The same again"))

    def clean(self) -> dict[str, Any]:
        """Both are equal."""
        values = super().clean() or {}
        if "password" in values and values["password"] != values.get("again"):
            self.add_error("again", _("Type the same password twice."))
        return values


class OwnPasswordForm(NewPasswordForm):
    """One's own new password, and the proof that one knows the old."""

    old = password_field(gettext_lazy("Password until now"), autocomplete="current-password")
    field_order = ("old", "password", "again")

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._user = user

    def clean_old(self) -> str:
        """It is the person's own."""
        old = str(self.cleaned_data["old"])
        if not self._user.check_password(old):
            raise forms.ValidationError(_("That is not your password; try again."))
        return old
