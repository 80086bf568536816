"""Clearing the chat at the REST doors."""

from typing import Annotated

from pydantic import BaseModel, Field
from rest_framework.request import Request

from chat.api.messages import TAG
from chat.clearing import actions
from core.actor import Actor
from core.api.input import Strict
from core.api.views import OWNER_ONLY, Answer, HubView, NoQuery, operation


class RemovedOut(BaseModel):
    """What went."""

    removed: int = Field(description="How many messages")


class PurgeIn(Strict):
    """The word that says it is meant."""

    word: Annotated[str, Field(max_length=32, description="`purge`, as the owner typed it", examples=["purge"])]


class Prune(HubView):
    """What is past its time."""

    @operation(
        "chat_prune",
        "Remove now what is older than it is kept",
        tag=TAG,
        description="By the owner in person; every hour the hub does the same by itself.",
        answers={200: (RemovedOut, "How many went")},
        refusals=OWNER_ONLY,
    )
    def post(self, request: Request, actor: Actor, query: NoQuery) -> Answer:
        """The deed."""
        return 200, RemovedOut(removed=actions.prune_now(actor))


class Purge(HubView):
    """Everything."""

    @operation(
        "chat_purge",
        "Remove every message",
        tag=TAG,
        description="By the owner in person. Nothing of it comes back; numbers go on where they stood.",
        body=PurgeIn,
        answers={200: (RemovedOut, "How many went")},
        refusals=OWNER_ONLY,
    )
    def post(self, request: Request, actor: Actor, query: NoQuery, body: PurgeIn) -> Answer:
        """The deed."""
        return 200, RemovedOut(removed=actions.purge(actor, word=body.word))
