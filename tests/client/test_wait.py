"""`tertulia chat wait`: the command-line reader."""

import json
from typing import Any

import httpx
import pytest
from tertulia.store.credentials import Credentials
from tertulia.store.marks import Marks
from tertulia.surroundings import world

from tests.client.conftest import Cli, Owner, Time
from tests.client.stub import HUB, Stub, answer, bearers, html, message, page, refused, signed_in, tokens


def test_w_38_it_asks_again_while_nothing_comes_and_prints_what_does(hub: Stub, cli: Cli) -> None:
    signed_in()
    hub.says("/chat", page(), page(), page(message(1, "at last")))
    said = cli("chat", "wait", "--as", "reader")
    assert (said.code, len(hub.to("/chat"))) == (0, 3)
    assert said.out == "#1 2026-11-29T22:54:10.000Z general c-0123456789abcdef peer\n    at last\n\n"
    assert [each["hold"] for each in hub.queries("/chat")] == ["50", "50", "50"]


@pytest.mark.parametrize(
    "body", [{}, {"messages": None, "last_seq": 0, "latest_seq": 0, "has_more": False}], ids=["empty", "null"]
)
def test_w_38_an_answer_without_messages_is_an_error_at_once(hub: Stub, cli: Cli, body: dict[str, Any]) -> None:
    signed_in()
    hub.says("/chat", answer(200, body))
    said = cli("chat", "wait")
    assert (said.code, said.out, len(hub.to("/chat"))) == (1, "", 1)
    assert (
        said.err == "tertulia: The hub http://hub.test answered without messages; look at its address, or ask whoever runs it.\n"
    )


def test_w_38_403_prints_what_the_hub_says(hub: Stub, cli: Cli) -> None:
    signed_in()
    hub.says("/chat", refused(403, "account_chat_disabled", "The owner has switched agent chat off."))
    said = cli("chat", "wait")
    assert (said.code, said.err, len(hub.to("/chat"))) == (5, "tertulia: The owner has switched agent chat off.\n", 1)


def test_w_38_401_signs_in_once_more_at_a_terminal(hub: Stub, cli: Cli, owner: Owner) -> None:
    signed_in()
    world.interactive = lambda: True
    hub.signs_in().says("/oauth/token", refused(400, "invalid_grant", "It has ended."), tokens("fresh"))
    hub.says("/chat", refused(401, "invalid_token", "It has ended."), page(message(1, "back")))
    said = cli("chat", "wait")
    assert said.code == 0 and "back" in said.out
    assert bearers(hub.to("/chat")) == ["access-old", "access-fresh"]
    assert Credentials().find(None).refresh_token == "refresh-fresh"


def test_w_38_401_again_after_that_is_an_error(hub: Stub, cli: Cli, owner: Owner) -> None:
    signed_in()
    world.interactive = lambda: True
    hub.signs_in().says("/oauth/token", refused(400, "invalid_grant", "It has ended."), tokens("fresh"))
    hub.says("/chat", refused(401, "invalid_token", "It has ended."))
    said = cli("chat", "wait")
    assert said.code == 1 and "run: tertulia login http://hub.test" in said.err
    assert len(hub.to("/oauth/register")) == 1


def test_w_38_401_without_a_terminal_says_what_to_run(hub: Stub, cli: Cli) -> None:
    signed_in()
    hub.says("/oauth/token", refused(400, "invalid_grant", "It has ended."))
    hub.says("/chat", refused(401, "invalid_token", "It has ended."))
    said = cli("chat", "wait")
    assert (said.code, said.err) == (
        1,
        "tertulia: Your sign-in to http://hub.test has ended; run: tertulia login http://hub.test\n",
    )


def test_401_is_answered_with_a_refresh_first(hub: Stub, cli: Cli) -> None:
    signed_in()
    hub.says("/oauth/token", tokens("new"))
    hub.says("/chat", refused(401, "invalid_token", "Expired."), page(message(1)))
    said = cli("chat", "wait")
    assert (said.code, said.err) == (0, "") and bearers(hub.to("/chat")) == ["access-old", "access-new"]
    assert hub.forms("/oauth/token")[0]["refresh_token"] == "refresh-old"


def test_time_up_has_an_exit_code_of_its_own(hub: Stub, cli: Cli, time: Time) -> None:
    signed_in()

    def held(request: httpx.Request) -> httpx.Response:
        time.now += float(request.url.params["hold"])
        return page()

    hub.says("/chat", held)
    said = cli("chat", "wait", "--timeout", "120")
    assert (said.code, said.out, said.err) == (3, "", "")
    assert [each["hold"] for each in hub.queries("/chat")] == ["50", "50", "20"]


def test_timeout_0_looks_once(hub: Stub, cli: Cli) -> None:
    signed_in()
    hub.says("/chat", page())
    assert cli("chat", "wait", "--timeout", "0").code == 3
    assert [each["hold"] for each in hub.queries("/chat")] == ["0"]


def test_it_goes_on_where_the_session_left_off(hub: Stub, cli: Cli) -> None:
    signed_in()
    hub.says("/chat", page(message(7)), page(message(9)))
    for _ in range(2):
        cli("chat", "wait", "--as", "reader")
    cli("chat", "wait", "--as", "other")
    assert [each["after_seq"] for each in hub.queries("/chat")] == ["0", "7", "0"]
    assert [each["session_name"] for each in hub.queries("/chat")] == ["reader", "reader", "other"]


