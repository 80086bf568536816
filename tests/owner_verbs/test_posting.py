"""`tertulia chat post` and `read` with a topic, and in person."""

import json

import httpx
import pytest

from tests.client.conftest import Cli
from tests.client.stub import Stub, answer, bearers, message, page, refused, signed_in
from tests.owner_verbs.conftest import TOKEN, Person

POSTS, READ = "/api/messages/", "/api/wait/"
RECEIPT = {"stored": True, "seq": 7, "topic": "general", "thread": 7, "reply_to": None, "time": "2026-11-29T22:54:10.000Z"}


def listed(*seqs: int, following: str | None = None) -> httpx.Response:
    return answer(200, {"results": [message(seq) for seq in seqs], "next": following, "previous": None})


def test_two_words_are_a_topic_and_a_text(hub: Stub, cli: Cli) -> None:
    signed_in()
    hub.says(POSTS, answer(201, RECEIPT))
    assert cli("chat", "post", "docs/review", "done", "--thread", "3", "--as", "writer").code == 0
    sent = hub.bodies(POSTS)[0]
    assert sent.pop("client_key") and sent == {"body": "done", "topic": "docs/review", "thread": 3, "session_name": "writer"}


@pytest.mark.parametrize("words", [("a", "b", "c"), ("a", "b", "--topic", "c")])
def test_more_words_are_a_text_without_quotes(hub: Stub, cli: Cli, words: tuple[str, ...]) -> None:
    signed_in()
    said = cli("chat", "post", *words)
    assert said.code == 1 and "in quotes" in said.err and not hub.asked


def test_t_40_a_dash_takes_the_text_from_standard_input(hub: Stub, cli: Cli) -> None:
    signed_in()
    hub.says(POSTS, answer(201, RECEIPT))
    assert cli("chat", "post", "general", "-", stdin=b"um\ndois\n").code == 0
    assert hub.bodies(POSTS)[0]["body"] == "um\ndois" and hub.bodies(POSTS)[0]["topic"] == "general"


def test_the_maintainer_posts_in_person_without_a_session_name(hub: Stub, cli: Cli, person: Person) -> None:
    hub.says(POSTS, answer(201, RECEIPT))
    assert cli("chat", "post", "general", "hi", "--maintainer").out == "Posted #7 in general.\n"
    assert bearers(hub.to(POSTS)) == [TOKEN] and "session_name" not in hub.bodies(POSTS)[0]


def test_t_68_wakes_and_unknown_names_are_told_beside_the_result(hub: Stub, cli: Cli) -> None:
    signed_in()
    wakes = [{"handle": "lead", "outcome": "sent"}, {"handle": "dev", "outcome": "rate"}, {"handle": "x\x1b", "outcome": "odd"}]
    hub.says(POSTS, answer(201, RECEIPT), answer(201, {**RECEIPT, "wakes": wakes, "unknown": ["ghost", "all"]}))
    plain, said = cli("chat", "post", "hi"), cli("chat", "post", "@lead @dev hi")
    assert said.out == plain.out == "Posted #7 in general.\n" and plain.err == ""
    assert said.err.splitlines() == [
        "@lead is being woken.",
        "@dev is not woken: it was woken a short while ago.",
        "@x\\x1b is not woken: odd.",
        "@ghost, @all: nobody of this name; it stays text.",
    ]


def test_who_was_not_granted_is_told_how_the_owner_does_it(hub: Stub, cli: Cli, person: Person) -> None:
    hub.says(POSTS, refused(403, "chat_not_granted", "Only launches that the owner granted chat here."))
    said = cli("chat", "post", "hi")
    assert (said.code, said.err) == (
        5,
        "tertulia: Only launches that the owner granted chat here; as the owner in person: add --maintainer\n",
    )


def test_a_topic_is_read_by_its_newest_which_do_not_count_as_read(hub: Stub, cli: Cli) -> None:
    signed_in()
    hub.says(POSTS, listed(9, 7, following="http://elsewhere.test/api/messages/?cursor=before-7&topic=evil"), listed(5))
    said = cli("chat", "read", "docs", "--limit", "3", "--as", "reader")
    assert [line.split()[0] for line in said.out.splitlines() if line.startswith("#")] == ["#5", "#7", "#9"]
    assert hub.queries(POSTS) == [
        {"topic": "docs", "page_size": "3"},
        {"topic": "docs", "page_size": "1", "cursor": "before-7"},
    ]
    assert not hub.to(READ)


def test_a_thread_is_read_as_json_too(hub: Stub, cli: Cli) -> None:
    signed_in()
    hub.says(POSTS, listed(4, 3))
    said = json.loads(cli("chat", "read", "--thread", "3", "--json").out)
    assert [each["seq"] for each in said["messages"]] == [3, 4] and hub.queries(POSTS)[0]["thread"] == "3"


@pytest.mark.parametrize("more", [("--last", "2"), ("--after", "3"), ("--exclude-topic", "x")])
def test_a_topic_beside_another_place_to_begin_is_refused(hub: Stub, cli: Cli, more: tuple[str, ...]) -> None:
    signed_in()
    assert cli("chat", "read", "docs", *more).code == 1 and not hub.asked


def test_the_owner_waits_at_the_rest_door(hub: Stub, cli: Cli, person: Person) -> None:
    hub.says(READ, page(message(1)))
    assert cli("chat", "wait", "--maintainer").code == 0
    assert hub.queries(READ)[0]["timeout"] == "50" and not hub.to("/chat") and bearers(hub.to(READ)) == [TOKEN]


def test_a_hub_before_the_command_is_told_where_it_belongs(hub: Stub, cli: Cli) -> None:
    said = cli("chat", "--hub", "x", "post", "hi")
    assert said.code == 1 and "Give --hub after the command" in said.err
