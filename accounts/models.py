"""Who there is: a person, his account, the OAuth clients, and the connections they hold."""

from typing import Any, ClassVar

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import PermissionsMixin
from django.db import models
from django.db.models.functions import Lower
from django.utils.translation import gettext_lazy as _
from oauth2_provider.models import AbstractApplication

from accounts.oauth.redirects import check_redirect_uris
from accounts.querysets import AccountQuerySet, ConnectionQuerySet, UserManager
from core.text import one_line


def languages() -> list[tuple[str, str]]:
    """The languages of the pages; a function, so that a further one needs no migration."""
    return list(settings.LANGUAGES)


class User(AbstractBaseUser, PermissionsMixin):
    """A person who signs in by e-mail. Owners are not staff; staff see every account."""

    email = models.EmailField(max_length=254, unique=True)
    is_active = models.BooleanField(default=True)
    is_staff = models.BooleanField(default=False, help_text=_("Sees every account and works the whole admin."))
    may_run_commands = models.BooleanField(
        default=False, help_text=_("May have the hub start processes on its machine. Only staff give or take this.")
    )
    date_joined = models.DateTimeField(auto_now_add=True)
    language = models.CharField(max_length=10, blank=True, choices=languages, help_text=_("Empty: as the browser asks."))

    objects: ClassVar[UserManager] = UserManager()

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    class Meta:
        ordering = ("email",)
        constraints = (models.UniqueConstraint(Lower("email"), name="user_email_any_case_once"),)

    def __str__(self) -> str:
        return self.email


class Account(models.Model):
    """The tenant: one owner's agents, chat and connections."""

    owner = models.OneToOneField(User, on_delete=models.PROTECT, related_name="account")
    created_at = models.DateTimeField(auto_now_add=True)

    objects: ClassVar[Any] = AccountQuerySet.as_manager()

    class Meta:
        ordering = ("id",)

    def __str__(self) -> str:
        return self.owner.email


class Application(AbstractApplication):
    """An OAuth client: registered by itself (dynamic registration, metadata document) or by staff."""

    class Meta(AbstractApplication.Meta):
        swappable = "OAUTH2_PROVIDER_APPLICATION_MODEL"
        ordering = ("-id",)

    def clean(self) -> None:
        """As the library checks, and: plain http only to this machine's loopback."""
        super().clean()
        check_redirect_uris(self.redirect_uris.split())


class Connection(models.Model):
    """One OAuth authorization of one client; found by its token family, kept through refresh rotation."""

    id = models.CharField(primary_key=True, max_length=18)
    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="connections")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="connections")
    application = models.ForeignKey(Application, null=True, on_delete=models.SET_NULL, related_name="connections")
    client_name = models.CharField(max_length=255)
    redirect_host = models.CharField(max_length=255, blank=True)
    token_family = models.UUIDField(unique=True)
    scopes = models.TextField()
    created_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    objects: ClassVar[Any] = ConnectionQuerySet.as_manager()

    class Meta:
        ordering = ("-created_at", "id")
        indexes = (models.Index(fields=["account", "-created_at"], name="connection_account_newest"),)
        constraints = (models.CheckConstraint(condition=models.Q(id__startswith="c-"), name="connection_id_form"),)

    def __str__(self) -> str:
        return f"{self.shown_name} ({self.id})"

    @property
    def shown_name(self) -> str:
        """What the client calls itself, cut for showing."""
        return one_line(self.client_name, 60)

    @property
    def is_active(self) -> bool:
        """Whether its tokens still open a door."""
        return self.revoked_at is None
