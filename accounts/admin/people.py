"""People and their accounts, for staff; an owner sees his own account."""

from typing import Any, ClassVar

from django import forms
from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext, gettext_noop
from django.utils.translation import gettext_lazy as _
from unfold.decorators import action
from unfold.enums import ActionVariant
from unfold.widgets import UnfoldAdminEmailInputWidget, UnfoldBooleanSwitchWidget

from accounts import actions
from accounts.admin.staff import StaffAdmin
from accounts.forms import NewPasswordForm, password_field
from accounts.models import Account, User
from accounts.permissions import may_administer
from core.actor import Actor
from core.admin import OwnedAdmin
from core.errors import DomainError
from core.pages import page


class NewOwnerForm(forms.ModelForm):  # type: ignore[type-arg]
    """A person who gets an account of his own."""

    password_once = password_field(_("Password"))

    class Meta:
        model = User
        fields = ("email", "is_staff", "may_run_commands")
        widgets: ClassVar[dict[str, Any]] = {"is_staff": UnfoldBooleanSwitchWidget, "may_run_commands": UnfoldBooleanSwitchWidget}

    def clean_password_once(self) -> str:
        """Strong enough, told beside the field."""
        password = str(self.cleaned_data["password_once"])
        try:
            actions.check_new_password(password, User(email=self.cleaned_data.get("email", "")))
        except DomainError as error:
            raise forms.ValidationError(error.detail) from None
        return password


def _back(obj: User | Account) -> str:
    return reverse(f"admin:accounts_{obj._meta.model_name}_change", args=[obj.pk])


@admin.register(User)
class UserAdmin(StaffAdmin[User]):
    """Who signs in. The password is set on a page of its own and never shown."""

    list_display = ("email", "is_active", "is_staff", "may_run_commands", "last_login", "date_joined")
    list_filter = ("is_active", "is_staff", "may_run_commands")
    search_fields = ("email",)
    ordering = ("email",)
    fields = ("email", "is_active", "is_staff", "may_run_commands", "last_login", "date_joined")
    readonly_fields = ("email", "last_login", "date_joined")
    add_fieldsets = ((None, {"fields": ("email", "password_once", "is_staff", "may_run_commands")}),)
    actions = None
    actions_detail = ("set_password",)

    def may_add(self, actor: Actor) -> bool:
        """Staff create owners."""
        return may_administer(actor)

    def may_change(self, actor: Actor) -> bool:
        """Staff change what a user may."""
        return may_administer(actor)

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> Any:
        """The e-mail is chosen once."""
        return self.readonly_fields if obj else ()

    def get_form(self, request: HttpRequest, obj: User | None = None, change: bool = False, **kwargs: Any) -> Any:
        """The form with a password for a new owner only."""
        return super().get_form(request, obj, change=change, **({} if obj else {"form": NewOwnerForm}), **kwargs)

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        """`update_user`, or `create_owner` for a new one."""
        values, actor = form.cleaned_data, self.actor(request)
        rights = {"is_staff": values["is_staff"], "may_run_commands": values["may_run_commands"]}
        if change:
            actions.update_user(actor, user_id=obj.pk, is_active=values["is_active"], **rights)
        else:
            account = actions.create_owner(actor, email=values["email"], password=values["password_once"], **rights)
            obj.pk = account.owner_id

    @action(description=_("Set password"), url_path="password", permissions=["change"])  # type: ignore[untyped-decorator]
    def set_password(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """A new password for somebody who lost his."""
        user = self.get_object(request, object_id)
        if user is None:
            return self.missing(request)
        form = NewPasswordForm(request.POST or None)
        if request.method == "POST" and form.is_valid():
            try:
                actions.set_password(self.actor(request), user_id=user.pk, password=form.cleaned_data["password"])
            except DomainError as error:
                form.add_error("password", error.detail)
            else:
                said = gettext("%(email)s signs in with the new password from now on.")
                messages.success(request, said % {"email": user.email})
                return redirect("admin:accounts_user_change", user.pk)
        return page(
            request,
            "pages/form.html",
            gettext("Set password"),
            form=form,
            button=gettext("Set password"),
            back=_back(user),
            intro=gettext("A new password for %(email)s. Sessions signed in with the old one end.") % {"email": user.email},
        )


DELETION = gettext_noop(
    "This deletes the account of %(email)s with its messages, settings and connections, and the user who owns it. "
    "It cannot be undone. Only the audit log stays."
)


class DeleteAccountForm(forms.Form):
    """The owner's e-mail, typed."""

    email = forms.CharField(
        label=_("The owner's e-mail address"), widget=UnfoldAdminEmailInputWidget(attrs={"autocomplete": "off"})
    )

    def __init__(self, *args: Any, owner: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._owner = owner

    def clean_email(self) -> str:
        """It is this account's, in any case."""
        typed = str(self.cleaned_data["email"])
        if typed.strip().casefold() != self._owner.casefold():
            raise forms.ValidationError(gettext("Type the e-mail address of this account's owner."))
        return typed


@admin.register(Account)
class AccountAdmin(OwnedAdmin[Account]):
    """Accounts; deleted by staff on a page that asks for the owner's e-mail."""

    list_display = ("id", "email", "created_at")
    list_display_links = ("id", "email")
    list_select_related = ("owner",)
    search_fields = ("owner__email",)
    ordering = ("-id",)
    fields = ("email", "created_at")
    readonly_fields = ("email",)
    actions = None
    actions_detail = ("delete_account",)

    @admin.display(description=_("owner"), ordering="owner__email")
    def email(self, obj: Account) -> str:
        """Plain text: a link to the list of users would lead an owner to a refusal."""
        return obj.owner.email

    def has_administer_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Staff; names the right that the page of deletion needs."""
        return may_administer(self.actor(request))

    @action(  # type: ignore[untyped-decorator]
        description=_("Delete account"), url_path="delete-account", permissions=["administer"], variant=ActionVariant.DANGER
    )
    def delete_account(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Ask for the owner's e-mail, then delete the account and all it holds."""
        account = self.get_object(request, object_id)
        if account is None:
            return self.missing(request)
        form = DeleteAccountForm(request.POST or None, owner=account.owner.email)
        if request.method == "POST" and form.is_valid():
            actions.delete_account(self.actor(request), account_id=account.pk)
            said = gettext("The account of %(email)s is deleted. Its audit log stays.")
            messages.success(request, said % {"email": account.owner.email})
            return redirect("admin:accounts_account_changelist")
        return page(
            request,
            "pages/form.html",
            gettext("Delete account"),
            form=form,
            button=gettext("Delete this account"),
            danger=True,
            back=_back(account),
            intro=gettext(DELETION) % {"email": account.owner.email},
        )
