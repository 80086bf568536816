"""A run with a whitelist of its own: what is on it needs nobody's leave, what is not goes to the owner, or is not there."""

import json
from pathlib import Path
from typing import Any

import pytest

from accounts import bearer
from sessions_app.models import Run, ToolApproval
from sessions_app.runners import actions
from sessions_app.runs import actions as runs
from sessions_app.sending.actions import send
from sessions_app.spawning.actions import spawn, steer
from sessions_app.spawning.values import Wanted
from sessions_app.values import Asked
from tests import make
from tests.runners.playing import asked, program, worked
from tests.runners.scripted_model import Says, call, serving
from tests.runners.test_model import CALLED, open_house, provided, pushed  # noqa: F401 -- fixtures

pytestmark = pytest.mark.usefixtures("open_house")


@pytest.mark.usefixtures("pushed")
def test_c_104_a_listed_tool_of_a_push_server_needs_no_approval(alice: make.Person) -> None:
    with serving(call("ring_bell", x=1), Says("rung")) as provider:
        provided(alice, provider)
        run = worked(asked(alice, tools=("ring_*",)))
    assert (run.state, run.reply) == (Run.OK, "rung") and CALLED == [("ring_bell", {"x": 1})]
    assert not ToolApproval.objects.exists()


@pytest.mark.parametrize("tool", ["ring_bell", "chat_read"])
@pytest.mark.usefixtures("pushed")
def test_c_104_an_unlisted_tool_waits_for_the_owner_even_one_of_the_hub(alice: make.Person, tool: str) -> None:
    with serving(call(tool, x=1), Says("done")) as provider:
        provided(alice, provider, tools=["ring_*", "chat_*"])
        run = worked(asked(alice, tools=("open_gate",)))
        assert (run.state, run.held) == (Run.QUEUED, "approval") and CALLED == []
        actions.decide(alice.actor, ToolApproval.objects.get(), True)
        run = worked(Run.objects.get(pk=run.pk))
    assert (run.state, CALLED) == (Run.OK, [(tool, {"x": 1})])


def test_c_104_an_empty_whitelist_lets_nothing_pass_unasked(alice: make.Person) -> None:
    with serving(call("chat_read"), Says("done")) as provider:
        provided(alice, provider)
        run = worked(asked(alice, tools=()))
    assert run.held == "approval" and CALLED == []


@pytest.mark.usefixtures("quick")
def test_c_104_a_command_is_given_what_is_listed_and_its_token_opens_no_more(owner: make.Person, tmp_path: Path) -> None:
    body = 'given = sys.argv[sys.argv.index("--allowedTools") + 1]\nprint(json.dumps({"type": "result", "result": given}))'
    program(owner, tmp_path, body, preset="claude", tools=["chat_post", "Bash"])
    run = worked(asked(owner, tools=("chat_re*", "Read")))
    assert set(run.reply.split(",")) == {"Read", "mcp__tertulia__chat_read"}
    again, token = _taken(asked(owner, tools=("chat_re*",)))
    assert bearer.authenticate(token).tool_names == ("chat_read",) and again.tools == ["chat_re*"]


def _taken(run: Run) -> tuple[Run, str]:
    claimed = runs.claim(run.pk, worker="w", with_credential=True)
    assert claimed is not None
    return claimed


def test_a_model_is_offered_a_listed_tool_that_its_agent_does_not_have(alice: make.Person) -> None:
    make.hub_agent(alice, runner="model", tools=["chat_read"])
    _run, token = _taken(asked(alice, tools=("chat_post",)))
    assert set(bearer.authenticate(token).tool_names or ()) == {"chat_read", "chat_post"}


@pytest.mark.parametrize("purpose", [Run.LATE, Run.RESULT, Run.OWNER])
def test_what_comes_back_to_a_firings_session_has_its_whitelist_too(alice: make.Person, purpose: str) -> None:
    make.hub_agent(alice, runner="model")
    first = asked(alice, key="hook:1", tools=("chat_read",))
    Run.objects.filter(pk=first.pk).update(purpose=Run.FIRING)
    later = runs.begin(alice.actor, first.session, Asked(message="a late reply", purpose=purpose))
    assert later.tools == ["chat_read"]
    assert asked(alice, key="agent:main:main").tools is None


def test_a_sub_agent_may_use_no_more_than_the_run_that_spawned_it(alice: make.Person) -> None:
    make.hub_agent(alice, runner="model")
    run, _token = _taken(asked(alice, key="hook:1", tools=("sessions_spawn", "chat_read")))
    made = spawn(make.in_session(alice, run.session), run.session, _wanted())
    assert made.run.tools == ["sessions_spawn", "chat_read"]


WHITELIST = ["sessions_spawn", "sessions_send", "subagents", "chat_read"]


@pytest.mark.parametrize("again", ["steered", "sent to", "told of a result"])
def test_a_sub_agent_may_use_no_more_later_either(alice: make.Person, again: str) -> None:
    make.hub_agent(alice, runner="model")
    run, _token = _taken(asked(alice, key="hook:1", tools=tuple(WHITELIST)))
    actor = make.in_session(alice, run.session)
    made = spawn(actor, run.session, _wanted())
    if again == "steered":
        later = steer(actor, run.session, made, "do more")
    elif again == "sent to":
        _exchange, later = send(actor, requester=run.session, target=made.child, message="do more", waits=False)
    else:
        later = runs.begin(actor, made.child, Asked(message="its own sub-agent ended", purpose=Run.RESULT))
    assert later.tools == WHITELIST


def test_a_whitelist_outlives_the_run_that_brought_it(alice: make.Person) -> None:
    make.hub_agent(alice, runner="model")
    first = asked(alice, key="hook:1", tools=("chat_read",))
    runs.begin(alice.actor, first.session, Asked(message="a late reply", purpose=Run.LATE))
    Run.objects.filter(pk=first.pk).delete()
    assert runs.begin(alice.actor, first.session, Asked(message="another", purpose=Run.LATE)).tools == ["chat_read"]


def _wanted() -> Wanted:
    given: dict[str, Any] = json.loads('{"task": "look"}')
    return Wanted(**given)
