"""The block in the system prompts of runs that the hub executes, and system entries in what their models are given."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sessions_app.models import Entry, Run, Session
from sessions_app.runners.command.words import prompt
from sessions_app.runners.history import MOST_MESSAGES, said_before
from sessions_app.runners.model.hub_tools import HubTools
from sessions_app.runners.prompt_blocks import prompt_blocks
from sessions_app.transcripts.actions import append
from tests import make, pushing
from tests.runners.playing import asked, program, worked
from tests.runners.scripted_model import Says, serving
from tests.runners.test_model import provided
from triggers.models import TriggerSettings
from triggers.telling.block import HEADER

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def without_tools(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    async def none(self: HubTools) -> list[Any]:
        return []

    settings.PRIVATE_ADDRESSES = True
    monkeypatch.setattr(HubTools, "offered", none)


@pytest.fixture
def owner(db: None) -> make.Person:
    return make.person("ana@example.org", may_run_commands=True)


def test_the_block_stands_at_the_end_of_a_models_system_prompt(alice: make.Person) -> None:
    pushing.push_many(alice, 7)
    with serving(Says("yes")) as provider:
        provided(alice, provider, instructions="Be polite.")
        worked(asked(alice, "hello", context="It is morning."))
    said = provider.asked[0]["messages"]
    assert [each["role"] for each in said] == ["system", "user"]
    head, block = said[0]["content"].split(f"\n\n{HEADER}\n")
    assert head == "Be polite.\n\nIt is morning." and [line[-1] for line in block.splitlines()[1:]] == ["3", "4", "5", "6", "7"]
    assert said[1]["content"] == "hello"


def test_what_stands_before_the_block_is_the_same_in_every_run(alice: make.Person) -> None:
    with serving(Says("yes")) as provider:
        provided(alice, provider, instructions="Be polite.")
        for content in ("one", "two"):
            pushing.pushed(alice, content)
            worked(asked(alice, "hello"))
    first, second = (each["messages"][0]["content"] for each in provider.asked)
    assert first != second and first.split(HEADER)[0] == second.split(HEADER)[0] == "Be polite.\n\n"


def test_c_09_without_messages_or_where_its_owner_does_not_want_it_there_is_no_block(alice: make.Person) -> None:
    with serving(Says("yes")) as provider:
        provided(alice, provider)
        worked(asked(alice))
        pushing.pushed(alice)
        TriggerSettings.objects.update(in_prompts=False)
        worked(asked(alice))
    assert HEADER not in json.dumps(provider.asked)


def test_a_run_of_another_account_is_told_nothing(alice: make.Person, charlie: make.Person) -> None:
    pushing.pushed(alice)
    with serving(Says("yes")) as provider:
        provided(charlie, provider)
        worked(asked(charlie))
    assert HEADER not in json.dumps(provider.asked)


def test_a_command_is_told_after_its_instructions_and_before_what_was_said(owner: make.Person, tmp_path: Path) -> None:
    pushing.pushed(owner, "look here")
    program(owner, tmp_path, "print(sys.stdin.read())", instructions="You are Ana's helper.")
    worked(asked(owner, "first"))
    told = worked(asked(owner, "second")).reply
    parts = ["You are Ana's helper.", HEADER, "look here", "[user] first", "The message to answer now:\nsecond"]
    places = [told.index(part) for part in parts]
    assert places == sorted(places)


@pytest.fixture
def broken_block() -> Iterator[None]:
    def broken(run: Run) -> str:
        raise RuntimeError("secret")

    prompt_blocks.add("broken", broken)
    yield
    prompt_blocks._items.pop("broken")


@pytest.mark.usefixtures("broken_block")
def test_a_block_that_fails_costs_neither_the_run_nor_another_block(alice: make.Person) -> None:
    pushing.pushed(alice, "look here")
    with serving(Says("yes")) as provider:
        provided(alice, provider)
        run = worked(asked(alice))
    assert run.state == Run.OK and "look here" in provider.asked[0]["messages"][0]["content"]


def noted(session: Session, text: str) -> None:
    append(session, {"role": "system", "content": text})


def test_a_system_entry_is_given_where_it_was_added(alice: make.Person) -> None:
    with serving(Says("one"), Says("two")) as provider:
        provided(alice, provider)
        noted(worked(asked(alice, "first")).session, "know this")
        worked(asked(alice, "second"))
    said = [(each["role"], each["content"]) for each in provider.asked[1]["messages"]]
    note = "[a note of the hub, not the user's words]\nknow this"
    assert said == [("user", "first"), ("assistant", "one"), ("user", note), ("user", "second")]


def test_it_is_kept_however_much_is_said_until_the_transcript_is_another(alice: make.Person) -> None:
    make.hub_agent(alice)
    session = make.session(alice)
    noted(session, "know this")
    for place in range(MOST_MESSAGES + 10):
        append(session, {"role": "user", "content": f"{place} " + "x" * 2000})
    run = asked(alice)
    given = said_before(run)
    assert given[0] == {"role": "system", "content": "know this"} and len(given) < MOST_MESSAGES
    assert "know this" in prompt("m", instructions="", context="", history=given)
    Entry.objects.update(session_id_kept=run.run_id)
    assert said_before(run) == []


def test_no_flood_of_system_entries_takes_the_room_of_what_was_said(alice: make.Person) -> None:
    make.hub_agent(alice)
    session = make.session(alice)
    append(session, {"role": "user", "content": "the question"})
    for place in range(30):
        noted(session, f"{place} " + "x" * 5000)
    given = said_before(asked(alice))
    assert [each["content"].split()[0] for each in given] == ["the", "27", "28", "29"]
