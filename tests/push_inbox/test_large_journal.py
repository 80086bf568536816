"""A journal of long lines fills no memory, and its moments are such that every page can tell them."""

import io
import json
import tracemalloc

import pytest
from django.test import Client, override_settings

from tests.make import Person
from triggers.inbox.journal.importing import import_journal
from triggers.models import PushMessage

pytestmark = pytest.mark.django_db
LINE, LINES = 4_000_000, 20


class Lines(io.BytesIO):
    """So many long lines, made as they are asked for."""

    given = 0

    def readline(self, most: int | None = -1, /) -> bytes:
        self.given += 1
        content = "x" * LINE
        return json.dumps({"seq": self.given, "content": content}).encode() + b"\n" if self.given <= LINES else b""


def test_of_long_lines_few_are_held_at_a_time(alice: Person) -> None:
    tracemalloc.start()
    try:
        told = import_journal(alice.actor, [("channels.jsonl", Lines())], progress=lambda _: None)
        _now, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (told.stored, told.left_out) == (LINES, 0) and PushMessage.objects.count() == LINES
    assert most < 10 * LINE


@pytest.mark.parametrize("zone", ["Asia/Tokyo", "America/New_York"])
@pytest.mark.parametrize("time", ["0002-01-01T00:00:00Z", "9998-12-31T23:59:59Z"])
def test_the_earliest_and_the_latest_moment_stand_on_the_pages(alice: Person, client: Client, zone: str, time: str) -> None:
    line = json.dumps({"seq": 7, "time": time, "content": "it"}).encode() + b"\n"
    assert import_journal(alice.actor, [("channels.jsonl", io.BytesIO(line))], progress=lambda _: None).stored == 1
    client.force_login(alice.user)
    with override_settings(TIME_ZONE=zone):
        assert [client.get(f"/admin/inbox/{part}").status_code for part in ("", "7/", "figures/")] == [200] * 3
