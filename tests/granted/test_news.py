"""Who hears of grants, and what finds out where a hint was lost."""

from collections.abc import Callable
from typing import Any

import pytest

from accounts.launches.actions import beat, end
from accounts.models import Launch
from chat.actions import update_settings
from chat.grants import news as nets
from chat.grants.actions import grant, note_tools_listed, revoke
from chat.models import Attendance, Wake
from chat.news import versions
from core import clock
from tests import make

pytestmark = pytest.mark.django_db
Deed = Callable[[make.Person, Launch], Any]

DEEDS: dict[str, Deed] = {
    "granted": lambda who, launch: grant(who.actor, launch_key=launch.key, typed="lead"),
    "revoked": lambda who, launch: revoke(who.actor, launch_key=launch.key),
    "stale": lambda who, launch: beat(make.launched(who, launch), pane_state="replaced"),
    "ended": lambda who, launch: end(make.launched(who, launch)),
    "mode": lambda who, launch: update_settings(who.actor, account_id=who.account.pk, access="granted"),
    "listed": lambda who, launch: note_tools_listed(make.launched(who, launch)),
    "asked to wake": lambda who, launch: Wake.objects.create(
        account=who.account, launch=launch, seq=1, outcome=Wake.PENDING, decided_at=clock.now()
    ),
}
EVERYBODY = {"chat", "tools", "launch", "launches"}
HEARS = {
    "granted": EVERYBODY,
    "revoked": EVERYBODY,
    "stale": EVERYBODY,
    "ended": EVERYBODY,
    "mode": {"chat", "tools"},
    "listed": {"launches"},
    "asked to wake": {"launch"},
}


def seen(who: make.Person, launch: Launch) -> dict[str, Any]:
    """What each net sees."""
    account, one = [str(who.account.pk)], [str(launch.pk)]
    return {
        "chat": versions(account),
        "tools": nets.tools_versions(account),
        "launch": nets.launch_versions(one),
        "launches": nets.list_versions(account),
    }


def prepared(who: make.Person, deed: str) -> Launch:
    launch = make.launch(who)
    if deed in {"revoked", "stale", "ended", "listed"}:
        grant(who.actor, launch_key=launch.key, typed="lead")
        Attendance.objects.filter(launch=launch).update(tools_listed_at=None)
    return launch


@pytest.mark.parametrize("deed", DEEDS)
def test_the_nets_find_out_what_a_lost_hint_would_have_told(alice: make.Person, bob: make.Person, deed: str) -> None:
    launch, other = prepared(alice, deed), make.launch(bob)
    before, elsewhere = seen(alice, launch), seen(bob, other)
    DEEDS[deed](alice, launch)
    after = seen(alice, launch)
    assert {kind for kind in after if after[kind] != before[kind]} == HEARS[deed]
    assert seen(bob, other) == elsewhere


@pytest.mark.parametrize("deed", ["granted", "revoked", "stale", "ended", "mode", "listed"])
def test_whoever_it_concerns_is_told_on_commit(
    alice: make.Person, deed: str, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    launch, rung = prepared(alice, deed), set[str]()
    monkeypatch.setattr("core.news.couriers.publish", rung.update)
    with django_capture_on_commit_callbacks(execute=True):
        DEEDS[deed](alice, launch)
    account = alice.account.pk
    keys = {"chat": account, "tools": account, "launches": account, "launch": launch.pk}
    assert {f"{kind}:{keys[kind]}" for kind in HEARS[deed]} <= rung


def test_the_launcher_is_asked_to_look_at_the_pane_of_what_was_granted(
    alice: make.Person, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    launch, rung = make.launch(alice), set[str]()
    monkeypatch.setattr("core.news.couriers.publish", rung.update)
    with django_capture_on_commit_callbacks(execute=True):
        DEEDS["granted"](alice, launch)
    assert f"pane:{launch.pk}" in rung
