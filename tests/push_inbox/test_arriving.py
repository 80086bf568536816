"""From what a server says to what the owner has in his list."""

import json
from typing import Any

import pytest

from core import clock
from tests.make import Person
from triggers.inbox import reading
from triggers.inbox.actions import store
from triggers.models import TriggerSettings
from triggers.routing import route
from triggers.values import Arrival


def said(who: Person, told: Any) -> None:
    """What a listener does with a notification that is let in and not heeded."""
    routed = route(told if isinstance(told, str) else json.dumps(told))
    found = [Arrival(server="ci", channel=routed.channel, content=routed.content, received_at=clock.now())] if routed else []
    store(who.account.pk, found)


@pytest.mark.parametrize(
    ("told", "channel"),
    [
        pytest.param({"method": "notifications/progress", "params": {"progress": 1}}, "progress", id="C-20-progress"),
        pytest.param({"method": "notifications/message", "params": {"data": "x"}}, "message", id="C-20-message"),
        pytest.param({"method": "channel/message", "params": {"metadata": {"protocol": "handled"}}}, "default", id="C-26"),
        pytest.param("not json", "raw", id="C-15"),
        pytest.param({"method": "custom.event"}, "custom.event", id="C-18"),
    ],
)
def test_it_is_listed_under_its_channel_and_waits_for_attention(alice: Person, told: Any, channel: str) -> None:
    said(alice, told)
    found = reading.listed(alice.actor)
    assert ([row.channel for row in found.messages], found.unread) == ([channel], 1)


def test_c_21_what_is_swallowed_is_not_stored_and_spends_no_number(alice: Person) -> None:
    said(alice, {"method": "notifications/initialized"})
    kept = TriggerSettings.objects.get(account=alice.account)
    assert (kept.last_seq, kept.stored, reading.listed(alice.actor).total) == (0, 0, 0)


def test_a_list_asks_the_database_a_few_things_however_long_it_is(alice: Person, django_assert_max_num_queries: Any) -> None:
    for number in range(30):
        said(alice, {"method": f"event.{number}"})
    with django_assert_max_num_queries(3):
        reading.listed(alice.actor, limit=200)
    with django_assert_max_num_queries(3):
        reading.banner(alice.actor)