def test_the_mark_also_passes_what_was_left_out(hub: Stub, cli: Cli) -> None:
    signed_in()
    hub.says("/chat", page(last_seq=50, latest_seq=51, more=True), page(message(51)))
    cli("chat", "wait", "--as", "reader", "--exclude-topic", "noise", "--exclude-session", "bot", "--exclude-session", "reader")
    assert [each["after_seq"] for each in hub.queries("/chat")] == ["0", "50"]
    assert hub.to("/chat")[0].url.params.get_list("exclude_session") == ["bot", "reader"]
    assert Marks(HUB, "reader").get() == 51


def test_the_mark_stays_where_the_answer_could_not_be_printed(hub: Stub, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    signed_in()
    hub.says("/chat", page(message(7)))

    def broken(*_: object, **__: object) -> None:
        raise BrokenPipeError

    monkeypatch.setattr("tertulia.view.answer", broken)
    monkeypatch.setattr("tertulia.program._let_go_of_stdout", lambda: None)
    assert cli("chat", "wait", "--as", "reader").code == 1
    assert Marks(HUB, "reader").get() is None


def test_after_begins_elsewhere_and_the_mark_never_goes_back(hub: Stub, cli: Cli) -> None:
    signed_in()
    Marks(HUB, "reader").move(40)
    hub.says("/chat", page(message(3)))
    cli("chat", "wait", "--as", "reader", "--after", "2")
    assert hub.queries("/chat")[0]["after_seq"] == "2" and Marks(HUB, "reader").get() == 40


def test_after_latest_waits_for_what_comes_next(hub: Stub, cli: Cli) -> None:
    signed_in()
    hub.says("/api/wait/", page(message(1), latest_seq=30, more=True)).says("/chat", page(message(31)))
    cli("chat", "wait", "--after", "latest")
    assert [each["after_seq"] for each in hub.queries("/chat")] == ["30"]


def test_a_hub_that_begins_anew_is_read_from_the_start(hub: Stub, cli: Cli) -> None:
    signed_in()
    Marks(HUB, "reader").move(90)
    hub.says("/chat", refused(400, "cursor_ahead", "after is 90, but the latest message is #2."), page(message(2)))
    said = cli("chat", "wait", "--as", "reader")
    assert said.code == 0 and "begins anew" in said.err and Marks(HUB, "reader").get() == 2


def test_json_is_one_line_of_ascii_as_the_hub_wrote_it(hub: Stub, cli: Cli) -> None:
    signed_in()
    hub.says("/chat", page(message(1, "\u009b31mação\n", extra="kept")))
    said = cli("chat", "wait", "--json")
    assert said.out.isascii() and said.out.count("\n") == 1
    found = json.loads(said.out)
    assert (found["messages"][0]["body"], found["messages"][0]["extra"], found["last_seq"]) == ("\u009b31mação\n", "kept", 1)


@pytest.mark.parametrize("away", [answer(502), html(503), answer(504, {}), refused(503, "busy", "The hub is busy.")])
def test_a_hub_that_is_away_for_a_moment_is_asked_again(hub: Stub, cli: Cli, time: Time, away: httpx.Response) -> None:
    signed_in()
    hub.says("/chat", away, httpx.ConnectError("refused"), httpx.ReadTimeout("slow"), page(message(1)))
    said = cli("chat", "wait")
    assert said.code == 0 and said.err.count("\n") == 1 and "trying again" in said.err and "PROXY" not in said.err
    assert time.naps == [0.25, 0.5, 1.0]


def test_it_gives_up_after_five_minutes(hub: Stub, cli: Cli, time: Time) -> None:
    signed_in()
    hub.says("/chat", httpx.ConnectError("refused"))
    said = cli("chat", "wait")
    assert said.code == 1 and "tertulia: The hub http://hub.test cannot be reached; look at the address" in said.err
    assert 290 < sum(time.naps) < 300 and max(time.naps) <= 10


def test_it_waits_as_long_as_the_hub_asks(hub: Stub, cli: Cli, time: Time) -> None:
    signed_in()
    hub.says("/chat", answer(429, {"error": "rate_limited", "detail": "Too many."}, retry_after="7"), page(message(1)))
    assert cli("chat", "wait").code == 0 and time.naps == [7.0]


def test_a_hub_that_does_not_hold_is_not_asked_in_a_frenzy(hub: Stub, cli: Cli, time: Time) -> None:
    signed_in()
    hub.says("/chat", page())
    assert cli("chat", "wait", "--timeout", "10").code == 3
    assert len(hub.to("/chat")) <= 11


def test_a_wrong_clock_changes_nothing(hub: Stub, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether a token still holds is the hub's to say."""
    signed_in()
    monkeypatch.setattr("time.time", lambda: 0.0)
    hub.says(
        "/chat",
        answer(
            200,
            {"messages": [message(1)], "last_seq": 1, "latest_seq": 1, "has_more": False},
            date="Thu, 01 Jan 2099 00:00:00 GMT",
        ),
    )
    assert cli("chat", "wait").code == 0 and len(hub.asked) == 1
