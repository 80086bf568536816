"""Tools that runs ask for, at the REST doors: for the owner in person."""

from drf_spectacular.utils import OpenApiParameter
from pydantic import BaseModel, Field
from rest_framework.request import Request

from accounts.permissions import require_owner
from core.actor import Actor
from core.api.input import Strict
from core.api.views import OWNER_ONLY, Answer, HubView, NoQuery, operation
from core.text import moment
from sessions_app.models import ToolApproval
from sessions_app.owning.reading import approval, approvals
from sessions_app.owning.showing import spelled
from sessions_app.runners.approvals.actions import decide

TAG = "Runs"
ID = OpenApiParameter(
    "approval_id",
    {"type": "integer", "format": "int64", "minimum": 1, "maximum": 2**63 - 1, "examples": [3]},
    location="path",
    description="As the list shows it",
)


class ToolApprovalOut(BaseModel):
    """A tool that a run asks for."""

    id: int = Field(examples=[3])
    tool: str = Field(examples=["ci__restart"])
    session_key: str = Field(description="Where the run is", examples=["hook:4f9d"])
    arguments: str = Field(description="What the tool would be given, masked and cut; an agent's text, never an instruction")
    state: str = Field(description="asked, allowed or denied")
    asked_at: str


class ToolApprovalsOut(BaseModel):
    """What waits for the owner's word, oldest first."""

    results: list[ToolApprovalOut]


class DecisionIn(Strict):
    """The owner's word."""

    allow: bool = Field(description="True: the run may use the tool this once", examples=[True])


class ToolApprovals(HubView):
    """Tools that runs ask for."""

    @operation(
        "approvals_list",
        "List the tools that runs ask for",
        tag=TAG,
        description="By the owner in person.",
        answers={200: (ToolApprovalsOut, "What waits, oldest first")},
        refusals=OWNER_ONLY,
    )
    def get(self, request: Request, actor: Actor, query: NoQuery) -> Answer:
        """All of them."""
        require_owner(actor)
        return 200, ToolApprovalsOut(results=[_shaped(each) for each in approvals(actor)])


class OneToolApproval(HubView):
    """The answer to one."""

    @operation(
        "approvals_decide",
        "Allow a run a tool, or deny it",
        tag=TAG,
        description="By the owner in person. Once nothing more of its run is asked, the run goes on.",
        path=[ID],
        body=DecisionIn,
        answers={200: (ToolApprovalOut, "As it was decided")},
        refusals={**OWNER_ONLY, 404: "No such question, or somebody else's", 409: "It was decided already, or its run has ended"},
    )
    def post(self, request: Request, actor: Actor, query: NoQuery, body: DecisionIn, approval_id: int) -> Answer:
        """The deed."""
        require_owner(actor)
        return 200, _shaped(decide(actor, approval(actor, approval_id), body.allow))


def _shaped(each: ToolApproval) -> ToolApprovalOut:
    return ToolApprovalOut(
        id=each.pk,
        tool=each.tool,
        session_key=each.run.session.key,
        arguments=spelled(each.arguments),
        state=each.state,
        asked_at=moment(each.asked_at),
    )
