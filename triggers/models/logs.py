"""What listeners said of push servers."""

from typing import Any, ClassVar

from django.db import models

from accounts.models import Account
from triggers.models.servers import PushServer
from triggers.querysets import OwnersQuerySet


class ServerLine(models.Model):
    """One line of a push server's log: the state it came to, and why. Only the newest lines of a server are kept."""

    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="+", db_index=False)
    server = models.ForeignKey(PushServer, on_delete=models.CASCADE, related_name="lines", db_index=False)
    at = models.DateTimeField()
    state = models.CharField(max_length=12, blank=True)
    said = models.CharField(max_length=300, blank=True)

    objects: ClassVar[Any] = OwnersQuerySet.as_manager()

    class Meta:
        ordering = ("-id",)
        indexes = (
            models.Index(fields=["server", "-id"], name="server_line_newest"),
            models.Index(fields=["account"], name="server_line_account"),
        )

    def __str__(self) -> str:
        return f"line {self.pk}"
