"""The MCP door knows the launch of a call by the credential that its launcher sends along, and by nothing else."""

from typing import Any

import httpx2
import pytest

from accounts import actions as accounts
from accounts.launches import actions, credentials
from accounts.launches.news import launch_key
from chat.grants import actions as grants
from chat.models import ChatSettings, Grant, Message
from core import clock, news
from core.errors import DomainError
from tests import make
from tests.asgi import client, hub, run, sync
from tests.launches.launcher import Launcher, registered
from tests.mcp.wire import call, message, modern, post, request


async def ask(app: Any, launcher: Launcher, body: Any, credential: str | None = None, **more: str) -> httpx2.Response:
    """One request as the launcher relays it."""
    given = {"tertulia-launch": credential or launcher.body["credential"], **more}
    async with client(app, launcher.caller.token, **given) as http:
        return await post(http, body)


def asked(launcher: Launcher, body: Any, credential: str | None = None, **more: str) -> httpx2.Response:
    async def scene() -> httpx2.Response:
        async with hub() as app:
            return await ask(app, launcher, body, credential, **more)

    return run(scene())


def listed(launcher: Launcher) -> set[str]:
    """The names of the tools that the launch sees."""
    return {tool["name"] for tool in asked(launcher, request("tools/list")).json()["result"]["tools"]}


def is_unknown(answer: httpx2.Response) -> bool:
    error = answer.json()["error"]
    return answer.status_code == 403 and error["data"] == {"error": "launch_unknown"} and error["message"].endswith(".")


@pytest.mark.parametrize("era", ["old", "new"])
def test_a_granted_launch_posts_under_its_handle_whatever_it_says(alice: make.Person, era: str) -> None:
    launcher = registered(alice)
    make.granted(alice, launch_=launcher.launch)
    arguments = {"name": "chat_post", "arguments": {"body": "hello", "session_name": "somebody"}}
    body, headers = (request("tools/call", arguments), {}) if era == "old" else modern("tools/call", arguments)
    assert "error" not in message(asked(launcher, body, **headers))
    posted = Message.objects.get()
    assert (posted.handle, posted.session_name, posted.author) == ("lead", "lead", f"launch:{launcher.launch.pk}")


def test_the_same_connection_without_the_credential_is_no_launch(alice: make.Person) -> None:
    launcher = registered(alice)
    make.granted(alice, launch_=launcher.launch)

    async def scene() -> None:
        async with hub() as app, client(app, launcher.caller.token) as http:
            await post(http, call("chat_post", {"body": "hello", "session_name": "lead"}))

    run(scene())
    assert (Message.objects.get().handle, Message.objects.get().author) == ("", launcher.connection.pk)


def test_a_call_without_the_header_is_not_asked_for_a_launch(alice: make.Person, monkeypatch: pytest.MonkeyPatch) -> None:
    async def never(*_: Any) -> None:
        pytest.fail("it was looked up")

    monkeypatch.setattr("project.mcp.door.with_launch", never)
    token = make.token(alice)

    async def scene() -> int:
        async with hub() as app, client(app, token) as http:
            return (await post(http, request("tools/list"))).status_code

    assert run(scene()) == 200


@pytest.mark.parametrize("credential", ["", " ", "x", "x" * 43, "x" * 129, "x" * 9000])
@pytest.mark.parametrize("method", ["tools/list", "initialize", "ping"])
def test_a_credential_that_is_none_is_refused_at_every_method(alice: make.Person, credential: str, method: str) -> None:
    assert is_unknown(asked(registered(alice), request(method), credential or " "))


def test_a_launch_that_has_ended_is_told_so(alice: make.Person) -> None:
    launcher = registered(alice)
    launcher.end()
    news.board.ring([launch_key(launcher.launch.pk)])  # as the commit does
    answer = asked(launcher, request("tools/list"))
    assert answer.status_code == 403 and answer.json()["error"]["data"] == {"error": "launch_ended"}


def test_memory_answers_for_five_seconds_and_forgets_a_launch_that_ends_at_once(
    alice: make.Person, django_assert_num_queries: Any
) -> None:
    launcher = registered(alice)
    actor = make.agent(alice, connection_=launcher.connection)
    launch = launcher.launch

    def look() -> int | None:
        async def scene() -> int | None:
            return (await credentials.with_launch(actor, launcher.body["credential"])).launch_id

        return run(scene())

    with django_assert_num_queries(1):
        assert look() == look() == launch.pk
    actions.end(make.launched(alice, launch))
    news.board.ring([launch_key(launch.pk)])
    with pytest.raises(DomainError) as refusal:
        look()
    assert refusal.value.code == "launch_ended"


def test_a_body_that_was_long_in_coming_is_judged_by_what_its_launch_is_now(
    alice: make.Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    launcher = registered(alice)
    monkeypatch.setattr("project.mcp.door.STALE_SECONDS", -1)
    real, calls = credentials.with_launch, []

    async def ending(actor: Any, credential: str | None) -> Any:
        calls.append(credential)
        if len(calls) == 2:
            sync(lambda: actions.end(make.launched(alice, launcher.launch)))
            credentials.memory.forget(lambda _: True)
        return await real(actor, credential)

    monkeypatch.setattr("project.mcp.door.with_launch", ending)
    assert asked(launcher, call("chat_post", {"body": "x", "session_name": "a"})).status_code == 403
    assert not Message.objects.exists()


def chat_tools(launcher: Launcher) -> set[str]:
    return {name for name in listed(launcher) if name.startswith("chat_")}


@pytest.mark.parametrize("access", ["every", "granted"])
def test_t_10_a_launch_that_cannot_be_verified_never_gets_chat_tools_not_even_after_a_grant(
    alice: make.Person, access: str
) -> None:
    ChatSettings.objects.filter(account=alice.account).update(access=access)
    launcher = registered(alice, start_token="")
    assert chat_tools(launcher) == set()
    with pytest.raises(DomainError):
        grants.grant(alice.actor, launch_key=launcher.body["key"], typed="lead")
    assert not Grant.objects.exists() and chat_tools(launcher) == set()
    launch = launcher.launch
    Grant.objects.create(account=alice.account, launch=launch, handle="lead", granted_at=clock.now(), granted_by=alice.user.pk)
    assert chat_tools(launcher) == set(), "not even where a row says so"
    answer = message(asked(launcher, call("chat_post", {"body": "x", "session_name": "lead"})))
    assert answer["result"]["isError"] is True and not Message.objects.exists()


def test_a_verified_launch_sees_the_tools_once_it_is_granted(alice: make.Person) -> None:
    ChatSettings.objects.filter(account=alice.account).update(access="granted")
    launcher = registered(alice)
    assert chat_tools(launcher) == set()
    grants.grant(alice.actor, launch_key=launcher.body["key"], typed="lead")
    assert {"chat_post", "chat_read", "chat_wait"} <= chat_tools(launcher)


def test_t_09_calls_of_a_launch_whose_pane_was_replaced_are_refused(alice: make.Person) -> None:
    launcher = registered(alice)
    make.granted(alice, launch_=launcher.launch)
    actions.beat(make.launched(alice, launcher.launch), pane_state="replaced")
    answer = message(asked(launcher, call("chat_post", {"body": "x"})))
    assert answer["result"]["isError"] is True
    assert not Message.objects.exists() and chat_tools(launcher) == set()


def test_a_credential_opens_nothing_without_its_token(alice: make.Person) -> None:
    launcher = registered(alice)
    accounts.revoke_connection(alice.actor, connection_id=launcher.connection.pk)
    launcher.caller.token = launcher.body["credential"]
    assert asked(launcher, request("tools/list")).status_code == 401
