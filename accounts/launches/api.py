"""The REST doors of launches, for their launchers. What their owner sees of them is told by the apps above."""

from drf_spectacular.utils import OpenApiParameter
from pydantic import BaseModel, Field
from rest_framework.request import Request

from accounts.launches import actions
from accounts.launches.credentials import HEADER, actor_of_launch
from accounts.launches.values import LaunchEndIn, LaunchIn, PaneState
from accounts.models import Launch
from core.actor import Actor
from core.api.views import Answer, HubView, NoQuery, operation
from core.text import moment

TAG = "Launches"
KEY = OpenApiParameter(
    "key", {"type": "string", "pattern": "^l-[0-9a-f]{16}$"}, location="path", description="As the launcher made it"
)
CREDENTIAL = OpenApiParameter(
    "Tertulia-Launch", str, location="header", required=True, description="The launch's credential, as it was registered"
)


class LaunchOut(BaseModel):
    """One agent that `tertulia launch` started."""

    key: str = Field(examples=["l-0123456789abcdef"])
    connection_id: str = Field(examples=["c-0123456789abcdef"])
    profile: str = Field(examples=["lead"])
    harness: str = Field(examples=["claude"])
    harness_version: str = Field(examples=["2.1.332"])
    command: str = Field(examples=["claude"])
    host: str = Field(examples=["desk"])
    platform: str = Field(examples=["linux"])
    pid: int = Field(examples=[4242])
    verified: bool = Field(description="Whether it can be told from any other process; else it gets no chat")
    multiplexer: str = Field(examples=["tmux"])
    multiplexer_version: str = Field(examples=["3.3a"])
    multiplexer_session: str
    pane: str = Field(examples=["%3"])
    pane_state: PaneState = Field(description="As the hub believes it: a pane belongs to the launch that claimed it first")
    wakeable: bool
    note: str
    started_at: str
    seen_at: str = Field(description="When its launcher told of it last")
    ended_at: str | None
    end_reason: str
    exit_status: int | None


class Registration(HubView):
    """New launches."""

    @operation(
        "launches_register",
        "Register a launch",
        tag=TAG,
        description="For `tertulia launch`, with its connection's token. Sent again with the same key and credential, what is "
        "new is kept, and a launch that the hub took for gone goes on; its pid and start token never change.",
        body=LaunchIn,
        answers={201: (LaunchOut, "It is registered"), 200: (LaunchOut, "It was registered before; what is new is kept")},
        refusals={
            403: "A person asks, or the CSRF token of a session is missing",
            409: "The key or the credential is another launch's, or names another process",
            410: "This launch has ended",
        },
    )
    def post(self, request: Request, actor: Actor, query: NoQuery, body: LaunchIn) -> Answer:
        """Keep it."""
        launch, is_new = actions.register(actor, told=body)
        return 201 if is_new else 200, launch_out(launch)


class End(HubView):
    """The end of one launch."""

    @operation(
        "launches_end",
        "Say that a launch has ended",
        tag=TAG,
        path=[KEY, CREDENTIAL],
        body=LaunchEndIn,
        answers={200: (LaunchOut, "The launch, ended")},
        refusals={
            403: "The CSRF token of a session is missing",
            404: "No such launch, another credential than its own, or another connection",
            410: "It has ended before",
        },
    )
    def post(self, request: Request, actor: Actor, query: NoQuery, body: LaunchEndIn, key: str) -> Answer:
        """The deed; the header alone says which launch it is, and the address must fit."""
        launched = actor_of_launch(actor, request.headers.get(HEADER), key=key)
        return 200, launch_out(actions.end(launched, exit_status=body.exit_status, reason=body.reason))


def launch_out(launch: Launch) -> LaunchOut:
    """One launch for the wire; nothing of its credential or start token."""
    plain = {name: getattr(launch, name) for name in LaunchOut.model_fields if name not in _SHAPED}
    return LaunchOut(
        **plain,
        verified=launch.is_verified,
        started_at=moment(launch.started_at),
        seen_at=moment(launch.seen_at),
        ended_at=moment(launch.ended_at) if launch.ended_at else None,
    )


_SHAPED = {"verified", "started_at", "seen_at", "ended_at"}
