"""Messages of many sessions at once, and of transcripts with many before them."""

import uuid
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from sessions_app import cutting
from sessions_app.listing.messages import newest
from sessions_app.listing.reading import Wanted, list_sessions
from sessions_app.models import Session
from sessions_app.transcripts.actions import append
from tests import make


def filled(who: make.Person, count: int, messages: int = 3) -> list[Session]:
    made = [make.session(who, f"hook:{number}") for number in range(count)]
    for held in made:
        for number in range(messages):
            append(held, {"role": "assistant", "content": f"{held.key} {number}"})
            append(held, {"role": "toolResult", "content": "42"})
    return made


def queries(who: make.Person, limit: int) -> int:
    with CaptureQueriesContext(
        connection,
    ) as seen:
        list_sessions(who.actor, None, Wanted(limit=limit, messages=2))
    return len(seen)


def test_each_row_has_its_own_last_messages_oldest_first(alice: make.Person) -> None:
    filled(alice, 3)
    make.session(alice, "hook:empty")
    rows = {row["key"]: row["messages"] for row in list_sessions(alice.actor, None, Wanted(messages=2)).rows}
    assert rows.pop("hook:empty") == []
    assert {key: [each["content"] for each in said] for key, said in rows.items()} == {
        f"hook:{number}": [f"hook:{number} 1", f"hook:{number} 2"] for number in range(3)
    }


def test_a_page_asks_as_often_for_ten_rows_as_for_two(alice: make.Person) -> None:
    filled(alice, 10)
    assert queries(alice, 2) == queries(alice, 10) <= 6


def test_of_a_transcript_begun_anew_only_the_new_ones_are_listed(alice: make.Person) -> None:
    held = filled(alice, 1)[0]
    Session.objects.filter(pk=held.pk).update(session_id=uuid.uuid4())
    held.refresh_from_db()
    assert list(newest(held, 10)) == list_sessions(alice.actor, None, Wanted(messages=5)).rows[0]["messages"] == []
    append(held, {"role": "assistant", "content": "anew"})
    said = list_sessions(alice.actor, None, Wanted(messages=5)).rows[0]["messages"]
    assert [each["content"] for each in said] == ["anew"]


@pytest.mark.parametrize("name", ["apiKey", "password", "Authorization"])
def test_a_member_that_holds_a_secret_is_masked_whatever_it_looks_like(name: str) -> None:
    flags = cutting.Flags()
    message: dict[str, Any] = {
        "role": "assistant",
        "content": [{"type": "toolCall", "arguments": {name: "plain words", "sessionKey": "main"}}],
    }
    told = cutting.cleaned(message, flags)
    assert told["content"][0]["arguments"] == {name: "***", "sessionKey": "main"} and flags.redacted


@pytest.mark.parametrize(
    "block",
    [
        {"type": "image", "data": "QUJD" * 9000},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "QUJD" * 9000}},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "QUJD" * 9000}},
        {"type": "input_audio", "data": "QUJD" * 9000},
    ],
    ids=["plain", "source", "address", "audio"],
)
def test_o_27_the_data_of_no_form_of_image_is_told(block: dict[str, Any]) -> None:
    flags = cutting.Flags()
    told = cutting.cleaned({"role": "user", "content": [block]}, flags)
    assert cutting.size_of(told) < 300 and flags.cut


def test_an_odd_type_of_a_block_is_no_error() -> None:
    odd = {"type": ["image"], "data": "x"}
    assert cutting.cleaned({"role": "user", "content": [odd]}, cutting.Flags())["content"] == [odd]
