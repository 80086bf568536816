"""`chat.search`: what is found, and what is shown of it."""

from typing import Any

import pytest
from django.db import connection

from chat.actions import update_settings
from chat.models import Message
from chat.search import search
from chat.values import MOST_SEQ
from core.actor import operator
from core.errors import Forbidden, Invalid
from tests import make

pytestmark = pytest.mark.usefixtures("wherever")


def found(who: make.Person, words: str, **more: Any) -> list[int]:
    return [hit.entry.seq for hit in search(who.actor, words, **more).hits]


def test_words_are_found_in_body_topic_and_session_name(alice: make.Person) -> None:
    make.message(alice, "the parser is green")
    make.message(alice, "hello", topic="docs/parser")
    make.message(alice, "hello", session_name="Parser (blue)")
    make.message(alice, "hello")
    assert found(alice, "parser") == [3, 2, 1]


def test_every_word_must_occur_wherever_it_stands(alice: make.Person) -> None:
    make.message(alice, "the printer", topic="docs/review", session_name="blue")
    make.message(alice, "the parser", topic="docs/review", session_name="blue")
    assert found(alice, "blue PRINTER docs") == [1]
    assert found(alice, "printer parser") == []


def test_a_part_of_a_topic_or_of_a_path_is_a_word(alice: make.Person) -> None:
    make.message(alice, "see src/core/held.py:42 and foo_bar", topic="docs/review")
    for words in ("review", "docs", "docs/review", "held.py", "core", "foo", "bar", "foo_bar", "42"):
        assert found(alice, words) == [1], words


def test_case_and_accents_of_latin_letters_do_not_count(alice: make.Person) -> None:
    make.message(alice, "Revisão da AÇÃO em Việt Nam, naïve")
    make.message(alice, "revisao da acao em viet nam, naive")
    make.message(alice, "de\u0301ja\u0300 vu\u0308")
    assert found(alice, "AÇÃO") == found(alice, "acao") == found(alice, "revisão viet NAÏVE") == [2, 1]
    assert found(alice, "déjà") == found(alice, "deja vü") == [3]


@pytest.mark.parametrize("word", ["привет", "ёлка", "Ελλάδα", "今日は会議です", "हिन्दी", "สวัสดี", "x²", "straße", "ﬁn", "ok"])
def test_words_of_other_scripts_are_found_beside_signs_and_pictures(word: str, alice: make.Person) -> None:
    make.message(alice, f"«{word}» — done🤖")
    make.message(alice, f"🤖{word}✅🇧🇷")
    make.message(alice, "another")
    assert found(alice, word) == [2, 1]
    assert found(alice, "done") == [1]


def test_the_last_word_finds_what_begins_with_it_from_four_letters_on(alice: make.Person) -> None:
    make.message(alice, "reviewing the changes")
    make.message(alice, "Revisão revê")
    make.message(alice, "review")
    make.message(alice, "a preview of the unrevised")
    assert found(alice, "revi") == [3, 2, 1]
    assert found(alice, "review") == [3, 1]
    assert found(alice, "changes reviewi") == [1]
    assert found(alice, "REVISÃ") == found(alice, "revisa") == [2]
    assert found(alice, "rev") == []
    assert found(alice, "review the") == [] and found(alice, "reviewing the") == [1]


@pytest.mark.parametrize(
    "words",
    [
        '"alpha beta"',
        "alpha AND beta",
        "alpha* ^beta",
        "(alpha) NEAR/3 beta",
        "-alpha +beta",
        "alpha|beta",
        "body:alpha & !beta",
        "a'lpha",
    ],
)
def test_signs_of_query_languages_are_nothing(words: str, alice: make.Person) -> None:
    make.message(alice, "alpha and near 3 body beta a lpha")
    assert found(alice, words) == [1]


@pytest.mark.parametrize("words", ["", "   ", "\n", "***", '"', "…—/", "🤖", "\x00", "_", "\ufe0f"])
def test_an_input_without_a_word_is_refused_in_a_sentence(words: str, alice: make.Person) -> None:
    with pytest.raises(Invalid) as refusal:
        search(alice.actor, words)
    assert refusal.value.detail == "Search takes words: write at least one letter or digit."


def test_hits_come_newest_first_and_page_backwards(alice: make.Person) -> None:
    by = make.agent(alice)
    for number in range(1, 8):
        make.message(alice, f"word{'ing' * (number % 2)} {number}", by=by)
    first = search(alice.actor, "word", limit=3)
    second = search(alice.actor, "word", limit=3, before=5)
    third = search(alice.actor, "word", limit=3, before=2)
    assert [[hit.entry.seq for hit in each.hits] for each in (first, second, third)] == [[7, 6, 5], [4, 3, 2], [1]]
    assert [each.has_more for each in (first, second, third)] == [True, True, False]
    assert found(alice, "word", before=0) == []


