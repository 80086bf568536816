"""The audit log: readable without joins, whole after the deletion of whom it speaks of."""

from typing import Any, ClassVar, NoReturn

from django.db import models
from django.utils.translation import gettext_lazy as _

from audit.querysets import EntryQuerySet


class AppendOnly(Exception):
    """Somebody tried to change or delete an entry."""


class Entry(models.Model):
    """One deed: who, through which door, on what, when. Ids and names are copies, not references."""

    at = models.DateTimeField(db_index=True)
    account_id = models.BigIntegerField(null=True, blank=True)
    user_id = models.BigIntegerField(null=True, blank=True)
    who = models.CharField(max_length=254, blank=True)
    door = models.CharField(max_length=16)
    deed = models.CharField(max_length=64)
    connection_id = models.CharField(max_length=18, blank=True)
    target = models.CharField(max_length=128, blank=True)
    target_label = models.CharField(max_length=254, blank=True)
    details = models.JSONField(default=dict, blank=True)

    objects: ClassVar[Any] = EntryQuerySet.as_manager()

    class Meta:
        ordering = ("-id",)
        verbose_name = _("audit entry")
        verbose_name_plural = _("audit log")
        indexes = (models.Index(fields=["account_id", "-id"], name="audit_account_newest"),)

    def __str__(self) -> str:
        return f"{self.deed} {self.target}".strip()

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Insert once; a kept entry is never changed."""
        if self.pk is not None:
            raise AppendOnly("An audit entry is never changed.")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Refused: the log only grows."""
        raise AppendOnly("An audit entry is never deleted.")
