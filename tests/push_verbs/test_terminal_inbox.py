"""`tertulia channel list`, `ack`, `clear`, `inject`."""

import pytest

from tests.client.conftest import Cli
from tests.client.stub import HUB, Stub, answer, bearers, refused, signed_in
from tests.owner_verbs.conftest import TOKEN, Person
from tests.push_verbs.conftest import INBOX, asks, pushed, seen

ACK, CLEAR, INJECT = "/api/channel/ack/", "/api/channel/clear/", "/api/channel/inject/"
BANNER = {"lines": ["3 since you acknowledged last", "[ci/builds] fix build 12 failed", "confirm 7 yes|no"], "waiting": [asks(7)]}


def test_bare_and_list_show_messages_oldest_first_with_total_and_unread(inbox: Stub, cli: Cli) -> None:
    signed_in()
    said = cli("channel")
    assert said.code == 0 and said == cli("channel", "list")
    assert said.out == (
        "#1\t2026-11-30T08:00:00.000Z\tci/ci-pipeline\tbuild ok\n"
        "#2\t2026-11-30T08:00:00.000Z\tci/ci-pipeline\tbuild 2 failed\n"
        "2 in all, 2 unread\n"
    )
    assert inbox.queries(INBOX) == [{"limit": "20"}] * 2 and bearers(inbox.to(INBOX)) == ["access-old"] * 2


def test_c_121_one_channel_is_asked_of_the_hub_by_its_name(hub: Stub, cli: Cli) -> None:
    signed_in()
    hub.says(INBOX, seen(pushed(1), total=25))
    assert cli("channel", "list", "ci-pipeline", "--all").out.endswith("25 in all, 1 unread\n")
    assert hub.queries(INBOX) == [{"limit": "20", "channel": "ci-pipeline", "all": "true"}]


def test_c_122_an_unknown_channel_has_no_messages(hub: Stub, cli: Cli) -> None:
    signed_in()
    hub.says(INBOX, seen(total=25))
    assert cli("channel", "list", "nowhere").out == "no messages (25 in all)\n"


def test_the_banner_stands_before_the_list_and_hints_at_what_only_the_owner_is_told(hub: Stub, cli: Cli) -> None:
    signed_in()
    hub.says(INBOX, seen(pushed(1), banner={"lines": ["3 since you acknowledged last"], "waiting": []}))
    said = cli("channel")
    assert said.err.startswith("3 since you acknowledged last\n") and "--maintainer" in said.err


def test_the_owner_in_person_is_told_what_waits_for_him(hub: Stub, cli: Cli, person: Person) -> None:
    hub.says(INBOX, seen(pushed(1), banner=BANNER, paused=True))
    said = cli("channel", "--maintainer")
    assert "[ci/builds] fix build 12 failed\nconfirm 7 yes|no\nPaused:" in said.err and "--maintainer" not in said.err
    assert bearers(hub.to(INBOX)) == [TOKEN]


def test_c_118_nothing_pending_shows_no_banner(inbox: Stub, cli: Cli) -> None:
    signed_in()
    assert cli("channel").err == ""


def test_text_of_a_server_moves_no_cursor_and_forges_no_line(hub: Stub, cli: Cli) -> None:
    signed_in()
    hub.says(INBOX, seen(pushed(1, "a\x1b[2J\n#2\tb\u202e", channel="x\ny")))
    lines = cli("channel").out.splitlines()
    assert len(lines) == 2 and lines[0].endswith("ci/x\\x0ay\ta\\x1b[2J\\x0a#2\\x09b\\u202e")


def test_json_is_what_the_hub_said(inbox: Stub, cli: Cli) -> None:
    signed_in()
    said = cli("channel", "list", "--json")
    assert said.out.startswith('{"banner":null,"messages":[{"seq":1,') and said.out.isascii() and said.err == ""


@pytest.mark.parametrize(
    "body",
    [None, [], {}, {"messages": [{}]}, {"messages": [], "total": "x", "unread": 0, "banner": None}, {"messages": 7, "banner": 1}],
)
def test_what_is_no_inbox_is_one_sentence(hub: Stub, cli: Cli, body: object) -> None:
    signed_in()
    hub.says(INBOX, answer(200, body))
    said = cli("channel")
    assert (said.code, said.out) == (1, "") and f"The hub {HUB} answered without push messages" in said.err


def test_c_110_ack_says_how_much_was_seen(hub: Stub, cli: Cli) -> None:
    signed_in()
    hub.says(ACK, answer(200, {"messages": 3, "firings": 1}))
    assert cli("channel", "ack").out == "Seen: 3 messages, 1 firing.\n"
    assert bearers(hub.to(ACK)) == ["access-old"]


def test_c_36_clear_is_the_owners_and_says_where_the_messages_are(hub: Stub, cli: Cli, person: Person) -> None:
    hub.says(CLEAR, answer(200, {"cleared": 3}))
    assert cli("channel", "clear").out.startswith("Cleared 3 messages; the trail keeps them")
    assert hub.bodies(CLEAR) == [{"all": False}] and bearers(hub.to(CLEAR)) == [TOKEN]


def test_c_37_only_the_word_deletes_for_good(hub: Stub, cli: Cli, person: Person) -> None:
    hub.says(CLEAR, answer(200, {"cleared": 1}))
    person.answers = ["yes"]
    assert cli("channel", "clear", "--all").code == 5 and not hub.to(CLEAR)
    person.answers, person.passwords = ["clear"], ["correct horse"] * 2
    assert cli("channel", "clear", "--all").out == "Deleted 1 message for good.\n"
    assert cli("channel", "clear", "--all", "--yes").code == 0 and hub.bodies(CLEAR) == [{"all": True}] * 2


def test_inject_goes_to_main_unless_another_session_is_named(hub: Stub, cli: Cli, person: Person) -> None:
    hub.says(INJECT, answer(200, {"injected": 10}))
    assert cli("channel", "inject").out == "Put 10 messages into main; its next turn sees them.\n"
    person.passwords = ["correct horse"]
    assert cli("channel", "inject", "hook:a").code == 0
    assert hub.bodies(INJECT) == [{"session": "main"}, {"session": "hook:a"}]


def test_the_hubs_refusal_is_its_sentence(hub: Stub, cli: Cli, person: Person) -> None:
    hub.says(INJECT, refused(404, "not_found", "There is no session of that key; look it up in the list."))
    said = cli("channel", "inject", "nowhere")
    assert said.code == 1 and said.err.endswith("There is no session of that key; look it up in the list.\n")


def test_a_token_without_the_right_is_refused(hub: Stub, cli: Cli) -> None:
    signed_in()
    hub.says(INBOX, refused(403, "insufficient_scope", "This connection was authorized without channels.read; sign in again."))
    assert cli("channel").code == 5
