"""Push servers that nobody here wrote, heard by the hub's listener and called by its runs, as an owner sets them up."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any
from urllib.parse import urlsplit

import pytest

from e2e.browser import Browser
from e2e.fake_model import Model, Obedient, serving
from e2e.hub import Hub, Peer, running
from e2e.pushing import PushOwner, eventually, everything, everything_argv
from e2e.sdk_push_server import Signing, ringing

SETTING_UP = """
from core.actor import operator
from sessions_app.models import SessionSettings
from sessions_app.runners import actions
from sessions_app.runners.drafts import AgentDraft, ProviderDraft
held = actions.save_provider(operator(1), ProviderDraft(name="scripted", base_url="{url}/v1", key="sk-fake"))
actions.save_agent(operator(1), AgentDraft(slug="caller", runner="model", provider=held.pk, model="m-1", tools=("*",)))
SessionSettings.objects.update(turns=0)
"""
TRANSPORTS = ("stdio", "sse", "streamableHttp")
KINDS = {"stdio": "stdio", "sse": "sse", "streamableHttp": "http"}


@pytest.fixture(scope="module")
def model() -> Iterator[Model]:
    """The scripted model of the hub's agent."""
    with serving([], Obedient) as held:
        yield held


@pytest.fixture(scope="module")
def push_hub(tmp_path_factory: pytest.TempPathFactory, model: Model) -> Iterator[Hub]:
    """A hub that may call this machine, with an agent whose model is scripted."""
    with running(tmp_path_factory.mktemp("push") / "data", "daphne", TERTULIA_PRIVATE_ADDRESSES="true") as hub:
        hub.manage("shell", "-c", SETTING_UP.format(url=model.url))
        yield hub


@pytest.fixture(scope="module")
def owner(push_hub: Hub) -> Iterator[PushOwner]:
    """The owner at his pages."""
    browser = Browser()
    yield PushOwner(push_hub, browser)
    browser.close()


@pytest.fixture(scope="module")
def asker(push_hub: Hub) -> Iterator[Peer]:
    """The agent that asks the hub's own."""
    peer = Peer(push_hub, "asker")
    yield peer
    peer.close()


def called(asker: Peer, tool: str, **arguments: Any) -> str:
    """What a tool answered the hub's agent in a run of its own."""
    told = f"use {tool} {json.dumps(arguments)}"
    said = asker.call("sessions_send", sessionKey="agent:caller:main", message=told, timeoutSeconds=60)
    return str(said.data.get("reply", said.text))


@pytest.mark.parametrize("kind", TRANSPORTS)
def test_everything_is_listened_to_and_called(owner: PushOwner, asker: Peer, kind: str) -> None:
    name = f"everything-{kind.lower()}"
    with ExitStack() as stack:
        target: dict[str, Any] = (
            {"command": everything_argv()} if kind == "stdio" else {"url": stack.enter_context(everything(kind))}
        )
        owner.add({"name": name, "transport": KINDS[kind], **target})
        owner.until(name, "listening")
        eventually(lambda: owner.server(name)["tools"] >= 10, "its tools")
        assert "2 and 3" in called(asker, f"{name}__get-sum", a=2, b=3)
        assert "Echo: hello" in called(asker, f"{name}__echo", message="hello")
        print(json.dumps([owner.server(name), owner.messages(name)[:3]], indent=1))


def test_a_server_that_goes_and_comes_again_is_heard_again(owner: PushOwner) -> None:
    with ExitStack() as stack:
        url = stack.enter_context(everything("streamableHttp"))
        owner.add({"name": "comes-again", "transport": "http", "url": url})
        owner.until("comes-again", "listening")
    owner.until("comes-again", "failed")
    with everything("streamableHttp", port=urlsplit(url).port):
        owner.until("comes-again", "listening")


@pytest.mark.parametrize("era", ["older", "newer"])
def test_what_a_server_of_the_python_sdk_pushes_is_in_the_inbox(owner: PushOwner, asker: Peer, era: str) -> None:
    name = f"bell-{era}"
    with ringing(newer=era == "newer") as url:
        owner.add({"name": name, "transport": "http", "url": url})
        owner.until(name, "listening")
        eventually(lambda: owner.server(name)["tools"] == 1, "its tool")
        assert "rang: dinner" in called(asker, f"{name}__ring", text="dinner")
        (heard, *more) = eventually(lambda: owner.messages(name), "what it rang")
        print(json.dumps([heard, more], indent=1))
        told = (heard["channel"], heard["preview"])
        assert told == (("alerts", "dinner") if era == "older" else ("resources/list_changed", heard["preview"]))


def test_a_server_that_wants_a_sign_in_is_signed_in_to_and_stays_so(push_hub: Hub, owner: PushOwner, asker: Peer) -> None:
    signing = Signing(seconds=33)
    with ringing(signing=signing) as url:
        owner.add({"name": "locked", "transport": "http", "url": url})
        assert owner.until("locked", "sign_in")["reason"] == "The server wants you to sign in."
        owner.sign_in("locked")
        owner.until("locked", "listening")
        eventually(lambda: owner.server("locked")["tools"] == 1, "its tool")
        assert "rang: dinner" in called(asker, "locked__ring", text="dinner")
        eventually(lambda: signing.seconds and called(asker, "locked__ring", text="again") and signing.renewals, "a renewal")
        assert [each["preview"] for each in owner.messages("locked")][:2] == ["dinner", "again"]
        signing.forget()
        owner.restart("locked")
        owner.until("locked", "sign_in")
        owner.sign_in("locked")
        owner.until("locked", "listening")
    assert push_hub.command is not None
    log = push_hub.command.so_far()
    assert log and len(signing.issued) >= 6 and not [each for each in signing.issued if each in log]
