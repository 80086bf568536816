"""What a token of an agent cannot fill by the parts around grants: launches, read marks, waiting approvals."""

from typing import Any

import pytest

from accounts.launches import actions
from accounts.models import Launch
from audit.models import Entry
from chat.cursors import actions as cursors
from chat.cursors.actions import mark_read
from chat.launcher import line
from chat.launcher.pace import Pace
from chat.models import Cursor
from core.errors import TooMany
from tests import make
from tests.api.driver import agent, is_problem, person
from tests.clock import Clock
from tests.launches.launcher import registered, told
from tests.launches.test_line import say
from tests.security.test_launches import ended_by

pytestmark = pytest.mark.django_db


def test_launches_that_begin_and_end_in_a_loop_are_limited_by_the_hour(
    alice: make.Person, charlie: make.Person, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(actions, "MOST_AN_HOUR", 3)
    launcher = registered(alice)
    for _ in range(2):
        make.launch(alice, ended_at=clock())
    before = Entry.objects.count()
    assert "within an hour" in is_problem(launcher.caller.post("/api/launches/", told()), 429, "too_many_launches")["detail"]
    assert launcher.register().status_code == 200 and Launch.objects.filter(account=alice.account).count() == 3
    assert Entry.objects.count() == before
    registered(charlie)
    clock.forward(hours=1, seconds=1)
    assert launcher.caller.post("/api/launches/", told()).status_code == 201


def test_sessions_of_ever_new_names_do_not_fill_the_disk_with_read_marks(
    alice: make.Person, charlie: make.Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cursors, "MOST_OF_SESSIONS", 2)
    seq, lead = make.message(alice), make.granted(alice)
    peer = make.agent(alice)
    mark_read(peer, {"general": seq, "other": seq}, session_name="peer")
    with pytest.raises(TooMany, match="use one session_name"):
        mark_read(peer, {"general": seq}, session_name="another")
    with pytest.raises(TooMany):
        mark_read(peer, {"general": seq, "never-heard-of": seq}, session_name="peer")
    assert mark_read(peer, {"general": seq, "other": seq}, session_name="peer") == {"general": seq, "other": seq}
    assert mark_read(lead, {"general": seq}) == {"general": seq}
    assert mark_read(alice.actor, {"general": seq}) == {"general": seq}
    assert Cursor.objects.filter(account=alice.account).count() == 4
    mark_read(make.agent(charlie), {"general": 0}, session_name="his")
    answer = agent(alice).post("/api/cursors/", {"cursors": [{"topic": "a", "seq": 0}], "session_name": "more"})
    is_problem(answer, 429, "rate_limited")
    assert person(alice).post("/api/cursors/", {"cursors": [{"topic": "a", "seq": 0}]}).status_code == 200


def test_a_launcher_that_beats_without_rest_is_let_go_before_it_takes_the_hubs_writer(
    alice: make.Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(line, "Pace", lambda per_second, at_once, clock: Pace(per_second, at_once, lambda: 0.0))
    beats: list[str] = []
    monkeypatch.setattr(actions, "beat", lambda actor, pane_state: beats.append(pane_state))

    def flood(opened: Any) -> None:
        for _ in range(line.FRAMES_AT_ONCE):
            say(opened, type="beat", pane_state="claimed")

    _, code = ended_by(registered(alice), flood)
    assert code == line.FLOODED and len(beats) <= line.BEATS_AT_ONCE
