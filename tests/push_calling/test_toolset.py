"""Runs are offered the tools of push servers, and call them over each transport."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from core.errors import DomainError, Invalid
from sessions_app.models import Run
from sessions_app.runners.toolsets import OfferedTool, offered_to
from tests import make
from tests.asgi import run as running
from tests.asgi import sync
from tests.clock import Clock
from tests.push_calling import sdk_server
from tests.push_calling.sdk_server import Served
from tests.pushing import server
from tests.runners.playing import asked
from triggers.calling import actions, toolset
from triggers.models import PushServer, ToolCall

pytestmark = pytest.mark.django_db(transaction=True)
LISTED = [
    {"name": each, "description": f"{each}.", "inputSchema": {"type": "object"}} for each in ("add", "fail", "picture", "flood")
]
MORE = [{"name": each} for each in ("environment", "leave", "headers")]


@pytest.fixture
def owner(db: None) -> make.Person:
    return make.person("dora@example.org", may_run_commands=True)


@pytest.fixture
def run(owner: make.Person) -> Run:
    return asked(owner)


@pytest.fixture(params=["http", "sse", "stdio"])
def held(request: pytest.FixtureRequest, owner: make.Person) -> Iterator[PushServer]:
    with ExitStack() as stack:
        yield workshop(owner, request.param, stack)[0]


@pytest.fixture
def workshop_http(owner: make.Person) -> Iterator[tuple[PushServer, Served]]:
    with ExitStack() as stack:
        made, served = workshop(owner, "http", stack)
        assert served is not None
        yield made, served


def workshop(owner: make.Person, transport: str, stack: ExitStack) -> tuple[PushServer, Served | None]:
    tools = [*LISTED, *MORE]
    if transport == "stdio":
        return server(owner, "workshop", transport="stdio", url="", argv=sdk_server.ARGV, tools=tools), None
    served = stack.enter_context(sdk_server.serving(transport))
    return server(owner, "workshop", transport=transport, url=served.url, tools=tools), served


def tools(run: Run) -> dict[str, OfferedTool]:
    return {each.name: each for each in offered_to(run)}


def call(run: Run, name: str, **arguments: Any) -> str:
    return running(tools(run)[f"workshop__{name}"].call(arguments), seconds=60)


def refused(work: Callable[[], Any]) -> str:
    with pytest.raises(DomainError) as error:
        work()
    return error.value.detail


def test_a_tool_is_called_and_answers(run: Run, held: PushServer) -> None:
    assert call(run, "add", a=2, b=3) == "2 and 3 are 5"


def test_a_failure_of_the_tool_is_told_to_the_model(run: Run, held: PushServer) -> None:
    assert "no hammer" in refused(lambda: call(run, "fail", why="no hammer"))


def test_calls_of_one_run_share_a_connection(run: Run, held: PushServer) -> None:
    async def two() -> tuple[str, str]:
        offered = tools_of(run)
        return await offered["workshop__add"].call({"a": 1, "b": 1}), await offered["workshop__environment"].call({})

    def tools_of(run: Run) -> dict[str, OfferedTool]:
        return offered

    offered = tools(run)
    assert running(two(), seconds=60)[0] == "1 and 1 are 2"


def test_each_call_is_noted_with_its_run_and_chain(run: Run, held: PushServer) -> None:
    call(run, "add", a=1, b=1)
    refused(lambda: call(run, "fail", why="x"))
    noted = ToolCall.objects.values_list("account_id", "server_id", "run_id", "chain_id", "ended_at")
    assert [each[:4] for each in noted] == [(run.account_id, held.pk, run.pk, run.chain_id)] * 2
    assert all(each[4] is not None for each in noted)


def test_a_program_sees_little_and_dies_with_the_run(run: Run, owner: make.Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERTULIA_SECRET", "x")
    with ExitStack() as stack:
        workshop(owner, "stdio", stack)
        pid, *names = call(run, "environment").split()
    assert "TERTULIA_SECRET" not in names and "PATH" in names
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid), 0)


def test_a_program_that_ends_in_a_call_is_told_and_started_anew(run: Run, owner: make.Person) -> None:
    async def story() -> tuple[str, str]:
        try:
            await offered["workshop__leave"].call({})
        except Invalid as refusal:
            return refusal.detail, await offered["workshop__add"].call({"a": 1, "b": 2})
        raise AssertionError

    with ExitStack() as stack:
        workshop(owner, "stdio", stack)
        offered = tools(run)
        assert running(story(), seconds=60) == (
            "The push server workshop could not be reached; try again later, or do without it.",
            "1 and 2 are 3",
        )


def test_a_program_needs_leave_to_run_commands(run: Run, owner: make.Person) -> None:
    owner.user.may_run_commands = False
    owner.user.save()
    with ExitStack() as stack:
        workshop(owner, "stdio", stack)
        assert "may not run commands" in refused(lambda: call(run, "add", a=1, b=1))


def test_a_program_that_runs_is_called_no_more_once_the_leave_is_taken_away(run: Run, owner: make.Person) -> None:
    def take_away() -> None:
        type(owner.user).objects.filter(pk=owner.user.pk).update(may_run_commands=False)

    async def twice(add: OfferedTool) -> str:
        told = await add.call({"a": 1, "b": 1})
        sync(take_away)
        with pytest.raises(DomainError, match="may not run commands"):
            await add.call({"a": 2, "b": 2})
        return told

    with ExitStack() as stack:
        workshop(owner, "stdio", stack)
        assert running(twice(tools(run)["workshop__add"]), seconds=60) == "1 and 1 are 2"


def test_a_program_that_is_not_there_is_told(run: Run, owner: make.Person) -> None:
    server(owner, "workshop", transport="stdio", url="", argv=["/nowhere/program"], tools=LISTED)
    assert "could not be started" in refused(lambda: call(run, "add", a=1, b=1))


def test_a_server_that_is_off_now_is_not_called(run: Run, workshop_http: tuple[PushServer, Served]) -> None:
    offered = tools(run)
    PushServer.objects.update(enabled=False)
    assert "switched off" in refused(lambda: running(offered["workshop__add"].call({"a": 1, "b": 1})))
    assert tools(run) == {} and not workshop_http[1].shown


def test_a_server_that_does_not_answer_is_told(run: Run, owner: make.Person) -> None:
    server(owner, "workshop", url="http://127.0.0.1:9/mcp", tools=LISTED)
    assert "could not be reached" in refused(lambda: call(run, "add", a=1, b=1))


def test_private_addresses_are_not_called(run: Run, workshop_http: tuple[PushServer, Served], settings: Any) -> None:
    settings.PRIVATE_ADDRESSES = False
    assert "private network" in refused(lambda: call(run, "add", a=1, b=1)) and not workshop_http[1].shown


def test_a_server_that_wants_a_sign_in_says_so_and_what_it_said_is_kept(
    run: Run, workshop_http: tuple[PushServer, Served]
) -> None:
    held, served = workshop_http
    served.refusals = [(401, 'Bearer scope="a"')] * 9
    assert "wants its owner to sign the hub in" in refused(lambda: call(run, "add", a=1, b=1))
    held.refresh_from_db()
    assert held.challenge == 'Bearer scope="a"'


def test_a_server_that_wants_more_says_so(run: Run, workshop_http: tuple[PushServer, Served]) -> None:
    held, served = workshop_http
    served.refusals = [(403, 'Bearer error="insufficient_scope", scope="write"')] * 9
    assert "wants its owner to sign the hub in" in refused(lambda: call(run, "add", a=1, b=1))
    held.refresh_from_db()
    assert "insufficient_scope" in held.challenge


def test_a_picture_is_named_and_a_flood_is_cut(run: Run, workshop_http: tuple[PushServer, Served]) -> None:
    assert call(run, "picture") == "[image, image/png; not shown]"
    said = call(run, "flood", size=40_000)
    assert len(said) < 33_000 and said.endswith("[cut; 7,232 bytes more]")


def test_an_answer_past_all_bounds_ends_the_call(run: Run, workshop_http: tuple[PushServer, Served]) -> None:
    assert "workshop" in refused(lambda: call(run, "flood", size=5_000_000))


def test_a_tool_that_the_server_has_no_more_is_told(
    run: Run, owner: make.Person, workshop_http: tuple[PushServer, Served]
) -> None:
    PushServer.objects.update(tools=[{"name": "gone"}])
    assert "gone" in refused(lambda: call(run, "gone"))


def test_the_owner_of_another_account_is_offered_nothing(charlie: make.Person, workshop_http: Any) -> None:
    assert tools(asked(charlie)) == {}


def test_those_on_the_whitelist_come_first_and_no_more_than_a_provider_takes(run: Run, owner: make.Person) -> None:
    server(owner, "many", tools=[{"name": f"t{each}"} for each in range(120)])
    Run.objects.filter(pk=run.pk).update(tools=["many__t119"])
    run.refresh_from_db()
    found = [each.name for each in toolset.offered(run)]
    assert len(found) == 100 and found[0] == "many__t119"


def test_calls_are_forgotten_after_a_day(run: Run, owner: make.Person, clock: Clock) -> None:
    actions.begin_call(run, server(owner, "lights").pk)
    clock.forward(hours=25)
    actions.begin_call(run, PushServer.objects.get().pk)
    counts: list[int] = []
    forget: Callable[[bool], int] = lambda dry: actions.forget_calls(actor=owner.actor, dry_run=dry, progress=counts.append)  # noqa: E731
    assert (forget(True), forget(False), counts, ToolCall.objects.count()) == (1, 1, [1], 1)


def test_who_is_stopped_in_a_call_leaves_no_open_call(run: Run, workshop_http: tuple[PushServer, Served]) -> None:
    async def stopped(work: Awaitable[str]) -> None:
        task = asyncio.ensure_future(work)
        while not sync(ToolCall.objects.exists):  # noqa: ASYNC110
            await asyncio.sleep(0.001)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    offered = tools(run)["workshop__add"]
    running(stopped(offered.call({"a": 1, "b": 1})))
    assert ToolCall.objects.get().ended_at is not None
