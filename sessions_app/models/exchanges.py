"""One message from session to session with what follows of it, and the chain that all of it belongs to."""

from typing import Any, ClassVar

from django.db import models

from accounts.models import Account
from sessions_app.models.sessions import Session
from sessions_app.querysets import OwnersQuerySet, SessionQuerySet


class Chain(models.Model):
    """Every run that one first message led to, over any cycle. `state`: open, asked (the budget is used up and the owner is
    asked), ended (by the owner: nothing more starts)."""

    OPEN, ASKED, ENDED = "open", "asked", "ended"

    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="chains")
    runs_begun = models.PositiveIntegerField(default=0)
    budget = models.PositiveIntegerField()
    state = models.CharField(max_length=5, default=OPEN)
    created_at = models.DateTimeField()
    asked_at = models.DateTimeField(null=True, blank=True)

    objects: ClassVar[Any] = OwnersQuerySet.as_manager()

    class Meta:
        ordering = ("-id",)
        indexes = (models.Index(fields=["account"], condition=models.Q(state="asked"), name="chain_asked"),)

    def __str__(self) -> str:
        return f"chain {self.pk}"


class Exchange(models.Model):
    """A message sent into a session: first the target answers, then the reply loop, then the announce step in the target.

    `step`: sent, replying, announcing, done. `inline_at`: the requester got the first reply as the answer of its call, so it
    is not given it again. `waits_until`: until when the requester waits in its call. `silent`: no loop and no announcement,
    for a message back to the one whose own message is being answered.
    """

    SENT, REPLYING, ANNOUNCING, DONE = "sent", "replying", "announcing", "done"

    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="+")
    chain = models.ForeignKey(Chain, on_delete=models.CASCADE, related_name="exchanges")
    requester = models.ForeignKey(Session, null=True, blank=True, on_delete=models.CASCADE, related_name="sent")
    target = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="received")
    message = models.TextField()
    first_reply = models.TextField(blank=True)
    latest_reply = models.TextField(blank=True)
    step = models.CharField(max_length=10, default=SENT)
    turn = models.PositiveSmallIntegerField(default=0)
    turns = models.PositiveSmallIntegerField(default=0)
    silent = models.BooleanField(default=False)
    waits_until = models.DateTimeField(null=True, blank=True)
    inline_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)

    objects: ClassVar[Any] = SessionQuerySet.as_manager()

    class Meta:
        ordering = ("-id",)
        indexes = (
            models.Index(fields=["requester", "waits_until"], condition=~models.Q(waits_until=None), name="exchange_waits"),
        )

    def __str__(self) -> str:
        return f"exchange {self.pk}"
