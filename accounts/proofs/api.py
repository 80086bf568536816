"""The REST doors of the owner's proof, for the terminal client."""

from typing import Literal

from django.conf import settings
from django.urls import reverse
from pydantic import BaseModel, Field
from rest_framework.request import Request

from accounts.proofs import actions
from accounts.proofs.actions import Given
from core.actor import Actor
from core.api.input import Strict
from core.api.views import Answer, HubView, NoQuery, operation
from core.text import moment

TAG = "Owner's proof"
A_PERSON = "A person signed in to the pages asks, or the CSRF token of the session is missing"


class PasswordIn(Strict):
    """The owner's password, as he typed it."""

    password: str = Field(min_length=1, max_length=1024)


class SecretIn(Strict):
    """What came with the request for approval."""

    secret: str = Field(min_length=1, max_length=128, pattern=r"^[\x21-\x7e]+$", examples=["ts-…"])


class ProofOut(BaseModel):
    """An owner's token: as `Authorization: Bearer` it acts as the owner in person under /api/, and nowhere else."""

    token: str = Field(description="Shown this once; keep it in memory", examples=["to-…"])
    expires_at: str


class ApprovalOut(BaseModel):
    """A request that waits for the owner's word in a browser."""

    code: str = Field(description="What the page shows too", examples=["WDJB-MJHT"])
    secret: str = Field(description="Fetches the token; opens no door", examples=["ts-…"])
    address: str = Field(description="Where the owner answers", examples=["http://127.0.0.1:8760/approve/?code=WDJB-MJHT"])
    expires_at: str


class WaitingOut(BaseModel):
    """No answer yet; ask again in some seconds."""

    state: Literal["pending"] = "pending"


class Proof(HubView):
    """Proof by password."""

    @operation(
        "proof_give",
        "Prove by the password that the owner is there",
        tag=TAG,
        description="Asked with a client's own token; tries count as at the sign-in page. The token answered lives five minutes, "
        "and ends with the connection or a new password.",
        body=PasswordIn,
        answers={201: (ProofOut, "The owner's token")},
        refusals={403: f"It is not the owner's password (`wrong_password`). {A_PERSON}"},
    )
    def post(self, request: Request, actor: Actor, query: NoQuery, body: PasswordIn) -> Answer:
        """Look at the password."""
        return 201, _shown(actions.prove(actor, password=body.password, request=request._request))


class Approvals(HubView):
    """Proof in a browser: the request."""

    @operation(
        "proof_ask",
        "Ask the owner to approve in a browser",
        tag=TAG,
        answers={201: (ApprovalOut, "The request waits for five minutes")},
        refusals={403: A_PERSON},
    )
    def post(self, request: Request, actor: Actor, query: NoQuery) -> Answer:
        """Ask."""
        asked = actions.ask(actor)
        return 201, ApprovalOut(
            code=asked.code,
            secret=asked.secret,
            address=f"{settings.TERTULIA_URL}{reverse('approve')}?code={asked.code}",
            expires_at=moment(asked.expires_at),
        )


class Approval(HubView):
    """Proof in a browser: the answer."""

    @operation(
        "proof_fetch",
        "Fetch the owner's token once he approved",
        tag=TAG,
        body=SecretIn,
        answers={200: (ProofOut, "The owner's token, this once"), 202: (WaitingOut, "He has not answered yet")},
        refusals={
            403: f"The owner refused (`proof_refused`). {A_PERSON}",
            404: "No such request, another connection's, fetched already, or past its time",
        },
    )
    def post(self, request: Request, actor: Actor, query: NoQuery, body: SecretIn) -> Answer:
        """Look whether he answered."""
        given = actions.fetch(actor, secret=body.secret)
        return (202, WaitingOut()) if given is None else (200, _shown(given))


def _shown(given: Given) -> ProofOut:
    return ProofOut(token=given.token, expires_at=moment(given.expires_at))
