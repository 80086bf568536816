"""Tools that runs ask for, answered from a terminal, a shell of the hub and at the REST doors."""

import pytest
from django.core.management import CommandError

from audit.models import Entry
from core import clock
from core.actor import system
from sessions_app.models import Run, ToolApproval
from sessions_app.runners.approvals.actions import HELD_APPROVAL
from sessions_app.runs.actions import begin
from sessions_app.values import Asked
from tests import make
from tests.api.driver import agent, is_problem, person
from tests.client.conftest import Cli
from tests.client.stub import Stub, answer, bearers
from tests.owner_verbs.conftest import TOKEN, Person
from tests.push_verbs.commanding import channel
from tests.push_verbs.conftest import results

PATH = "/api/approvals/"


@pytest.fixture
def asked(alice: make.Person) -> ToolApproval:
    """A run of hers that asks for a tool."""
    make.hub_agent(alice)
    held = make.session(alice, "hook:deploys")
    run = begin(system(account_id=alice.account.pk), held, Asked(message="hello", purpose=Run.OWNER))
    Run.objects.filter(pk=run.pk).update(held=HELD_APPROVAL)
    given = {"call_id": "c1", "tool": "ci__restart", "arguments": {"job": 12, "key": "sk-abcdefghijklmnopqrst"}}
    return ToolApproval.objects.create(account=alice.account, run=run, asked_at=clock.now(), **given)


def test_the_owner_sees_what_is_asked_masked_and_answers_once(alice: make.Person, asked: ToolApproval) -> None:
    caller = person(alice)
    (row,) = caller.get(PATH).json()["results"]
    assert (row["id"], row["tool"], row["session_key"]) == (asked.pk, "ci__restart", asked.run.session.key)
    assert "12" in row["arguments"] and "abcdefghij" not in row["arguments"]
    assert caller.post(f"{PATH}{asked.pk}/", {"allow": True}).json()["state"] == "allowed"
    is_problem(caller.post(f"{PATH}{asked.pk}/", {"allow": False}), 409, "conflict")
    assert caller.get(PATH).json()["results"] == []
    assert Entry.objects.get(deed="tool.allowed").door == "api"


def test_no_token_of_an_agent_sees_or_answers_it(alice: make.Person, asked: ToolApproval) -> None:
    caller = agent(alice)
    is_problem(caller.get(PATH), 403, "owner_only")
    is_problem(caller.post(f"{PATH}{asked.pk}/", {"allow": True}), 403, "owner_only")
    asked.refresh_from_db()
    assert asked.state == ToolApproval.ASKED


def test_charlie_and_staff_get_one_answer_for_hers_and_for_none(
    alice: make.Person, charlie: make.Person, staff: make.Person, asked: ToolApproval
) -> None:
    for caller in (person(charlie), person(staff)):
        assert caller.get(PATH).json()["results"] == []
        told = [is_problem(caller.post(f"{PATH}{pk}/", {"allow": True}), 404, "not_found") for pk in (asked.pk, 10**9)]
        assert told[0] == told[1]


def test_whoever_has_a_shell_on_the_hub_answers_too(alice: make.Person, asked: ToolApproval) -> None:
    assert channel("approve").startswith(f"#{asked.pk}  ci__restart  in hook:")
    with pytest.raises(CommandError, match="yes or no"):
        channel("approve", str(asked.pk), "nope")
    assert channel("complete", "approve", "").startswith(f"{asked.pk}\tci__restart")
    assert channel("approve", f"#{asked.pk}", "no") == f"denied #{asked.pk}; the run goes on\n"
    with pytest.raises(CommandError):
        channel("approve", str(asked.pk))
    assert channel("approve") == "no run asks for a tool\n"


def test_from_a_terminal_it_takes_the_owners_proof(hub: Stub, cli: Cli, person: Person) -> None:
    row = {"id": 3, "tool": "ci__restart", "session_key": "hook:1", "arguments": '{"job": 12}', "state": "asked"}
    hub.says(PATH, results(row)).says(f"{PATH}3/", answer(200, row))
    person.passwords *= 2
    assert cli("channel", "approve").out == '#3\tci__restart\thook:1\t{"job": 12}\n'
    assert cli("channel", "approve", "3", "no").out == "Denied #3; the run goes on.\n"
    assert hub.bodies(f"{PATH}3/") == [{"allow": False}] and bearers(hub.to(PATH)) == [TOKEN]


def test_what_is_no_answer_to_it_asks_nobody(hub: Stub, cli: Cli, person: Person) -> None:
    assert cli("channel", "approve", "3", "nope").code == 1 and not hub.asked