def test_a_hit_shows_its_matches(alice: make.Person) -> None:
    make.message(alice, "The <b>Review</b> of\nreviewers,  re-view", topic="docs/review", session_name="Reviewer 1")
    (hit,) = search(alice.actor, "docs review").hits
    assert hit.snippet == (("The <b>", False), ("Review", True), ("</b> of ", False), ("reviewers", True), (", re-view", False))
    assert hit.topic == (("docs", True), ("/", False), ("review", True))
    assert hit.session_name == (("Reviewer", True), (" 1", False))
    assert hit.entry.body == "The <b>Review</b> of\nreviewers,  re-view"


def test_a_long_message_is_cut_around_its_first_match(alice: make.Person) -> None:
    make.message(alice, "blah " * 200 + "needle " + "blah " * 200)
    make.message(alice, "needle" + "x" * 5000)
    (long, cut) = search(alice.actor, "needle").hits[::-1]
    text = "".join(piece for piece, _ in long.snippet)
    assert text.startswith("…blah") and text.endswith("blah…") and len(text) < 250
    assert ("needle", True) in long.snippet
    assert len("".join(piece for piece, _ in cut.snippet)) < 250 and cut.snippet[0][1]


def test_charlie_finds_nothing_of_alices(alice: make.Person, charlie: make.Person) -> None:
    make.message(alice, "secretword", topic="hers", session_name="Hersession")
    make.message(charlie, "his own")
    for words in ("secretword", "secr", "hers", "hersession", f"{alice.account.pk}:secretword", "secretword OR own"):
        assert found(charlie, words) == []
        assert search(make.agent(charlie), words).hits == ()
    assert found(alice, "secretword hers") == [1]


def test_w_33_the_switch_refuses_an_agents_search_and_not_its_owners(alice: make.Person) -> None:
    agent = make.agent(alice)
    make.message(alice, "word")
    update_settings(alice.actor, account_id=alice.account.pk, allowed=False)
    with pytest.raises(Forbidden) as refusal:
        search(agent, "word")
    assert refusal.value.code == "account_chat_disabled" and found(alice, "word") == [1]


def test_an_agent_needs_the_scope_that_reads_and_staff_an_account(alice: make.Person, staff: make.Person) -> None:
    make.message(alice, "word")
    with pytest.raises(Forbidden):
        search(make.agent(alice, scopes="chat.post"), "word")
    with pytest.raises(Forbidden, match="no account"):
        search(operator(), "word")
    assert found(staff, "word") == []


@pytest.mark.parametrize("more", [{"limit": 0}, {"limit": 101}, {"before": -1}, {"before": 10**30}])
def test_what_makes_no_sense_is_refused(more: dict[str, int], alice: make.Person) -> None:
    with pytest.raises(Invalid):
        search(alice.actor, "word", **more)


def test_a_long_input_counts_by_its_first_words(alice: make.Person) -> None:
    make.message(alice, "one two three four five six seven eight nine ten eleven twelve")
    assert found(alice, "one two three four five six seven eight nine ten eleven twelve thirteen " + "fourteen " * 5000) == [1]
    assert found(alice, "twelve " * 3000) == [1]


def test_a_body_of_one_endless_word_is_stored_and_found(alice: make.Person) -> None:
    make.message(alice, "y" * 8192)
    make.message(alice, "界" * 2000)
    assert found(alice, "y" * 8192) == found(alice, "yyyy") == [1]
    assert found(alice, "界" * 2000) == [2]


def test_a_number_as_high_as_can_be_is_stored(alice: make.Person) -> None:
    Message.objects.create(
        account=alice.account, seq=MOST_SEQ, thread=MOST_SEQ, topic="a", body="word", body_bytes=4, session_name="x", author="x",
        created_at=alice.account.created_at,
    )  # fmt: skip
    Message.objects.update(body="other")
    Message.objects.all().delete()
    assert found(alice, "other") == []


@pytest.mark.skipif(connection.vendor != "sqlite", reason="a plan of SQLite")
def test_the_plan_keeps_to_the_accounts_part_of_the_index_and_sorts_nothing(alice: make.Person) -> None:
    from chat.search import sqlite

    low, high = sqlite._part(7, 1000)
    with connection.cursor() as cursor:
        cursor.execute("EXPLAIN QUERY PLAN " + sqlite._FIND, ['"word"', low, high, 51])
        (find,) = [row[3] for row in cursor.fetchall()]
        cursor.execute("EXPLAIN QUERY PLAN " + sqlite._CANDIDATES, ['"word" *', low, high, 7, "%words%"])
        candidates = [row[3] for row in cursor.fetchall()]
    assert "VIRTUAL TABLE INDEX" in find and "M" in find and "><" in find
    assert len(candidates) == 2 and candidates[1].endswith("(account_id=? AND seq=?)")
