"""Reads of the audit log that depend on the asker."""

from typing import Any, NoReturn, Self

from django.db import models

from core.actor import Actor


class EntryQuerySet(models.QuerySet[Any]):
    """Staff and the hub see all, an owner the entries of his account, an agent none."""

    def visible_to(self, actor: Actor) -> Self:
        """The entries this actor may read."""
        if actor.is_staff or actor.is_system:
            return self
        if actor.is_agent or actor.account_id is None:
            return self.none()
        return self.filter(account_id=actor.account_id)

    def update(self, **kwargs: Any) -> NoReturn:
        """Refused: the log only grows."""
        from audit.models import AppendOnly

        raise AppendOnly("Audit entries are never changed.")

    def delete(self) -> NoReturn:
        """Refused: the log only grows."""
        from audit.models import AppendOnly

        raise AppendOnly("Audit entries are never deleted.")
