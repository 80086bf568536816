"""A journal comes in line by line, and goes out the same."""

import io
import json
from typing import Any

import pytest

from tests.clock import Clock
from tests.make import Person
from tests.push_inbox.journals import bring, journal, line, one, seqs
from tests.pushing import push_many, pushed, rule
from triggers.inbox import cleaning, reading
from triggers.inbox.journal.importing import Skipped
from triggers.models import Firing, PushMessage, TriggerSettings


def check_counters(who: Person) -> None:
    rows, kept = list(PushMessage.objects.filter(account=who.account)), TriggerSettings.objects.get(account=who.account)
    told = (kept.stored, kept.trail_bytes, kept.unread)
    assert told == (len(rows), sum(row.size for row in rows), sum(row.unread for row in rows))


def test_c_30_a_garbage_line_costs_no_other_and_is_reported_with_its_number(alice: Person) -> None:
    done = one(alice, line(1), b"garbage", line(3))
    assert (done.stored, seqs(alice)) == (2, [1, 3])
    assert done.skipped == [Skipped("channels.jsonl", 2, "it is no JSON object.")]


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\n\n", b"\r\n \t\r\n"])
def test_c_30_lines_may_end_in_other_ways_and_blank_ones_count_in_the_numbers(alice: Person, mark: bytes, end: bytes) -> None:
    told = mark + end.join([line(4), b"garbage", line(2), b"\x00\xff", line(9)])
    done = bring(alice, ("j", io.BytesIO(told)))
    assert (done.stored, seqs(alice), pushed(alice).seq) == (3, [2, 4, 9], 10)
    step = end.count(b"\n")
    assert [(skip.line, skip.why) for skip in done.skipped] == [
        (1 + step, "it is no JSON object."),
        (1 + 3 * step, "it is no JSON object."),
    ]


def test_an_empty_journal_stores_nothing(alice: Person) -> None:
    done = bring(alice, ("j", io.BytesIO(b"")), ("j.1", io.BytesIO(b"\n\n")))
    assert (done.stored, done.left_out, seqs(alice)) == (0, 0, [])


def test_c_32_rotated_files_come_first_and_the_live_list_shows_the_newest_200(alice: Person) -> None:
    newest = journal(*[line(number) for number in range(191, 231)])
    older = journal(*[line(number) for number in range(1, 191)])
    done = bring(alice, ("channels.jsonl", newest), ("channels.jsonl.1", older))
    assert (done.stored, seqs(alice)) == (230, list(range(1, 231)))
    found = reading.listed(alice.actor, limit=1_000)
    assert [row.seq for row in found.messages] == list(range(31, 231))
    assert (found.total, pushed(alice).seq) == (200, 231)


def test_rotated_files_without_numbers_in_them_are_numbered_oldest_first(alice: Person) -> None:
    def told(content: str) -> io.BytesIO:
        return journal(json.dumps({"channel": "ci", "content": content}).encode())

    bring(alice, ("j.jsonl", told("new")), ("j.jsonl.1", told("old")), ("j.jsonl.10", told("oldest")))
    assert [row.content for row in reading.listed(alice.actor).messages] == ["oldest", "old", "new"]


def test_c_33_a_half_line_at_the_end_is_reported_and_a_live_push_follows(alice: Person) -> None:
    done = one(alice, line(1), line(2), line(3)[:20], end=b"")
    assert done.skipped == [Skipped("channels.jsonl", 3, "the file ends in the middle of it.")]
    assert pushed(alice, "live").seq == 3
    assert [row.content for row in reading.listed(alice.actor).messages] == ["m1", "m2", "live"]


def test_a_whole_line_without_a_newline_at_the_end_is_imported(alice: Person) -> None:
    assert one(alice, line(1), line(2), end=b"").stored == 2


def test_c_34_after_a_line_of_5_mib_the_rows_go_on(alice: Person) -> None:
    done = one(alice, line(1), line(2, content="x" * 5 * 1024 * 1024), line(3))
    assert (done.stored, seqs(alice), pushed(alice).seq) == (2, [1, 3], 4)
    assert [(skip.line, "longer than" in skip.why) for skip in done.skipped] == [(2, True)]


def test_content_past_the_limit_is_cut(alice: Person, settings: Any) -> None:
    settings.PUSH_CONTENT_BYTES = 256
    one(alice, line(1, content="x" * 1_000))
    assert len(PushMessage.objects.get().content) == 256


