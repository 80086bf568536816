"""A listener that goes on for a moment with a server that was changed."""

from dataclasses import replace

import pytest

from core import clock
from tests import make
from tests.push_listening.holding import claimed
from triggers.listening import actions
from triggers.listening.buffer import Entry
from triggers.models import PushMessage, PushServer
from triggers.servers.actions import save_server
from triggers.servers.drafts import ServerDraft
from triggers.values import Arrival


def heard(server: PushServer, number: str) -> None:
    arrival = Arrival(server=server.name, channel="ci", content=number, received_at=clock.now())
    actions.store(server, [Entry(arrival, number)], 0, number)


@pytest.fixture(autouse=True)
def looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("triggers.servers.actions.check_outbound", lambda url: None)


def test_what_it_heard_is_stored_and_the_place_of_the_other_stream_stays(alice: make.Person) -> None:
    """Or the new address would be told an id of the old one, and asked for what came after it."""
    before = claimed(alice, url="https://old.example.org/mcp")
    heard(before, "7")
    assert PushServer.objects.get().last_event_id == "7"
    draft = ServerDraft(name="prom", url="https://new.example.org/mcp")
    save_server(alice.actor, draft)
    heard(before, "8")
    assert PushServer.objects.get().last_event_id == ""
    assert list(PushMessage.objects.order_by("seq").values_list("content", flat=True)) == ["7", "8"]
    now = claimed_again(before)
    heard(now, "1")
    save_server(alice.actor, replace(draft, channels=("ci",)))
    assert PushServer.objects.get().last_event_id == "1"


def claimed_again(before: PushServer) -> PushServer:
    now = PushServer.objects.get(pk=before.pk)
    assert now.lease == before.lease and now.version > before.version
    return now
