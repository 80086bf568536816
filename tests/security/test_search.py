"""The search against text that is made to cost."""

import time

import pytest
from django.db import connection

from chat.models import Counter
from chat.search import postgresql, search, sqlite
from chat.search.words import fold, matcher, snippet
from chat.transfer import lines
from tests import make

UNSORTED = "\u0301\u0327\u0316"
"""Marks that stand in no order: a library that sorts them looks at each pair."""


def piled(characters: int, base: str = "zebra") -> str:
    """A word under a pile of marks."""
    return base + UNSORTED * (characters // 3)


def test_piled_marks_cost_no_more_than_other_text() -> None:
    began = time.process_time()
    text = piled(90_000)
    snippet(text, matcher(["zebra"]))
    assert fold(text).startswith("zebra")
    assert time.process_time() - began < 5  # unbounded, a minute and more


@pytest.mark.django_db
def test_the_index_takes_no_longer_for_a_pile_of_marks(alice: make.Person) -> None:
    words = (sqlite if connection.vendor == "sqlite" else postgresql).words_of
    began = time.monotonic()
    assert len(words(piled(90_000, "ζέβρα"))) == 1
    assert time.monotonic() - began < 5  # unbounded, PostgreSQL took 11 seconds for a third of it


@pytest.mark.django_db
@pytest.mark.parametrize("base", ["zebra", "ζέβρ"])  # no mark of these makes another letter of the last one
def test_a_word_under_a_pile_of_marks_is_found_by_its_beginning(base: str, alice: make.Person) -> None:
    make.message(alice, piled(3_000, base))
    assert len(search(alice.actor, base).hits) == 1


@pytest.mark.django_db
def test_what_is_posted_after_the_highest_number_of_a_file_is_still_found(alice: make.Person) -> None:
    Counter.objects.filter(account_id=alice.account.pk).update(last_seq=lines.MOST_SEQ)
    assert make.message(alice, "giraffe") == lines.MOST_SEQ + 1
    assert len(search(alice.actor, "giraffe").hits) == 1
