"""Who may chat: the access mode, and a launch's grant."""

import pytest

from accounts.models import Launch
from chat.models import ChatSettings, Grant
from chat.reading import read_page
from core.errors import Forbidden
from tests import make

pytestmark = pytest.mark.django_db


def only_granted(who: make.Person) -> None:
    ChatSettings.objects.filter(account=who.account).update(access=ChatSettings.GRANTED)


def test_a_connection_is_kept_out_where_only_granted_launches_chat(alice: make.Person) -> None:
    agent = make.agent(alice)
    make.message(alice, by=agent)
    only_granted(alice)
    for deed in (lambda: make.message(alice, by=agent), lambda: read_page(agent, after=0)):
        with pytest.raises(Forbidden) as refusal:
            deed()
        assert refusal.value.code == "chat_not_granted"


def test_a_granted_launch_chats_in_both_modes_and_under_its_handle(alice: make.Person) -> None:
    agent = make.granted(alice, "lead")
    make.message(alice, by=agent, session_name="somebody else")
    only_granted(alice)
    make.message(alice, by=agent)
    page = read_page(agent, after=0)
    assert [(each.handle, each.session_name) for each in page.messages] == [("lead", "lead")] * 2


def test_a_launch_without_a_grant_is_a_connection_like_another(alice: make.Person) -> None:
    agent = make.launched(alice, make.launch(alice))
    make.message(alice, by=agent, session_name="peer")
    only_granted(alice)
    with pytest.raises(Forbidden):
        make.message(alice, by=agent)


@pytest.mark.parametrize("end", ["revoked", "stale"])
def test_a_launch_whose_grant_ended_is_refused_in_every_mode(alice: make.Person, end: str) -> None:
    agent = make.granted(alice)
    Grant.objects.update(ended_at=make.clock.now(), end=end)
    with pytest.raises(Forbidden) as refusal:
        read_page(agent, after=0)
    assert refusal.value.code == "chat_not_granted"


def test_a_launch_that_ended_is_refused_whatever_its_grant_says(alice: make.Person) -> None:
    agent = make.granted(alice)
    Launch.objects.update(ended_at=make.clock.now())
    with pytest.raises(Forbidden):
        make.message(alice, by=agent)


def test_a_launch_of_another_account_opens_nothing(alice: make.Person, bob: make.Person) -> None:
    theirs = make.granted(bob)
    only_granted(alice)
    with pytest.raises(Forbidden):
        read_page(make.replace(make.agent(alice), launch_id=theirs.launch_id), after=0)
