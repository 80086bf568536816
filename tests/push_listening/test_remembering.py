"""What waits in memory while the database refuses: whose it is, and how long it is kept."""

from typing import Any

from django.urls import reverse

from core import clock as hub_clock
from tests import make
from triggers.inbox import unstored


def test_what_is_heard_of_a_stranger_is_cut_and_what_makes_no_sense_forgotten() -> None:
    for key in ("push-unstored:x:[]", "push-unstored:1:{", "push-unstored:1:[1]", 'push-unstored:1:[["a"]]', "push-unstored"):
        unstored.hear(key)
    assert unstored.recent(1) == []
    at = hub_clock.now()
    unstored.tell(1, [unstored.Unstored("s" * 500, "c\n" * 500, "<b>\n" * 500, at, ("r",) * 50)] * 60)
    (line, *rest) = unstored.recent(1)
    assert len(rest) < unstored.KEPT and len(line.server) <= 64 and len(line.content) <= 120 and "\n" not in line.channel
    assert len(line.rules) == 5


def test_what_nobody_says_is_over_is_forgotten_after_a_while(clock: Any) -> None:
    unstored.tell(1, [unstored.Unstored("s", "c", "x", clock.moment)])
    assert unstored.recent(1)
    clock.forward(minutes=11)
    assert not unstored.recent(1)


def test_the_inbox_shows_its_owner_alone_what_waits_in_memory(alice: make.Person, charlie: make.Person, client: Any) -> None:
    unstored.tell(alice.account.pk, [unstored.Unstored("prom", "ci", "<script>it broke", hub_clock.now(), ("mine",))])
    client.force_login(alice.user)
    shown = client.get(reverse("admin:push-inbox")).content.decode()
    assert "Not stored yet" in shown and "&lt;script&gt;it broke" in shown and "mine" in shown
    client.force_login(charlie.user)
    assert "it broke" not in client.get(reverse("admin:push-inbox")).content.decode()
