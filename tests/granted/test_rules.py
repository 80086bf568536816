"""Handles, versions of Pi, and states: pure."""

import re
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as some

from chat.grants import rules
from chat.topics import looks_reserved

PLAIN = some.text(alphabet="abcdefghijklmnopqrstuvwxyz0123456789-", min_size=1, max_size=32)


@given(some.text(max_size=40))
def test_a_handle_is_of_32_small_letters_digits_and_hyphens_and_nothing_else(text: str) -> None:
    plain = re.fullmatch(r"[a-z0-9-]{1,32}", text, re.ASCII) is not None
    assert rules.is_handle(text) == (plain and not looks_reserved(text))


@pytest.mark.parametrize("text", ["lead", "lead-2", "0", "-", "a" * 32])
def test_these_are_handles(text: str) -> None:
    assert rules.is_handle(text)


@pytest.mark.parametrize(
    "text",
    ["", "Lead", "lead ", " lead", "lead\n", "le_ad", "lé", "a" * 33, "maintainer", "main-tainer", "ma1nta1ner", "maintainer-2"],
)
def test_these_are_none_and_nobody_is_taken_for_the_owner(text: str) -> None:
    assert not rules.is_handle(text)


@given(PLAIN, some.sets(PLAIN, max_size=4), some.integers(min_value=0, max_value=40))
def test_what_is_suggested_is_a_handle_that_is_free(profile: str, taken: set[str], busy: int) -> None:
    taken = taken | {profile} | {f"{profile}-{number}"[:32] for number in range(2, busy)}
    offered = rules.suggestion(profile, taken)
    assert rules.is_handle(offered) and offered not in taken


@pytest.mark.parametrize(
    ("profile", "taken", "offered"),
    [
        ("lead", set(), "lead"),
        ("lead", {"lead"}, "lead-2"),
        ("lead", {"lead", "lead-2", "lead-4"}, "lead-3"),
        ("lead", {"lead-2"}, "lead"),
        ("a" * 32, {"a" * 32}, "a" * 30 + "-2"),
        ("maintainer", set(), "agent"),
        ("", {"agent"}, "agent-2"),
    ],
)
def test_the_profile_is_suggested_then_with_the_first_free_number(profile: str, taken: set[str], offered: str) -> None:
    assert rules.suggestion(profile, taken) == offered


@pytest.mark.parametrize(
    ("version", "age"),
    [
        ("0.98.9", "too old"),
        ("0.99.0-beta.1", "too old"),
        ("0.9.100", "too old"),
        ("0.99.0", "new enough"),
        ("v0.99.0", "new enough"),
        ("0.99.1-beta", "new enough"),
        ("0.99.0+build.5", "new enough"),
        ("1.0.0", "new enough"),
        (" 0.100.0\n", "new enough"),
        ("", "unreadable"),
        ("unknown", "unreadable"),
        ("0.99", "unreadable"),
        ("0.99.0 or newer", "unreadable"),
        ("٠.٩٩.٠", "unreadable"),
        ("9" * 64, "unreadable"),
    ],
)
def test_t_06_a_version_of_pi_is_told_apart(version: str, age: str) -> None:
    assert rules.pi_age(version) == age


GRANTED, BEFORE, AFTER = (datetime(2026, 11, 29, hour, tzinfo=UTC) for hour in (12, 11, 13))


@pytest.mark.parametrize(
    ("told", "state"),
    [
        ({"is_live": True}, "ungranted"),
        ({"is_live": False}, "ended"),
        ({"is_live": True, "listed_at": BEFORE}, "ungranted"),
        ({"is_live": True, "granted_at": GRANTED}, "granted-tools-pending"),
        ({"is_live": True, "granted_at": GRANTED, "listed_at": BEFORE}, "granted-tools-pending"),
        ({"is_live": True, "granted_at": GRANTED, "listed_at": GRANTED}, "granted"),
        ({"is_live": True, "granted_at": GRANTED, "listed_at": AFTER}, "granted"),
        ({"is_live": True, "granted_at": GRANTED, "end": "stale", "listed_at": AFTER}, "stale"),
        ({"is_live": True, "granted_at": GRANTED, "end": "revoked"}, "revoked"),
        ({"is_live": False, "granted_at": GRANTED, "end": "revoked"}, "revoked"),
        ({"is_live": False, "granted_at": GRANTED}, "stale"),
    ],
)
def test_a_launch_has_one_of_six_states(told: dict[str, object], state: str) -> None:
    assert rules.state_of(**told) == state  # type: ignore[arg-type]
