"""What is cleaned up of sessions, and when."""

import uuid

from core.actor import system
from project.tidying import tidy
from sessions_app.models import Agent, Chain, Entry, ModelProvider, Run, Session
from sessions_app.runs import actions
from sessions_app.transcripts.actions import append
from sessions_app.values import Asked
from tests import make, play
from tests.clock import Clock


def ran(who: make.Person, key: str = "main") -> Session:
    make.hub_agent(who)
    held = make.session(who, key)
    play.answer(actions.begin(who.actor, held, Asked(message="hello", purpose=Run.OWNER)))
    return held


def test_archived_sessions_go_with_their_transcripts_after_their_days(alice: make.Person, clock: Clock, settings: object) -> None:
    ran(alice, "agent:main:hook:1")
    make.session(alice, "agent:main:hook:1", archived_at=clock.moment)
    kept = ran(alice)
    clock.forward(days=31)
    done = {each.kind: each.rows for each in tidy(system())}
    assert done["archived sessions"] == 1 and done["ended runs"] == 1
    assert list(Session.objects.all()) == [kept] and Entry.objects.count() == 2
    assert not Run.objects.exists() and not Chain.objects.exists()


def test_what_a_session_left_behind_goes_and_the_transcript_in_force_stays(alice: make.Person, clock: Clock) -> None:
    held = ran(alice, "agent:main:cron:nightly")
    held = make.session(alice, held.key, session_id=uuid.uuid4())
    append(held, {"role": "user", "content": "today"})
    clock.forward(days=31)
    assert {each.kind: each.rows for each in tidy(system())}["earlier transcripts"] == 2
    assert [each.message["content"] for each in Entry.objects.all()] == ["today"]


def test_nothing_goes_before_its_time(alice: make.Person, clock: Clock) -> None:
    ran(alice)
    clock.forward(days=29)
    assert sum(each.rows or 0 for each in tidy(system(), dry_run=True)) == 0
    assert Run.objects.count() == 1


def test_deleting_an_account_deletes_its_sessions_and_no_others(alice: make.Person, bob: make.Person) -> None:
    from accounts import actions as accounts

    ran(alice)
    ran(bob)
    provider = ModelProvider.objects.create(account=alice.account, name="p", base_url="http://x", created_at="2026-01-01T00:00Z")
    make.hub_agent(alice, provider=provider)
    accounts.delete_account(system(), account_id=alice.account.pk)
    assert {each.account_id for each in Session.objects.all()} == {bob.account.pk}
    assert set(Agent.objects.values_list("account_id", flat=True)) == {bob.account.pk}
