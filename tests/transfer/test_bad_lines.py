"""An imported file is somebody's text: a bad line costs itself and nothing else."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from hypothesis import given
from hypothesis import strategies as st

from chat.models import Counter, Message
from chat.transfer.lines import parse
from core import clock
from core.errors import Invalid
from tests import make

HEADER = json.dumps({"format": "tertulia-chat", "version": 1, "account": "x", "exported_at": "x", "messages": 1})
GOOD: dict[str, Any] = {
    "seq": 5, "topic": "general", "session_name": "peer", "connection_id": "c-0123456789abcdef", "handle": "",
    "author": "c-0123456789abcdef", "time": "2026-11-20T12:00:00.5Z", "thread": 5, "reply_to": None, "mentions": [],
    "client_key": None, "body": "hello",
}  # fmt: skip
Write = Callable[..., str]


def without(name: str) -> dict[str, Any]:
    return {field: value for field, value in GOOD.items() if field != name}


BAD: dict[str, tuple[Any, str]] = {
    "no JSON": (b"{", "no JSON object"),
    "no object": (b"[1]", "no JSON object"),
    "no UTF-8": (b'{"seq": "\xff"}', "no JSON object"),
    "nested deep": (b"[" * 100_000, "no JSON object"),
    "a number without end": (b'{"seq": ' + b"9" * 10_000 + b"}", "no JSON object"),
    "a field too few": (without("thread"), "exactly the fields"),
    "a field too many": (GOOD | {"allowed": True}, "exactly the fields"),
    "seq 0": (GOOD | {"seq": 0}, "seq takes"),
    "seq true": (GOOD | {"seq": True}, "seq takes"),
    "seq as text": (GOOD | {"seq": "5"}, "seq takes"),
    "seq as a fraction": (GOOD | {"seq": 5.0}, "seq takes"),
    "seq that leaves no number": (GOOD | {"seq": 2**63 - 1, "thread": 1}, "seq takes"),
    "a thread above": (GOOD | {"thread": 6}, "thread takes"),
    "no thread": (GOOD | {"thread": None}, "thread takes"),
    "a reply to itself": (GOOD | {"reply_to": 5, "thread": 1}, "reply_to takes"),
    "a reply that opens a thread": (GOOD | {"reply_to": 4}, "reply_to takes"),
    "an empty body": (GOOD | {"body": ""}, "empty"),
    "a long body": (GOOD | {"body": "x" * 8193}, "8192"),
    "a control character": (GOOD | {"body": "a\x1b[2Jb"}, "U+001B"),
    "a zero": (GOOD | {"body": "a\x00b"}, "U+0000"),
    "half a pair": (GOOD | {"body": "a\ud800b"}, "U+D800"),
    "a body of another kind": (GOOD | {"body": ["x"]}, "body takes text"),
    "a topic off the grammar": (GOOD | {"topic": "Docs"}, "a-z 0-9"),
    "no topic": (GOOD | {"topic": None}, "topic takes text"),
    "a name with a line break": (GOOD | {"session_name": "a\nb"}, "printable"),
    "a name too long": (GOOD | {"session_name": "x" * 65}, "1 to 64"),
    "an agent as maintainer": (GOOD | {"session_name": "maintainer"}, "belongs to the owner"),
    "a name like maintainer": (GOOD | {"session_name": "Maintainer", "connection_id": "", "author": "user:1"}, "belongs to"),
    "a connection that is none": (GOOD | {"connection_id": "<b>"}, "connection_id takes"),
    "a handle that is none": (GOOD | {"handle": "A b"}, "handle takes"),
    "an author that is none": (GOOD | {"author": "nobody"}, "author takes"),
    "mentions of a kind": (GOOD | {"mentions": [1]}, "mentions takes"),
    "mentions as text": (GOOD | {"mentions": "abc"}, "mentions takes"),
    "too many mentions": (GOOD | {"mentions": ["a"] * 21}, "mentions takes"),
    "an empty key": (GOOD | {"client_key": ""}, "client_key takes"),
    "a time without a zone": (GOOD | {"time": "2026-11-20T12:00:00"}, "time takes"),
    "a time that is none": (GOOD | {"time": "yesterday"}, "time takes"),
    "a time as a number": (GOOD | {"time": 0}, "time takes"),
    "a time before time": (GOOD | {"time": "0001-01-01T00:00:00+14:00"}, "time takes"),
    "a time to come": (GOOD | {"time": "2999-01-01T00:00:00Z"}, "future"),
}


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def written(*lines: Any, header: Any = HEADER) -> str:
        file = tmp_path / "chat.jsonl"
        raw = [each if isinstance(each, bytes) else json.dumps(each).encode() for each in lines]
        file.write_bytes(b"\n".join([header.encode() if isinstance(header, str) else header, *raw]) + b"\n")
        return str(file)

    return written


def bring(file: str) -> tuple[str, str, str]:
    """What an import printed, what it complained of, and how it ended."""
    out, err, end = io.StringIO(), io.StringIO(), ""
    try:
        call_command("chat", "import", file, stdout=out, stderr=err)
    except CommandError as error:
        end = str(error)
        assert error.returncode == 1 and "\n" not in end
    return out.getvalue(), err.getvalue(), end


@pytest.mark.parametrize("name", BAD)
def test_a_bad_line_costs_only_itself_and_is_told_by_its_number(name: str, alice: make.Person, write: Write) -> None:
    line, reason = BAD[name]
    out, err, end = bring(write(GOOD, line, GOOD | {"seq": 7, "thread": 7}))
    assert [message.seq for message in Message.objects.order_by("seq")] == [5, 7]
    assert "2 messages stored" in out and err.startswith("line 3: ") and reason in err
    assert end == "1 line was left out, for the reasons above; all others are stored."
    assert Counter.objects.get().last_seq == 7


def test_many_bad_lines_are_counted_not_listed(alice: make.Person, write: Write) -> None:
    _, err, end = bring(write(*[b"x"] * 50, GOOD))
    assert err.count("line ") == 20 and "… and 30 more lines" in err and end.startswith("50 lines")
    assert Message.objects.count() == 1


@pytest.mark.parametrize("header", [b"", b"x", b"[]", json.dumps(GOOD), '{"format": "other", "version": 1}'])
def test_a_file_that_is_no_export_is_refused_whole(header: Any, alice: make.Person, write: Write) -> None:
    out, err, end = bring(write(GOOD, header=header))
    assert "is no exported chat" in end and (out, err) == ("", "") and not Message.objects.exists()


@pytest.mark.parametrize("version", [2, "1", True, None])
def test_a_file_of_another_version_is_refused_whole(version: Any, alice: make.Person, write: Write) -> None:
    header = json.dumps({"format": "tertulia-chat", "version": version})
    assert "another version" in bring(write(GOOD, header=header))[2] and not Message.objects.exists()


def test_a_number_that_holds_another_message_is_a_conflict_and_stays_as_it_is(alice: make.Person, write: Write) -> None:
    bring(write(GOOD))
    out, err, _ = bring(write(GOOD | {"body": "forged"}, GOOD, GOOD | {"seq": 6, "thread": 6}))
    assert "1 message stored, 1 there already" in out
    assert err == "line 2: message #5 was left out: the number holds another message.\n"
    assert Message.objects.get(seq=5).body == "hello"


def test_one_number_twice_in_a_file_is_stored_once(alice: make.Person, write: Write) -> None:
    out, err, _ = bring(write(GOOD, GOOD, GOOD | {"body": "other"}))
    assert "1 message stored, 1 there already" in out and "line 4: message #5" in err
    assert Message.objects.get().body == "hello"


def test_a_client_key_is_used_once(alice: make.Person, write: Write) -> None:
    first, second = GOOD | {"client_key": "k"}, GOOD | {"seq": 6, "thread": 6, "client_key": "k"}
    _, err, _ = bring(write(first, second, second | {"author": "user:1"}))
    assert err.startswith("line 3: message #6 was left out: another message of its author has its client_key")
    assert Message.objects.count() == 2


def test_w_05_a_reply_stays_in_its_parents_topic_and_thread(alice: make.Person, write: Write) -> None:
    reply = GOOD | {"seq": 6, "thread": 5, "reply_to": 5}
    _, err, _ = bring(write(GOOD, reply | {"topic": "elsewhere"}, reply | {"seq": 7, "thread": 4}, reply | {"seq": 8}))
    assert err.count("it answers #5, which lies in another topic or thread") == 2
    assert [message.seq for message in Message.objects.order_by("seq")] == [5, 8]


def test_a_reply_to_what_is_gone_is_kept(alice: make.Person, write: Write) -> None:
    assert bring(write(GOOD | {"reply_to": 2, "thread": 2}))[2] == ""
    assert Message.objects.get().reply_to == 2


def test_empty_lines_a_mark_of_byte_order_and_windows_line_ends_are_nothing(alice: make.Person, tmp_path: Path) -> None:
    file = tmp_path / "chat.jsonl"
    file.write_bytes(b"\xef\xbb\xbf" + f"{HEADER}\r\n\r\n{json.dumps(GOOD)}\r\n\n".encode())
    assert bring(str(file)) == ("1 message stored, 0 there already\n", "", "")


def test_a_line_without_end_is_left_out_and_not_kept_in_memory(
    alice: make.Person, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chat.transfer.importing.LINE_BYTES", 2000)
    _, err, _ = bring(write(b"x" * 1_000_000, GOOD, b"y" * 5_000))
    assert err.startswith("line 2: it is longer than 2000 bytes") and "line 4" in err and Message.objects.count() == 1


def test_an_unsorted_file_is_stored_all_the_same(alice: make.Person, write: Write) -> None:
    lines = [GOOD | {"seq": seq, "thread": seq} for seq in (9, 3, 300, 1)]
    assert "4 messages stored" in bring(write(*lines))[0] and Counter.objects.get().last_seq == 300


def test_storage_is_a_limit_to_imports_too(
    alice: make.Person, write: Write, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.CHAT_STORAGE_BYTES = 12
    monkeypatch.setattr("chat.transfer.importing.BATCH", 1)
    lines = [GOOD | {"seq": seq, "thread": seq} for seq in (1, 2, 3)]
    out, _, end = bring(write(*lines))
    assert "2 messages stored" in out and "12 bytes (CHAT_STORAGE_BYTES)" in end
    assert Counter.objects.get().stored_bytes == 10 == sum(len(message.body) for message in Message.objects.all())
    settings.CHAT_STORAGE_BYTES = 0
    assert "1 message stored, 2 there already" in bring(write(*lines))[0]


@pytest.mark.parametrize("name", ["", "nowhere.jsonl", "."])
def test_a_file_that_cannot_be_read_is_one_sentence(name: str, alice: make.Person, tmp_path: Path) -> None:
    assert "cannot be read" in bring(str(tmp_path / name))[2]


VALUES = st.none() | st.integers() | st.text() | st.lists(st.integers())
OBJECTS = st.fixed_dictionaries({name: VALUES | st.just(value) for name, value in GOOD.items()})


@given(raw=st.binary(max_size=300) | OBJECTS.map(lambda told: json.dumps(told).encode()))
def test_whatever_a_line_holds_it_is_a_message_or_refused(raw: bytes) -> None:
    try:
        parse(raw, most_bytes=100, now=clock.now())
    except Invalid as refusal:
        assert refusal.detail.endswith(".")
