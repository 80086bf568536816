"""Who listens to which server."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connections

from core.errors import Gone
from tests import make
from tests.clock import Clock
from tests.pushing import arrival, server
from triggers.inbox.actions import store
from triggers.listening import actions, reading
from triggers.listening.leases import BEAT_SECONDS, LEASE, share
from triggers.models import Listener, PushMessage, PushServer
from triggers.values import Claim


def held_by(name: str) -> list[str]:
    return sorted(PushServer.objects.filter(listener=name).values_list("name", flat=True))


def names(found: tuple[list[PushServer], int]) -> list[str]:
    return sorted(each.name for each in found[0])


@pytest.mark.parametrize(("servers", "listeners", "most"), [(10, 1, 10), (10, 3, 4), (1, 2, 1), (0, 2, 0), (5, 0, 5)])
def test_servers_are_shared_evenly(servers: int, listeners: int, most: int) -> None:
    assert share(servers, listeners) == most


def test_a_lease_and_a_beat_end_within_fifteen_seconds_of_a_kill() -> None:
    assert LEASE + timedelta(seconds=BEAT_SECONDS) < timedelta(seconds=15)
    assert timedelta(seconds=3 * BEAT_SECONDS) < LEASE


def test_one_listener_holds_every_server_that_is_switched_on(alice: make.Person, clock: Clock) -> None:
    for name in ("a", "b"):
        server(alice, name)
    server(alice, "off", enabled=False)
    assert names(actions.beat("desk")) == ["a", "b"]


def test_a_hub_without_servers_is_not_written_to(alice: make.Person, clock: Clock) -> None:
    assert actions.beat("desk") == ([], 0)
    assert not Listener.objects.exists()


def test_a_second_listener_gets_its_share_once_the_first_gives_back(alice: make.Person, clock: Clock) -> None:
    for name in "abcd":
        server(alice, name)
    actions.beat("desk")
    assert names(actions.beat("lap")) == []
    held, surplus = actions.beat("desk")
    assert (len(held), surplus) == (4, 2)
    actions.release([each.lease for each in held[2:]])
    assert len(actions.beat("lap")[0]) == 2 and len(held_by("desk")) == 2


def test_what_a_killed_listener_held_is_taken_over_when_its_lease_ends(alice: make.Person, clock: Clock) -> None:
    server(alice, "a")
    actions.beat("desk")
    clock.forward(seconds=9)
    assert names(actions.beat("lap")) == []
    clock.forward(seconds=4)
    assert names(actions.beat("lap")) == ["a"]
    assert names(actions.beat("desk")) == []


def test_a_listener_that_beats_keeps_its_lease(alice: make.Person, clock: Clock) -> None:
    server(alice, "a")
    lease = actions.beat("desk")[0][0].lease
    for _ in range(10):
        clock.forward(seconds=BEAT_SECONDS)
        assert actions.beat("desk")[0][0].lease == lease
        assert names(actions.beat("lap")) == []


def test_a_lease_that_ended_and_that_nobody_took_is_renewed(alice: make.Person, clock: Clock) -> None:
    server(alice, "a")
    lease = actions.beat("desk")[0][0].lease
    clock.forward(minutes=5)
    assert actions.beat("desk")[0][0].lease == lease


def test_who_leaves_frees_what_he_held_at_once(alice: make.Person, clock: Clock) -> None:
    server(alice, "a")
    actions.beat("desk")
    actions.leave("desk")
    assert names(actions.beat("lap")) == ["a"]
    assert list(Listener.objects.values_list("name", flat=True)) == ["lap"]


def test_a_stale_listener_stores_nothing_and_tells_nothing(alice: make.Person, clock: Clock) -> None:
    server(alice, "a")
    old = actions.beat("desk")[0][0]
    clock.forward(seconds=13)
    actions.beat("lap")
    with pytest.raises(Gone):
        store(alice.account.pk, [arrival(server="a")], claim=Claim(server_id=old.pk, lease=old.lease))
    assert actions.tell(old, PushServer.LISTENING, "") is False
    assert actions.keep_tools(old, []) is False
    assert not PushMessage.objects.exists()


def test_a_listener_of_a_version_that_was_edited_tells_nothing_of_it(alice: make.Person, clock: Clock) -> None:
    server(alice, "a")
    old = actions.beat("desk")[0][0]
    PushServer.objects.update(version=2)
    assert actions.tell(old, PushServer.FAILED, "x") is False


@pytest.mark.parametrize("taken", ["may_run_commands", "is_active"])
def test_stdio_is_held_only_for_owners_who_may_run_commands(db: None, clock: Clock, taken: str) -> None:
    owner = make.person("o@example.org", may_run_commands=True)
    server(owner, "a", transport=PushServer.STDIO, url="", argv=["x"])
    assert names(actions.beat("desk")) == ["a"]
    setattr(owner.user, taken, False)
    owner.user.save()
    assert names(actions.beat("desk")) == []
    assert not reading.still_enabled([PushServer.objects.get().pk])


def test_an_owner_who_may_no_longer_run_commands_reads_why(db: None, clock: Clock) -> None:
    owner = make.person("o@example.org", may_run_commands=True)
    server(owner, "a", transport=PushServer.STDIO, url="", argv=["x"])
    actions.beat("desk")
    owner.user.may_run_commands = False
    owner.user.save()
    actions.beat("desk")
    held = PushServer.objects.get()
    assert held.state == PushServer.FAILED and "may not run commands" in held.reason


def test_a_beat_is_due_when_a_server_was_edited_added_or_removed(alice: make.Person, clock: Clock) -> None:
    server(alice, "a")
    held = {each.pk: each for each in actions.beat("desk")[0]}
    assert not reading.is_due("desk", held)
    server(alice, "b")
    assert reading.is_due("desk", held)
    held = {each.pk: each for each in actions.beat("desk")[0]}
    PushServer.objects.filter(name="a").update(version=7)
    assert reading.is_due("desk", held)
    held = {each.pk: each for each in actions.beat("desk")[0]}
    PushServer.objects.filter(name="b").update(enabled=False)
    assert reading.is_due("desk", held)


@pytest.mark.django_db(transaction=True)
def test_listeners_that_claim_at_once_never_hold_the_same_server(threaded: None) -> None:
    import threading

    who = make.person("alice@example.org")
    for number in range(20):
        server(who, f"s{number}")
    start = threading.Barrier(4)
    found: list[Any] = []

    def claim(name: str) -> None:
        start.wait()
        for _ in range(3):
            held, surplus = actions.beat(name)
            actions.release([each.lease for each in held[len(held) - surplus :]])
        connections.close_all()

    threads = [threading.Thread(target=claim, args=(f"l{number}",)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number in range(4):
        found += [each.pk for each in actions.beat(f"l{number}")[0]]
    assert len(found) == len(set(found)) <= 20
