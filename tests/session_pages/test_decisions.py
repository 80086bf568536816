"""What waits for the owner: tools that runs ask for, chains that used up their budget, branches of sub-agents."""

import itertools

import pytest
from django.test import Client
from django.urls import reverse

from core import clock
from core.actor import system
from sessions_app.models import Chain, Run, Session, SessionSettings, Spawn, ToolApproval
from sessions_app.runs import actions as runs
from sessions_app.values import Asked
from tests import make

HOME, APPROVALS = reverse("admin:index"), reverse("admin:tool-approvals")
SECRET = "sk-abcdefghijklmnopqrstu"


def run_in(held: Session, chain: Chain | None = None) -> Run:
    asked = Asked(message=f"go on with {SECRET}", purpose=Run.SEND)
    return runs.begin(system(account_id=held.account_id), held, asked, chain=chain)


@pytest.fixture
def approval(alice: make.Person) -> ToolApproval:
    run = run_in(make.session(alice))
    Run.objects.filter(pk=run.pk).update(held="approval")
    given = {"path": "<b>/etc</b>", "key": SECRET}
    return ToolApproval.objects.create(
        account=alice.account, run=run, call_id="c1", tool="files_delete", arguments=given, asked_at=clock.now()
    )


@pytest.fixture
def chain(alice: make.Person) -> Chain:
    """One that used up its single run; a second one waits."""
    SessionSettings.objects.filter(account=alice.account).update(chain_budget=1)
    first = run_in(make.session(alice))
    run_in(make.session(alice, "agent:main:next"), chain=first.chain)
    found: Chain = Chain.objects.get(state=Chain.ASKED)
    return found


def decide(approval: ToolApproval) -> str:
    return reverse("admin:tool-decide", args=[approval.pk])


def at(chain: Chain) -> str:
    return reverse("admin:session-chain", args=[chain.pk])


def test_home_leads_to_the_tools_that_wait_and_they_are_shown_inert(approval: ToolApproval, as_alice: Client) -> None:
    assert APPROVALS in as_alice.get(HOME).content.decode()
    page = as_alice.get(APPROVALS).content.decode()
    assert "files_delete" in page and "<b>/etc" not in page and SECRET not in page and decide(approval) in page


@pytest.mark.parametrize(("answer", "state"), [("allow", "allowed"), ("deny", "denied"), ("", "denied"), ("bogus", "denied")])
def test_the_owner_answers_and_the_run_goes_on(answer: str, state: str, approval: ToolApproval, as_alice: Client) -> None:
    assert as_alice.post(decide(approval), {"answer": answer}).headers["Location"] == APPROVALS
    approval.refresh_from_db()
    approval.run.refresh_from_db()
    assert (approval.state, approval.run.held) == (state, "")
    assert "No tool waits" in as_alice.get(APPROVALS).content.decode()


def test_an_answer_that_comes_second_says_so(approval: ToolApproval, as_alice: Client) -> None:
    as_alice.post(decide(approval), {"answer": "deny"})
    as_alice.post(decide(approval), {"answer": "allow"})
    approval.refresh_from_db()
    assert approval.state == ToolApproval.DENIED and "decided already" in as_alice.get(APPROVALS).content.decode()


def test_nobody_else_answers(approval: ToolApproval, as_charlie: Client, as_staff: Client) -> None:
    for browser in (as_charlie, as_staff):
        browser.post(decide(approval), {"answer": "allow"})
        assert "files_delete" not in browser.get(APPROVALS).content.decode()
    approval.refresh_from_db()
    assert approval.state == ToolApproval.ASKED


def test_home_leads_to_a_chain_that_asks_and_its_messages_are_masked(chain: Chain, as_alice: Client) -> None:
    assert at(chain) in as_alice.get(HOME).content.decode()
    page = as_alice.get(at(chain)).content.decode()
    assert "agent:main:next" in page and "go on with" in page and SECRET not in page


def test_extending_a_chain_lets_what_waits_begin(chain: Chain, as_alice: Client) -> None:
    assert as_alice.post(at(chain), {"answer": "extend"}).headers["Location"] == HOME
    chain.refresh_from_db()
    assert chain.state == Chain.OPEN and not Run.objects.exclude(held="").exists()


@pytest.mark.parametrize("answer", ["end", "", "bogus"])
def test_ending_a_chain_stops_what_waits(answer: str, chain: Chain, as_alice: Client) -> None:
    as_alice.post(at(chain), {"answer": answer})
    chain.refresh_from_db()
    assert chain.state == Chain.ENDED and not Run.objects.filter(state__in=Run.ACTIVE).exists()
    as_alice.post(at(chain), {"answer": "extend"})
    assert "asks nothing any more" in as_alice.get(HOME).content.decode()


def test_a_foreign_and_an_unknown_chain_answer_alike(chain: Chain, as_charlie: Client, as_staff: Client) -> None:
    for browser in (as_charlie, as_staff):
        for method in ("get", "post"):
            told = []
            for pk in (chain.pk, 10**9):
                answer = getattr(browser, method)(reverse("admin:session-chain", args=[pk]), {"answer": "end"}, follow=True)
                told.append([str(each) for each in answer.context["messages"]])
            assert told[0] == told[1] and "no such chain" in told[0][0]
    chain.refresh_from_db()
    assert chain.state == Chain.ASKED


@pytest.fixture
def tree(alice: make.Person) -> list[Session]:
    """A session, its child and its grandchild, each at work."""
    held = [make.session(alice, key) for key in ("main", "agent:main:subagent:a", "agent:main:subagent:b")]
    for above, child in itertools.pairwise(held):
        Session.objects.filter(pk=child.pk).update(spawned_by=above.key)
        Spawn.objects.create(
            account=alice.account, requester=above, child=child, run=run_in(child), task=f"do {SECRET}", created_at=clock.now()
        )
    return held


def stop_at(held: Session) -> str:
    return reverse("admin:branch-stop", args=[held.session_id])


def test_the_tree_shows_children_and_theirs_each_with_a_stop(tree: list[Session], as_alice: Client) -> None:
    page = as_alice.get(reverse("admin:session", args=[tree[0].session_id])).content.decode()
    assert all(stop_at(each) in page for each in tree) and SECRET not in page
    child = as_alice.get(reverse("admin:session", args=[tree[1].session_id])).content.decode()
    assert "Spawned by" in child and stop_at(tree[2]) in child


def test_stopping_a_branch_asks_first_then_stops_it_with_all_beneath(tree: list[Session], as_alice: Client) -> None:
    part = as_alice.get(stop_at(tree[1]), headers={"HX-Request": "true"}).content.decode()
    assert 'id="asked"' in part and "<html" not in part and Run.objects.filter(state=Run.QUEUED).count() == 2
    answer = as_alice.post(stop_at(tree[1]), headers={"HX-Request": "true"})
    assert answer.headers["HX-Redirect"] == reverse("admin:session", args=[tree[1].session_id])
    assert not Run.objects.filter(session__in=tree[1:], state__in=Run.ACTIVE).exists()


def test_a_circle_of_spawns_is_shown_once(alice: make.Person, tree: list[Session], as_alice: Client) -> None:
    Spawn.objects.create(account=alice.account, requester=tree[2], child=tree[0], task="round", created_at=clock.now())
    assert as_alice.get(reverse("admin:session", args=[tree[0].session_id])).status_code == 200
