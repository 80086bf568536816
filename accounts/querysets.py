"""Reads of people, accounts and connections that depend on the asker."""

from typing import Any, Self

from django.contrib.auth.base_user import BaseUserManager
from django.db import models

from core.actor import Actor


class UserQuerySet(models.QuerySet[Any]):
    """People."""

    def visible_to(self, actor: Actor) -> Self:
        """All for staff and the hub; else oneself, and none for an agent."""
        if actor.is_staff or actor.is_system:
            return self
        return self.none() if actor.is_agent else self.filter(pk=actor.user_id)


class UserManager(BaseUserManager.from_queryset(UserQuerySet)):  # type: ignore[misc]
    """Users by e-mail, in any case."""

    def get_by_natural_key(self, username: str | None) -> Any:
        """The user who signs in with this e-mail; upper and lower case are the same."""
        return self.get(email__iexact=username)

    def create_user(self, email: str, password: str | None = None, **extra: Any) -> Any:
        """A user with a hashed password (none: cannot sign in)."""
        user = self.model(email=self.normalize_email(email), **extra)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **extra: Any) -> Any:
        """A member of staff with every right of Django's admin."""
        return self.create_user(email, password, is_staff=True, is_superuser=True, **extra)


class OwnedQuerySet(models.QuerySet[Any]):
    """Rows that belong to one account."""

    account_field = "account_id"

    def visible_to(self, actor: Actor) -> Self:
        """All for staff and the hub; else those of the actor's account."""
        if actor.is_staff or actor.is_system:
            return self if actor.account_id is None else self.filter(**{self.account_field: actor.account_id})
        if actor.account_id is None:
            return self.none()
        return self.filter(**{self.account_field: actor.account_id})


class AccountQuerySet(OwnedQuerySet):
    """Accounts; an owner sees his own."""

    account_field = "pk"


class ConnectionQuerySet(OwnedQuerySet):
    """Connections; an agent sees only its own."""

    def visible_to(self, actor: Actor) -> Self:
        """As every owned row, and an agent's token shows no other agent's connection."""
        seen = super().visible_to(actor)
        return seen.filter(pk=actor.connection_id) if actor.is_agent else seen

    def active(self) -> Self:
        """Those not revoked."""
        return self.filter(revoked_at=None)


class LaunchQuerySet(OwnedQuerySet):
    """Launches; an agent that was launched sees its own, another those of its connection."""

    def visible_to(self, actor: Actor) -> Self:
        """As every owned row; to an agent's token no other connection's launches."""
        seen = super().visible_to(actor)
        if not actor.is_agent:
            return seen
        if actor.launch_id is not None:
            return seen.filter(pk=actor.launch_id)
        return seen.filter(connection_id=actor.connection_id)

    def live(self) -> Self:
        """Those that have not ended."""
        return self.filter(ended_at=None)


class LaunchManager(models.Manager.from_queryset(LaunchQuerySet)):  # type: ignore[misc]
    """Launches without their credential, which the agent's door may not read: it is fetched where somebody asks for it."""

    def get_queryset(self) -> LaunchQuerySet:
        """All but the credential."""
        found: LaunchQuerySet = super().get_queryset().defer("credential")
        return found
