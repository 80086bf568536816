"""From a push message to what its run did: executed as a worker does it, with a model at a scripted provider or a program."""

from pathlib import Path

import pytest

from sessions_app.models import Run, ToolApproval
from sessions_app.runners import actions as runners
from sessions_app.runners import execution
from tests import make
from tests.push_firings.acts import asked, auto, newest, states
from tests.push_firings.conftest import Committed
from tests.pushing import pushed
from tests.runners.conftest import quick  # noqa: F401 -- a fixture
from tests.runners.playing import program
from tests.runners.scripted_model import Says, call, serving
from tests.runners.test_model import CALLED, open_house, provided
from tests.runners.test_model import pushed as servers_tools  # noqa: F401 -- a fixture
from triggers.firing import actions

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("open_house")]
__all__ = ["open_house"]


def executed(who: make.Person) -> Run:
    """The newest firing's run, as a worker left it."""
    run = newest(who).run
    assert run is not None and execution.work(run.pk)
    run.refresh_from_db()
    return run


@pytest.mark.usefixtures("servers_tools")
def test_c_104_an_auto_run_calls_what_is_listed_and_waits_with_what_is_not(alice: make.Person, committed: Committed) -> None:
    with serving(call("ring_bell", x=1), call("open_gate", x=2), Says("Rung and opened.")) as provider:
        provided(alice, provider)
        auto(alice, prompt="Ring for {{content}}", tools=("ring_*",))
        with committed():
            pushed(alice, "noon")
        run = executed(alice)
        assert (run.held, CALLED, states(alice)) == ("approval", [("ring_bell", {"x": 1})], ["running"])
        runners.decide(alice.actor, ToolApproval.objects.get(), True)
        run = executed(alice)
    assert (run.state, run.reply, [name for name, _given in CALLED]) == (Run.OK, "Rung and opened.", ["ring_bell", "open_gate"])
    assert states(alice) == ["done"]
    asked_ = provider.asked[0]["messages"]
    assert asked_[-1] == {"role": "user", "content": "Ring for noon"} and "AUTO-AGENT" in str(asked_[:-1])


def test_a_confirmed_firing_answers(alice: make.Person, committed: Committed) -> None:
    with serving(Says("Deployed.")) as provider:
        provided(alice, provider)
        firing = asked(alice, "v2")
        with committed():
            actions.confirm(alice.actor, firing.number, "yes")
        assert executed(alice).reply == "Deployed."
    assert states(alice) == ["done"]


@pytest.mark.usefixtures("quick", "db")
def test_a_program_is_given_prompt_and_card_and_the_listed_tools(tmp_path: Path, committed: Committed) -> None:
    who = make.person("ana@example.org", may_run_commands=True)
    body = (
        'given = sys.argv[sys.argv.index("--allowedTools") + 1] + " " + sys.stdin.read()\n'
        'print(json.dumps({"type": "result", "result": given}))'
    )
    program(who, tmp_path, body, preset="claude")
    auto(who, prompt="Look at {{content}}", tools=("chat_post",))
    with committed():
        pushed(who, "the build")
    run = executed(who)
    assert run.reply.startswith("mcp__tertulia__chat_post AUTO-AGENT") and run.reply.endswith("Look at the build")
    assert states(who) == ["done"]
