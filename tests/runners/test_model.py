"""A run executed by the hub itself, with a model at a scripted provider."""

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from core.errors import Conflict, Invalid, NotFound
from core.registry import home_cards
from sessions_app.models import Agent, Run, ToolApproval
from sessions_app.runners import actions, toolsets
from sessions_app.runners.drafts import ProviderDraft
from sessions_app.runners.model import faults
from sessions_app.runners.model.hub_tools import HubTools
from sessions_app.runners.work import Pulse
from sessions_app.runs import actions as runs
from tests import make
from tests.runners.playing import asked, entries, worked
from tests.runners.scripted_model import Calls, Fails, Provider, Says, call, serving

CALLED: list[tuple[str, dict[str, Any]]] = []


@pytest.fixture(autouse=True)
def open_house(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    settings.PRIVATE_ADDRESSES = True
    monkeypatch.setattr("sessions_app.runners.model.runner.TRIES", 0)
    monkeypatch.setattr("sessions_app.runners.model.driving.LOOK_SECONDS", 0.02)
    monkeypatch.setattr(HubTools, "offered", _offered)
    CALLED.clear()
    yield


def _tool(name: str) -> toolsets.OfferedTool:
    async def answer(arguments: dict[str, Any]) -> str:
        CALLED.append((name, arguments))
        if arguments.get("wrong"):
            raise Invalid("That is not right; give another.")
        return f"{name} says {arguments}"

    schema = {"type": "object", "properties": {"x": {"type": "integer"}, "wrong": {"type": "boolean"}}}
    return toolsets.OfferedTool(name=name, description=f"{name}.", schema=schema, call=answer)


async def _offered(self: HubTools) -> list[toolsets.OfferedTool]:
    return [_tool("chat_read")]


@pytest.fixture
def pushed() -> Iterator[None]:
    """A push server's tools."""
    toolsets.toolsets.add("pushed", lambda run: [_tool("ring_bell"), _tool("open_gate")])
    yield
    toolsets.toolsets._items.pop("pushed")


def provided(who: make.Person, provider: Provider, **more: Any) -> Agent:
    held = actions.save_provider(who.actor, ProviderDraft(name="scripted", base_url=provider.url, key="sk-1"))
    return make.hub_agent(who, runner="model", provider=held, **({"model": "m-1"} | more))


def test_what_the_model_says_is_the_reply(alice: make.Person) -> None:
    with serving(Says("Good day.")) as provider:
        provided(alice, provider, instructions="Be polite.")
        run = worked(asked(alice, "hello", context="It is morning."))
    assert (run.state, run.reply, run.input_tokens, run.output_tokens, run.cost) == (Run.OK, "Good day.", 100, 10, None)
    said = provider.asked[0]["messages"]
    assert said[-1] == {"role": "user", "content": "hello"}
    assert "Be polite." in said[0]["content"] and "It is morning." in str(said)
    assert provider.keys == ["Bearer sk-1"]


def test_it_remembers_what_was_said_before(alice: make.Person) -> None:
    with serving(Says("one"), Says("two")) as provider:
        provided(alice, provider)
        worked(asked(alice, "first"))
        worked(asked(alice, "second"))
    said = [(each["role"], each["content"]) for each in provider.asked[1]["messages"]]
    assert said[-3:] == [("user", "first"), ("assistant", "one"), ("user", "second")]


def test_o_110_the_model_that_was_asked_for_is_used_and_shown(alice: make.Person) -> None:
    with serving(Says("yes")) as provider:
        provided(alice, provider)
        run = worked(asked(alice, model="m-2"))
    run.session.refresh_from_db()
    assert provider.asked[0]["model"] == "m-2" and run.session.model == "m-2"


def test_it_calls_tools_and_the_transcript_shows_them(alice: make.Person) -> None:
    with serving(call("chat_read", x=1), Says("read")) as provider:
        provided(alice, provider)
        run = worked(asked(alice))
    assert CALLED == [("chat_read", {"x": 1})] and provider.results() == ["chat_read says {'x': 1}"]
    _, called, result, _ = entries(run)
    assert called["content"] == [{"type": "toolCall", "id": "call_0_0", "name": "chat_read", "arguments": {"x": 1}}]
    assert (result["role"], result["toolName"], result["isError"]) == ("toolResult", "chat_read", False)
    assert run.input_tokens == 200


def test_a_refusal_of_a_tool_is_told_to_the_model(alice: make.Person) -> None:
    with serving(call("chat_read", wrong=True), Says("sorry")) as provider:
        provided(alice, provider)
        run = worked(asked(alice))
    assert run.reply == "sorry" and "That is not right; give another." in provider.results()[0]
    assert entries(run)[2]["isError"] is True


@pytest.mark.parametrize(
    ("step", "told"),
    [
        pytest.param(Fails(401), "refused the key (401)", id="401"),
        pytest.param(Fails(404), "knows no model 'm-1' (404)", id="404"),
        pytest.param(Fails(429), "refused for now (429)", id="429"),
        pytest.param(Fails(500), "failed with status 500", id="500"),
        pytest.param(Fails(200, "<html>welcome</html>"), "could not be understood", id="no JSON"),
        pytest.param(Fails(200, '{"choices": []}'), "could not be understood", id="no choice"),
        pytest.param(Fails(302, "", (("location", "http://127.0.0.1:9/secret"),)), "another address (302)", id="redirect"),
        pytest.param(call("no_such_tool"), "made no sense", id="unknown tool"),
        pytest.param(Calls((("chat_read", "{not json"),)), "made no sense", id="arguments that are no JSON"),
        pytest.param(call("chat_read"), faults.ENDLESS, id="endless calls"),
    ],
)
def test_o_48_whatever_goes_wrong_is_told_in_a_plain_sentence(alice: make.Person, step: Any, told: str) -> None:
    with serving(step) as provider:
        provided(alice, provider)
        run = worked(asked(alice))
    assert run.state == Run.ERROR and told in run.error and run.reply == ""
    assert "secret" not in run.error and len(provider.asked) <= faults.MOST_REQUESTS


def test_a_provider_that_is_not_there_is_told_so(alice: make.Person) -> None:
    with serving(Says("x")) as provider:
        provided(alice, provider)
    assert worked(asked(alice)).error == faults.CLOSED


def test_a_private_address_is_refused_when_saved_and_when_used(alice: make.Person, settings: Any) -> None:
    with serving(Says("x")) as provider:
        provided(alice, provider)
        settings.PRIVATE_ADDRESSES = False
        with pytest.raises(Invalid, match="private network"):
            actions.save_provider(alice.actor, ProviderDraft(name="again", base_url=provider.url))
        run = worked(asked(alice))
    assert run.state == Run.ERROR and "private network" in run.error and provider.asked == []


def test_o_49_without_a_model_nothing_is_asked_and_the_error_says_so(alice: make.Person) -> None:
    with serving(Says("x")) as provider:
        provided(alice, provider, model="")
        assert "No model is chosen" in worked(asked(alice)).error
    assert provider.asked == []


def test_a_run_that_is_stopped_while_the_model_thinks_ends_so(alice: make.Person, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, over = threading.Event(), threading.Event()
    monkeypatch.setattr(Pulse, "reason", property(lambda pulse: "stopped" if begun.is_set() else ""))
    with serving(Says("late")) as provider:
        provider.before = lambda: [begun.set(), over.wait(20)]  # type: ignore[func-returns-value]
        provided(alice, provider)
        run = worked(asked(alice))
        over.set()
    assert (run.state, run.reply, run.error) == (Run.STOPPED, "", "It was stopped.")


def asking(who: make.Person, provider: Provider, *, tools: list[str]) -> Run:
    """A run that waits for its owner's word."""
    provided(who, provider, tools=tools)
    return worked(asked(who, "ring"))


@pytest.mark.usefixtures("pushed")
def test_a_tool_outside_the_whitelist_waits_for_the_owner_and_the_run_goes_on(alice: make.Person) -> None:
    plan = Calls((("ring_bell", {"x": 1}), ("open_gate", {"x": 2})))
    with serving(plan, Says("rung")) as provider:
        run = asking(alice, provider, tools=["open_*"])
        assert (run.state, run.held, run.credential) == (Run.QUEUED, "approval", None)
        (approval,) = ToolApproval.objects.all()
        assert (approval.tool, approval.arguments) == ("ring_bell", {"x": 1})
        assert "ring_bell" not in str(CALLED)
        assert [card.sentence for card in home_cards.get("tool approvals")(alice.actor)]  # type: ignore[misc]
        actions.decide(alice.actor, approval, True)
        run.refresh_from_db()
        assert run.held == ""
        run = worked(run)
    assert (run.state, run.reply) == (Run.OK, "rung")
    assert sorted(CALLED) == [("open_gate", {"x": 2}), ("ring_bell", {"x": 1})]
    assert [each["role"] for each in entries(run)].count("user") == 1
    assert home_cards.get("tool approvals")(alice.actor) == []  # type: ignore[misc]


@pytest.mark.usefixtures("pushed")
def test_a_tool_the_owner_denies_is_not_called_and_the_model_hears_so(alice: make.Person) -> None:
    with serving(call("ring_bell"), Says("very well")) as provider:
        run = asking(alice, provider, tools=["chat_*"])
        actions.decide(alice.actor, ToolApproval.objects.get(), False)
        run = worked(Run.objects.get(pk=run.pk))
    assert run.reply == "very well" and CALLED == [] and "did not allow" in provider.results()[0]


@pytest.mark.usefixtures("pushed")
def test_the_owner_decides_once_and_nobody_else_does(alice: make.Person, charlie: make.Person) -> None:
    with serving(call("ring_bell")) as provider:
        asking(alice, provider, tools=["chat_*"])
    approval = ToolApproval.objects.get()
    for who in (charlie.actor, make.agent(alice)):
        with pytest.raises(NotFound):
            actions.decide(who, approval, True)
    actions.decide(alice.actor, approval, True)
    with pytest.raises(Conflict):
        actions.decide(alice.actor, approval, False)


@pytest.mark.usefixtures("pushed")
def test_a_run_that_was_stopped_needs_no_answer_any_more(alice: make.Person) -> None:
    with serving(call("ring_bell")) as provider:
        run = asking(alice, provider, tools=["chat_*"])
    assert runs.stop(alice.actor, run)
    assert home_cards.get("tool approvals")(alice.actor) == []  # type: ignore[misc]
    with pytest.raises(Conflict):
        actions.decide(alice.actor, ToolApproval.objects.get(), True)
