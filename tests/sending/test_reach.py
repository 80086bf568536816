"""What a session may not see is refused as what is not there: by no tool does it learn which of the two it is."""

import pytest

from core.errors import Forbidden, NotFound
from sessions_app.connected.choosing import choose
from sessions_app.models import Session, SessionSettings
from sessions_app.tools.sending import SendArguments, _send
from tests import make

HIDDEN, NOBODY = "agent:main:hook:hidden", "agent:main:hook:nobody"


@pytest.mark.parametrize("level", ["self", "tree"])
@pytest.mark.parametrize("tool", ["sessions_send", "session_next"])
def test_a_hidden_session_and_none_are_refused_alike(alice: make.Person, level: str, tool: str) -> None:
    SessionSettings.objects.filter(pk=alice.account.pk).update(visibility=level)
    make.session(alice, HIDDEN)
    actor = make.agent(alice)
    told = []
    for key in (HIDDEN, NOBODY):
        with pytest.raises(Forbidden) as refused:
            if tool == "sessions_send":
                _send(actor, SendArguments(sessionKey=key, message="hello"), 0)
            else:
                choose(actor, session_key=key, session_name=None)
        told.append((refused.value.code, refused.value.detail))
    assert told[0] == told[1] and f"visibility={level}" in told[0][1]


def test_where_all_is_seen_an_unknown_one_is_not_found(alice: make.Person) -> None:
    with pytest.raises(NotFound):
        _send(make.agent(alice), SendArguments(sessionKey=NOBODY, message="hello"), 0)


def test_the_main_session_of_an_agent_that_is_set_up_is_made_by_the_first_message(alice: make.Person) -> None:
    make.hub_agent(alice, "claude", "command")
    sent = _send(make.agent(alice), SendArguments(sessionKey="Agent:Claude:main", message="hello"), 0)
    assert sent.key == "agent:claude:main"
    assert _send(make.agent(alice), SendArguments(sessionKey="main", message="hello"), 0).key == "agent:main:main"


def test_none_is_made_for_an_agent_that_nobody_set_up_that_is_off_or_out_of_sight(alice: make.Person) -> None:
    make.hub_agent(alice, "off", "command", enabled=False)
    for key in ("agent:nobody:main", "agent:off:main"):
        with pytest.raises(NotFound):
            _send(make.agent(alice), SendArguments(sessionKey=key, message="hello"), 0)
    SessionSettings.objects.filter(pk=alice.account.pk).update(visibility="self")
    with pytest.raises(Forbidden):
        _send(make.agent(alice), SendArguments(sessionKey="main", message="hello"), 0)
    assert not Session.objects.exclude(kind="node").exists()
