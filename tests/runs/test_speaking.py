"""The token by which a run's agent comes back to the hub: as its session, with its tools, and dead with the run."""

from typing import Any

import httpx2
import pytest

from accounts import bearer
from accounts.actions import revoke_connection
from accounts.models import Connection
from core.actor import Door, system
from core.errors import Unauthenticated
from sessions_app.finding.actions import own_session
from sessions_app.models import Run, SessionSettings
from sessions_app.runners import actions as agents
from sessions_app.runners.drafts import AgentDraft
from sessions_app.runs import actions, sweeping
from sessions_app.values import Asked, Outcome
from tests import asgi, make
from tests.clock import Clock
from tests.mcp import wire


def begun(who: make.Person, key: str = "main", **more: object) -> Run:
    make.hub_agent(who)
    return actions.begin(who.actor, make.session(who, key, **more), Asked(message="hello", purpose=Run.OWNER))


def taken(run: Run) -> tuple[Run, str]:
    claimed = actions.claim(run.pk, worker="w", with_credential=True)
    assert claimed is not None
    return claimed


def ended(run: Run) -> None:
    actions.finish(system(), run.pk, run.lease, Outcome(state="ok", reply="done"))


def test_it_is_its_session_by_a_connection_that_the_owner_sees(alice: make.Person) -> None:
    run, token = taken(begun(alice))
    actor = bearer.authenticate(token).actor(Door.MCP)
    assert actor.account_id == alice.account.pk and actor.session_id == run.session_id
    assert own_session(actor).key == "agent:main:main"
    assert actor.session_name == "agent:main:main"
    assert Connection.objects.get(pk=actor.connection_id).client_name == "Hub sessions"


def test_all_runs_of_an_account_share_one_connection(alice: make.Person, bob: make.Person) -> None:
    for key in ("main", "agent:main:other"):
        run, _ = taken(begun(alice, key))
        ended(run)
    taken(begun(bob))
    assert Connection.objects.filter(account=alice.account).count() == 1
    assert Connection.objects.filter(account=bob.account).count() == 1


def test_it_is_dead_when_its_run_has_ended(alice: make.Person, django_capture_on_commit_callbacks: Any) -> None:
    run, token = taken(begun(alice))
    assert bearer.authenticate(token)
    with django_capture_on_commit_callbacks(execute=True):
        ended(run)
    with pytest.raises(Unauthenticated):
        bearer.authenticate(token)


def test_it_is_dead_with_a_lease_that_ran_out_and_when_another_takes_the_run(alice: make.Person, clock: Clock) -> None:
    run, first = taken(begun(alice))
    clock.forward(seconds=31)
    with pytest.raises(Unauthenticated):
        bearer.cache.clear()
        bearer.authenticate(first)
    assert sweeping.recover(system()) == 1
    _, second = taken(run)
    assert first != second
    with pytest.raises(Unauthenticated):
        bearer.authenticate(first)


def test_no_run_speaks_once_the_owner_has_revoked_the_connection(
    alice: make.Person, django_capture_on_commit_callbacks: Any
) -> None:
    run, token = taken(begun(alice))
    connection = bearer.authenticate(token).connection_id
    with django_capture_on_commit_callbacks(execute=True):
        revoke_connection(alice.actor, connection_id=connection)
    with pytest.raises(Unauthenticated):
        bearer.authenticate(token)
    ended(run)
    _, again = taken(begun(alice, "agent:main:other"))
    with pytest.raises(Unauthenticated):
        bearer.authenticate(again)
    agents.save_agent(alice.actor, AgentDraft(slug="other"))
    _, anew = taken(begun(alice, "agent:main:third"))
    assert bearer.authenticate(anew).connection_id != connection


@pytest.mark.parametrize("token", ["tr-", "tr-guessed", "tr-" + "x" * 43])
def test_what_nobody_gave_out_opens_nothing(alice: make.Person, token: str) -> None:
    taken(begun(alice))
    with pytest.raises(Unauthenticated):
        bearer.authenticate(token)


def test_nor_does_the_token_of_an_owner_who_was_shut_out(alice: make.Person) -> None:
    _, token = taken(begun(alice))
    alice.user.is_active = False
    alice.user.save()
    with pytest.raises(Unauthenticated):
        bearer.authenticate(token)


@pytest.mark.parametrize("door", [Door.API, Door.WEBSOCKET])
def test_it_opens_the_door_of_mcp_alone(alice: make.Person, door: Door) -> None:
    _, token = taken(begun(alice))
    with pytest.raises(Unauthenticated):
        bearer.authenticate(token).actor(door)


def test_a_claim_without_a_token_makes_no_connection(alice: make.Person) -> None:
    assert actions.claim(begun(alice).pk, worker="w") is not None
    assert SessionSettings.objects.get(pk=alice.account.pk).hub_connection is None


async def tools_of(http: httpx2.AsyncClient) -> list[str]:
    body, headers = wire.modern("tools/list")
    answer = await http.post("/mcp", json=body, headers=headers)
    return [each["name"] for each in wire.message(answer)["result"]["tools"]]


async def called(http: httpx2.AsyncClient, name: str, **arguments: object) -> dict[str, Any]:
    body, headers = wire.modern("tools/call", {"name": name, "arguments": arguments})
    answer = await http.post("/mcp", json=body, headers=headers)
    result: dict[str, Any] = wire.message(answer)["result"]
    return result


def test_over_mcp_it_sees_and_calls_the_tools_of_its_whitelist_alone(alice: make.Person) -> None:
    make.hub_agent(alice, tools=["chat_read"])
    run = actions.begin(alice.actor, make.session(alice), Asked(message="hello", purpose=Run.OWNER))
    _, token = taken(run)

    async def body() -> None:
        async with asgi.hub() as app, asgi.client(app, token) as http:
            assert await tools_of(http) == ["chat_read"]
            assert (await called(http, "chat_post", body="x", session_name="y"))["isError"]
            assert not (await called(http, "chat_read")).get("isError")

    asgi.run(body())


def test_it_posts_in_the_chat_under_its_sessions_key_whatever_it_says(alice: make.Person) -> None:
    from chat.models import Message

    key = "agent:main:group:" + "x" * 80
    _, token = taken(begun(alice, key))

    async def body() -> None:
        async with asgi.hub() as app, asgi.client(app, token) as http:
            assert not (await called(http, "chat_post", body="hello", session_name="maintainer")).get("isError")
            assert not (await called(http, "chat_post", body="again")).get("isError")

    asgi.run(body())
    assert set(Message.objects.values_list("session_name", flat=True)) == {key[:64]}


def test_a_sub_agent_sees_no_tools_of_sessions(alice: make.Person) -> None:
    _, token = taken(begun(alice, "agent:main:subagent:x", spawn_depth=1))

    async def body() -> None:
        async with asgi.hub() as app, asgi.client(app, token) as http:
            names = await tools_of(http)
            assert "chat_read" in names and not [name for name in names if name.startswith(("session", "subagents", "agents"))]

    asgi.run(body())
