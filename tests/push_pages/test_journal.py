"""Journals on a page: brought in whole or in pieces, and taken away."""

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from audit.models import Entry
from tests import make, pushing
from tests.asgi import run
from triggers.models import PushMessage, TriggerSettings

JOURNAL, PIECE, EXPORT = (reverse(f"admin:push-journal{name}") for name in ("", "-piece", "-export"))


def line(seq: int, content: str = "hello") -> bytes:
    told = {"seq": seq, "time": "2026-01-02T03:04:05Z", "server": "prom", "channel": "alerts", "content": content}
    return json.dumps(told).encode() + b"\n"


def lines(first: int, last: int) -> bytes:
    return b"".join(line(seq) for seq in range(first, last + 1))


def upload(browser: Client, text: bytes, address: str = JOURNAL, name: str = "channels.jsonl") -> Any:
    return browser.post(address, {"journal": SimpleUploadedFile(name, text)})


def whole(answer: Any) -> bytes:
    async def read() -> bytes:
        return b"".join([piece async for piece in answer.streaming_content])

    return run(read())


def seqs(who: make.Person) -> list[int]:
    return list(PushMessage.objects.filter(account=who.account).order_by("seq").values_list("seq", flat=True))


def test_c_30_a_bad_line_is_told_with_its_number_and_costs_no_other(alice: make.Person, as_alice: Client) -> None:
    page = upload(as_alice, line(1) + b"{garbage <b>\n" + line(3))
    assert seqs(alice) == [1, 3] and page.context["done"].stored == 2
    text = page.content.decode()
    assert "channels.jsonl" in text and "line 2:" in text and "<b>\n" not in text
    assert TriggerSettings.objects.get(account=alice.account).last_seq == 3


def test_c_33_a_half_line_at_the_end_is_told(alice: make.Person, as_alice: Client) -> None:
    page = upload(as_alice, line(1) + line(2)[:30])
    pushed = pushing.pushed(alice, "live")
    assert "line 2:" in page.content.decode() and seqs(alice) == [1, 2] and pushed.seq == 2


def test_c_32_pieces_of_rotated_journals_end_up_in_order(alice: make.Person, as_alice: Client) -> None:
    for text, name in (
        (lines(1, 100), "channels.jsonl.1"),
        (lines(101, 190), "channels.jsonl.1"),
        (lines(191, 230), "channels.jsonl"),
    ):
        assert upload(as_alice, text, PIECE, name).json()["left_out"] == 0
    assert seqs(alice) == list(range(1, 231))
    live = as_alice.get(reverse("admin:push-inbox")).context["found"].rows
    assert [each.seq for each in live][:2] == [230, 229]


def test_the_same_piece_again_is_nothing_new(alice: make.Person, as_alice: Client) -> None:
    upload(as_alice, lines(1, 3), PIECE)
    assert upload(as_alice, lines(1, 3), PIECE).json() == {"stored": 0, "known": 3, "trimmed": 0, "left_out": 0, "skipped": []}


def test_what_came_in_counts_as_read_and_is_audited(alice: make.Person, as_alice: Client) -> None:
    upload(as_alice, lines(1, 3))
    assert not PushMessage.objects.filter(unread=True).exists() and PushMessage.objects.filter(imported=True).count() == 3
    entry = Entry.objects.get(deed="push.imported")
    assert (entry.door, entry.details["stored"]) == ("page", 3)


@pytest.mark.parametrize("given", [{}, {"journal": "no file"}])
def test_without_a_file_it_says_so(given: dict[str, str], as_alice: Client) -> None:
    assert "Choose a file." in as_alice.post(JOURNAL, given).content.decode()
    answer = as_alice.post(PIECE, given)
    assert (answer.status_code, answer.json()) == (400, {"detail": "Choose a file."})


@pytest.mark.parametrize("text", [b"", b"\n\n", b"\xff\xfe\x00", b"[]\nnull\n42\n", b'{"seq": 1e400, "content": "x"}\n'])
def test_no_bytes_make_it_fail(text: bytes, alice: make.Person, as_alice: Client) -> None:
    assert upload(as_alice, text).status_code == 200 and upload(as_alice, text, PIECE).status_code == 200
    assert seqs(alice) == []


def test_all_that_is_kept_is_taken_away_and_comes_back_the_same(
    alice: make.Person, charlie: make.Person, as_alice: Client, as_charlie: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("triggers.owning.pages_journal.CHUNK", 2)
    pushing.push_many(alice, 5)
    PushMessage.objects.filter(seq=2).update(cleared=True)
    answer = as_alice.post(EXPORT)
    text = whole(answer)
    assert answer.headers["Content-Disposition"].endswith('.jsonl"') and text.count(b"\n") == 5
    assert Entry.objects.filter(deed="push.exported", account_id=alice.account.pk).exists()
    upload(as_charlie, text)
    assert seqs(charlie) == seqs(alice)
    assert whole(as_charlie.post(EXPORT)) == text


def test_nobody_else_s_messages_are_taken_away(alice: make.Person, as_charlie: Client, as_staff: Client) -> None:
    pushing.pushed(alice, "only for alice")
    for browser in (as_charlie, as_staff):
        assert whole(browser.post(EXPORT)) == b""


def test_a_page_of_another_site_brings_nothing_in(alice: make.Person) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(alice.user)
    assert {upload(strict, lines(1, 1), address).status_code for address in (JOURNAL, PIECE, EXPORT)} == {403}
    assert seqs(alice) == []
