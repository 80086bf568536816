"""The block in the hooks of launches."""

from typing import Any

import pytest

from accounts.launches.news import launch_key
from chat import hooks
from chat.hooks.events import EVENTS
from core import news
from core.actor import Actor
from core.text import byte_length
from tests import make, pushing
from tests.asgi import hub, run, sync
from tests.clock import Clock
from tests.launches.launcher import PROMPT, begun, hear, registered, say
from triggers.inbox.actions import ack, clear
from triggers.models import TriggerSettings
from triggers.telling.block import HEADER

pytestmark = pytest.mark.django_db
PROMPTS = ["UserPromptSubmit", "before_agent_start"]
READS = frozenset({"chat.read", "channels.read"})


@pytest.fixture
def lead(alice: make.Person, clock: Clock) -> Actor:
    return make.granted(alice)


def told(agent: Actor, event: str = "UserPromptSubmit", scopes: frozenset[str] = READS) -> str:
    return hooks.answer(agent.launch_id or 0, event, scopes)


@pytest.mark.parametrize("event", PROMPTS)
def test_c_10_a_prompt_is_told_the_five_newest_of_seven_after_the_chat(alice: make.Person, lead: Actor, event: str) -> None:
    pushing.push_many(alice, 7)
    make.message(alice, "@lead hello")
    chat, block = told(lead, event).split("\n\n")
    assert "hello" in chat and block.startswith(HEADER)
    assert [line[-1] for line in block.splitlines()[2:]] == ["3", "4", "5", "6", "7"]


@pytest.mark.parametrize("event", sorted(set(EVENTS) - set(PROMPTS)))
def test_no_other_event_is_told(alice: make.Person, lead: Actor, event: str) -> None:
    pushing.pushed(alice)
    assert HEADER not in told(lead, event)


def test_a_launch_without_a_grant_is_told_too(alice: make.Person) -> None:
    pushing.pushed(alice)
    assert told(make.launched(alice, make.launch(alice))).startswith(HEADER)


def test_both_digests_keep_within_2048_bytes_each(alice: make.Person, lead: Actor) -> None:
    pushing.push_many(alice, 5)
    for place in range(15):
        make.message(alice, f"@lead number {place} " + "€" * 100)
        pushing.pushed(alice, "€" * 5000)
    chat, block = told(lead).split(f"\n\n{HEADER}")
    assert byte_length(chat) <= 2048 and byte_length(HEADER + block) <= 2048 and len(block.splitlines()) == 7


def test_c_09_without_messages_or_after_they_were_cleared_nothing_is_told(alice: make.Person, lead: Actor) -> None:
    assert told(lead) == ""
    pushing.pushed(alice)
    ack(alice.actor)
    assert HEADER in told(lead), "attention is one thing, the live list another"
    clear(alice.actor)
    assert told(lead) == ""


@pytest.mark.parametrize(("scopes", "is_told"), [("chat.read", False), ("channels.read", True), ("mcp", True), ("", False)])
def test_only_a_token_that_may_read_push_messages_is_told(alice: make.Person, lead: Actor, scopes: str, is_told: bool) -> None:
    pushing.pushed(alice)
    assert (HEADER in told(lead, scopes=frozenset(scopes.split()))) is is_told


def test_an_owner_may_keep_them_from_prompts(alice: make.Person, lead: Actor) -> None:
    pushing.pushed(alice)
    TriggerSettings.objects.update(in_prompts=False)
    assert told(lead) == ""


def test_charlies_launch_is_told_nothing_of_alices_messages(alice: make.Person, charlie: make.Person) -> None:
    pushing.pushed(alice)
    assert told(make.granted(charlie)) == ""


def test_a_block_that_fails_costs_the_chats_digest_nothing(
    alice: make.Person, lead: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("secret")

    pushing.pushed(alice)
    make.message(alice, "@lead hello")
    monkeypatch.setattr("triggers.telling.recent.recent", broken)
    assert "hello" in told(lead) and "secret" not in told(lead)


def test_a_launcher_lets_its_hooks_ask_from_the_first_message_to_the_last(alice: make.Person) -> None:
    launcher = registered(alice)
    key = launch_key(launcher.launch.pk)

    async def scene() -> list[Any]:
        async with hub() as app, launcher.line(app) as line:
            states = [await begun(line)]
            for deed in (lambda: pushing.pushed(alice), lambda: clear(alice.actor)):
                sync(deed)
                news.board.ring([key])
                states.append(await hear(line, "state"))
            return states

    assert [(each["granted"], each["hooks"]) for each in run(scene())] == [(False, False), (False, True), (False, False)]


def test_the_hook_of_a_launcher_without_a_grant_is_answered_with_the_block(alice: make.Person) -> None:
    launcher = registered(alice)
    pushing.pushed(alice, "look here")

    async def scene() -> Any:
        async with hub() as app, launcher.line(app) as line:
            await begun(line)
            say(line, **PROMPT)
            return await hear(line, "hook")

    assert run(scene())["text"].endswith("look here")


@pytest.mark.parametrize("scopes", ["chat.read", "mcp"])
def test_hooks_of_a_token_without_the_scope_keep_silent(alice: make.Person, scopes: str) -> None:
    launcher = registered(alice, connection=make.connection(alice, scopes=scopes))
    pushing.pushed(alice)

    async def scene() -> Any:
        async with hub() as app, launcher.line(app) as line:
            return await begun(line)

    assert run(scene())["hooks"] is (scopes == "mcp")


@pytest.mark.django_db(transaction=True)
def test_the_first_message_rings_every_live_launch_and_the_second_none(
    alice: make.Person, bob: make.Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = make.launch(alice), make.launch(alice, profile="two")
    make.launch(bob, profile="bob's")
    rung: list[str] = []
    monkeypatch.setattr("triggers.telling.receivers.news.publish_on_commit", lambda *keys: rung.extend(keys))
    for _ in range(2):
        pushing.pushed(alice)
    assert sorted(key for key in rung if key.startswith("launch:")) == sorted([launch_key(one.pk), launch_key(two.pk)])