def test_no_more_than_a_line_is_asked_of_the_file_at_a_time(alice: Person) -> None:
    class Watched(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            raise AssertionError("the whole file")

        def readlines(self, hint: int | None = -1, /) -> list[bytes]:
            raise AssertionError("the whole file")

    told: list[int] = []
    raw = journal(*[line(number) for number in range(1, 251)]).getvalue()
    assert bring(alice, ("j", Watched(raw)), progress=told.append).stored == 250
    assert (len(told), sum(told)) == (250, len(raw))


def test_imported_rows_count_as_read_and_fire_no_rule(alice: Person) -> None:
    rule(alice, "told")
    one(alice, line(1), line(2))
    found = reading.listed(alice.actor)
    assert (len(found.messages), found.unread, Firing.objects.count()) == (2, 0, 0)
    assert {(row.unread, row.imported) for row in found.messages} == {(False, True)}
    check_counters(alice)


def test_numbers_rise_to_the_highest_and_never_fall(alice: Person) -> None:
    push_many(alice, 5)
    one(alice, line(40), line(7))
    assert (seqs(alice), pushed(alice).seq) == ([1, 2, 3, 4, 5, 7, 40], 41)


def test_the_same_journal_again_stores_nothing(alice: Person) -> None:
    one(alice, line(1), line(2))
    done = one(alice, line(1), line(2), line(2), line(3))
    assert (done.stored, done.known, done.left_out) == (1, 3, 0)
    check_counters(alice)


def test_lines_without_a_time_are_there_already_when_they_come_again(alice: Person, clock: Clock) -> None:
    timeless = [json.dumps({"seq": number, "channel": "ci", "content": f"m{number}"}).encode() for number in (1, 2)]
    assert one(alice, *timeless).stored == 2
    clock.forward(hours=1)
    done = one(alice, *timeless, line(1), timeless[1].replace(b"m2", b"m3"))
    assert (done.stored, done.known, [skip.line for skip in done.skipped]) == (0, 2, [3, 4])


def test_a_number_that_holds_another_message_is_left_as_it_is(alice: Person) -> None:
    pushed(alice, "ours")
    done = one(alice, line(1), line(2), line(2, content="twice"))
    assert [(skip.line, skip.why) for skip in done.skipped] == [
        (1, "its number holds another message."),
        (3, "its number holds another message."),
    ]
    assert [row.content for row in reading.listed(alice.actor).messages] == ["ours", "m2"]


def test_a_line_without_a_number_gets_the_next(alice: Person) -> None:
    one(alice, line(5), b'{"channel":"ci","content":"next"}', line(7))
    assert [(row.seq, row.content) for row in reading.listed(alice.actor).messages] == [(5, "m5"), (6, "next"), (7, "m7")]


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b"[]", "it is no JSON object."),
        (b'"x"', "it is no JSON object."),
        (b"[" * 100_000, "it is no JSON object."),
        (b"{}", "it has neither content nor channel."),
        (line(0), "seq is no whole number"),
        (line(2**60), "seq is no whole number"),
        (line(1).replace(b'"seq": 1', b'"seq": "1"'), "seq is no whole number"),
        (line(1).replace(b'"seq": 1', b'"seq": true'), "seq is no whole number"),
        (line(1, time="yesterday"), "its time is no moment"),
        (line(1, time=[]), "its time is no moment"),
        (line(1, time=float("nan")), "its time is no moment"),
        (line(1, time="-Infinity"), "its time is no moment"),
        (line(1, time=10**400), "its time is no moment"),
        (line(1, time="2025-02-30T00:00:00Z"), "its time is no moment"),
        (line(-1), "seq is no whole number"),
        (line(1).replace(b'"seq": 1', b'"seq": 1.0'), "seq is no whole number"),
        (line(1).decode().encode("utf-16"), "it is no JSON object."),
        (line(1) + line(2), "it is no JSON object."),
        (b"\x00\x7fELF\xff", "it is no JSON object."),
        (line(1, time=1e300), "its time is no moment"),
        (line(1, time="0001-01-01T00:00:00+23:00"), "its time is no moment"),
        (line(1, time="0001-01-01T00:00:00Z"), "its time is no moment"),
        (line(1, time="9999-12-31T23:59:59Z"), "its time is no moment"),
    ],
)
def test_a_line_that_is_no_message_is_reported_without_its_text(alice: Person, raw: bytes, why: str) -> None:
    done = one(alice, line(8), raw, line(9))
    assert (done.stored, done.left_out) == (2, 1)
    assert done.skipped[0].line == 2 and done.skipped[0].why.startswith(why)


@pytest.mark.parametrize(
    ("told", "moment"),
    [
        ({"time": "2025-01-02T03:04:05Z"}, "2025-01-02T03:04:05+00:00"),
        ({"timestamp": "2025-01-02T05:04:05.25+02:00"}, "2025-01-02T03:04:05.250000+00:00"),
        ({"timestamp": "2025-01-02 03:04:05"}, "2025-01-02T03:04:05+00:00"),
        ({"ts": 1735787045}, "2025-01-02T03:04:05+00:00"),
        ({"time": 1735787045250}, "2025-01-02T03:04:05.250000+00:00"),
        ({"time": 1735787045250000}, "2025-01-02T03:04:05.250000+00:00"),
        ({"time": 1735787045250000000}, "2025-01-02T03:04:05.250000+00:00"),
        ({"time": " 1735787045.25 "}, "2025-01-02T03:04:05.250000+00:00"),
        ({"time": "2025-01-02t03:04:05.250123456z"}, "2025-01-02T03:04:05.250123+00:00"),
    ],
)
def test_times_are_read_as_they_are_found(alice: Person, told: dict[str, object], moment: str) -> None:
    one(alice, json.dumps({"seq": 1, "server": "s", "channel": "c", "content": "x", **told}).encode())
    assert PushMessage.objects.get().received_at.isoformat() == moment


def test_what_a_line_leaves_out_is_filled_in(alice: Person) -> None:
    one(alice, b'\xef\xbb\xbf{"content":{"a":1}}', b"", b'{"channel":"ci"}', b'{"text":"t\xff\\ud800\\u0000"}')
    rows = reading.listed(alice.actor).messages
    assert [(row.server, row.channel, row.content) for row in rows] == [
        ("journal", "default", '{"a":1}'),
        ("journal", "ci", ""),
        ("journal", "default", "t\ufffd\ufffd\ufffd"),
    ]


def test_past_the_cap_the_oldest_are_trimmed(alice: Person, settings: Any) -> None:
    size = cleaning.size("prom", "ci", "", "m10")
    settings.PUSH_TRAIL_BYTES = 5 * size
    done = one(alice, *[line(number) for number in range(10, 20)])
    assert (done.stored, done.trimmed, seqs(alice)) == (10, 6, [16, 17, 18, 19])
    check_counters(alice)


def test_of_many_bad_lines_a_thousand_are_named_and_all_counted(alice: Person) -> None:
    done = one(alice, *[b"x"] * 1_200)
    assert (len(done.skipped), done.left_out) == (1_000, 1_200)
