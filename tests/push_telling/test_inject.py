"""An owner has a session told of what was pushed."""

import pytest

from audit.models import Entry as Audited
from core.actor import operator
from core.errors import DomainError, Forbidden, NotFound
from sessions_app.models import Entry, Session
from sessions_app.runners.history import said_before
from tests import make, pushing
from tests.runners.playing import asked
from triggers.inbox.actions import clear
from triggers.telling.actions import inject
from triggers.telling.block import HEADER

pytestmark = pytest.mark.django_db


def entry() -> str:
    """The text of the only system entry."""
    return str(Entry.objects.get(role="system").message["content"])


def test_c_10_seven_messages_are_seven_lines_of_one_entry_oldest_first(alice: make.Person) -> None:
    pushing.push_many(alice, 7)
    assert inject(alice.actor) == 7
    assert entry().startswith(HEADER) and [line[-1] for line in entry().splitlines()[2:]] == list("1234567")


def test_c_10_at_most_ten_are_injected_the_newest(alice: make.Person) -> None:
    pushing.push_many(alice, 12)
    assert inject(alice.actor) == 10
    assert [line.split()[-1] for line in entry().splitlines()[2:]] == [str(number) for number in range(3, 13)]


def test_the_main_session_is_meant_unless_another_is_named_and_it_is_made_where_there_is_none(alice: make.Person) -> None:
    pushing.pushed(alice)
    assert not Session.objects.exists()
    inject(alice.actor)
    make.session(alice, "cron:nightly")
    inject(alice.actor, "cron:nightly")
    held = Entry.objects.filter(role="system").order_by("pk").values_list("session__key", flat=True)
    assert list(held) == ["agent:main:main", "cron:nightly"]


def test_the_next_turn_is_given_it(alice: make.Person) -> None:
    make.hub_agent(alice)
    pushing.pushed(alice, "look here")
    inject(alice.actor)
    (given,) = said_before(asked(alice))
    assert given["role"] == "system" and given["content"].endswith("] look here")


def test_c_09_with_nothing_on_the_live_list_nothing_is_added(alice: make.Person) -> None:
    pushing.pushed(alice)
    clear(alice.actor)
    assert inject(alice.actor) == 0 and not Entry.objects.exists()
    assert not Audited.objects.filter(deed="push.injected").exists()


def test_who_did_it_and_by_which_door_is_written_down_without_a_word_of_the_messages(alice: make.Person) -> None:
    pushing.pushed(alice, "secret words")
    inject(alice.actor)
    kept = Audited.objects.get(deed="push.injected")
    assert (kept.door, kept.account_id, kept.target_label) == ("page", alice.account.pk, "agent:main:main")
    assert "secret words" not in str(vars(kept))


def test_an_agent_injects_nothing(alice: make.Person) -> None:
    pushing.pushed(alice)
    with pytest.raises(Forbidden):
        inject(make.agent(alice))
    assert not Entry.objects.exists()


def test_charlie_reaches_no_session_of_alice_and_learns_not_whether_it_is_there(alice: make.Person, charlie: make.Person) -> None:
    held = make.session(alice, "cron:nightly")
    pushing.pushed(charlie)
    said = set()
    for given in ("cron:nightly", "cron:nowhere", str(held.session_id), "00000000-0000-0000-0000-000000000000"):
        with pytest.raises(NotFound) as refusal:
            inject(charlie.actor, given)
        said.add(refusal.value.detail)
    assert said == {"No such session; look it up in the list of sessions."} and not Entry.objects.exists()


@pytest.mark.parametrize("given", ["", "\0", "x" * 10_000, "agent::", "label:x"])
def test_a_session_that_cannot_be_is_refused_with_a_sentence(alice: make.Person, given: str) -> None:
    pushing.pushed(alice)
    with pytest.raises(DomainError) as refusal:
        inject(alice.actor, given)
    assert refusal.value.detail and "\n" not in refusal.value.detail


def test_whoever_has_a_shell_of_the_hub_may(alice: make.Person) -> None:
    pushing.pushed(alice)
    assert inject(operator(alice.account.pk)) == 1
