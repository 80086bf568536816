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
from accounts.querysets import AccountQuerySet, ConnectionQuerySet, LaunchManager, UserManager
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


class Launch(models.Model):
    """One agent process that `tertulia launch` started in one terminal pane, as its launcher tells.

    `key` is `l-` and 16 hex digits, made by the launcher with the credential, of which only the SHA-256 is kept. Without a
    `start_token` (when the process began, by its kernel) nothing proves later which process it is: such a launch is never
    granted anything. `pane_state` is what the launcher saw last, at `seen_at`.
    """

    NO_PANE, CLAIMED, UNCLAIMED = "none", "claimed", "unclaimed"
    PANE_STATES = (
        (NO_PANE, _("no multiplexer")),
        (CLAIMED, _("claimed")),
        (UNCLAIMED, _("not claimed")),
        ("replaced", _("replaced")),
        ("exited", _("exited")),
        ("unlisted", _("not listed")),
    )

    key = models.CharField(max_length=18, unique=True)
    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="launches", db_index=False)
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="launches")
    connection = models.ForeignKey(Connection, on_delete=models.CASCADE, related_name="launches")
    credential = models.CharField(max_length=64, unique=True)
    profile = models.CharField(max_length=32)
    harness = models.CharField(max_length=32, blank=True)
    harness_version = models.CharField(max_length=64, blank=True)
    command = models.CharField(max_length=200)
    host = models.CharField(max_length=64)
    platform = models.CharField(max_length=16, blank=True)
    pid = models.BigIntegerField()
    start_token = models.CharField(max_length=64, blank=True)
    multiplexer = models.CharField(max_length=16, blank=True)
    multiplexer_version = models.CharField(max_length=32, blank=True)
    multiplexer_session = models.CharField(max_length=128, blank=True)
    pane = models.CharField(max_length=64, blank=True)
    pane_state = models.CharField(max_length=10, choices=PANE_STATES, default=NO_PANE)
    wakeable = models.BooleanField(default=False)
    note = models.CharField(max_length=200, blank=True, help_text=_("Why it cannot be verified or woken, in a sentence."))
    started_at = models.DateTimeField()
    seen_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)
    end_reason = models.CharField(max_length=100, blank=True)
    exit_status = models.IntegerField(null=True, blank=True)

    objects: ClassVar[Any] = LaunchManager()

    class Meta:
        ordering = ("-started_at", "-id")
        verbose_name_plural = "launches"
        constraints = (
            models.CheckConstraint(condition=models.Q(key__startswith="l-"), name="launch_key_form"),
            models.CheckConstraint(condition=models.Q(pid__gte=1), name="launch_pid_from_one"),
        )
        indexes = (
            models.Index(fields=["account", "-started_at"], name="launch_account_newest"),
            models.Index(fields=["account"], condition=models.Q(ended_at=None), name="launch_live"),
        )

    def __str__(self) -> str:
        return f"{self.profile} ({self.key})"

    @property
    def is_verified(self) -> bool:
        """Whether its process can be told from any other."""
        return bool(self.start_token)

    @property
    def is_live(self) -> bool:
        """Whether the process still runs, as far as its launcher told."""
        return self.ended_at is None


class OwnerProof(models.Model):
    """The owner showed himself afresh, by his password or in a browser: for five minutes its token acts as him in person.

    Asked for in a browser (`code`), it is worth nothing until `approved_at`. Only the SHA-256 of the token is kept.
    """

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="proofs")
    connection = models.ForeignKey(Connection, on_delete=models.CASCADE, related_name="proofs")
    digest = models.CharField(max_length=64, unique=True)
    code = models.CharField(max_length=16, null=True, blank=True, unique=True)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    approved_at = models.DateTimeField(null=True, blank=True)
    refused_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-id",)
        constraints = (
            models.CheckConstraint(condition=models.Q(expires_at__gt=models.F("created_at")), name="proof_ends_later"),
        )
        indexes = (models.Index(fields=["expires_at"], name="proof_end"),)

    def __str__(self) -> str:
        return f"proof {self.pk}"
