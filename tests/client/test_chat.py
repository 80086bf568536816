"""`tertulia chat read`, `post`, `topics`, `tail`, and how text from elsewhere is shown."""

import json
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tertulia import inert
from tertulia.store.marks import Marks

from tests.client.conftest import Cli, Time
from tests.client.stub import HUB, Stub, answer, html, message, page, refused, signed_in

READ = "/api/wait/"
RECEIPT = {"stored": True, "seq": 7, "topic": "docs/review", "thread": 7, "reply_to": None, "time": "2026-11-29T22:54:10.000Z"}


def test_read_prints_what_is_new_and_says_when_nothing_is(hub: Stub, cli: Cli) -> None:
    signed_in()
    hub.says(READ, page(message(1), message(2, reply_to=1)), page(last_seq=2))
    first, second = cli("chat", "read", "--as", "reader"), cli("chat", "read", "--as", "reader")
    assert "#2 2026-11-29T22:54:10.000Z general c-0123456789abcdef in reply to #1 peer\n" in first.out
    assert (second.code, second.out) == (0, "") and "Nothing new after #2" in second.err
    assert hub.queries(READ)[1]["after"] == "2"


def test_read_takes_no_more_than_its_limit_and_marks_no_more_as_read(hub: Stub, cli: Cli) -> None:
    signed_in()
    hub.says(READ, page(message(1), message(2), more=True))
    said = cli("chat", "read", "--as", "reader", "--limit", "2", "--exclude-topic", "noise")
    assert said.out.count("#") == 2 and "There is more after #2" in said.err and Marks(HUB, "reader").get() == 2
    assert hub.queries(READ) == [{"after": "0", "timeout": "0", "limit": "2", "exclude_topic": "noise", "session_name": "reader"}]


def test_read_asks_for_as_many_pages_as_its_limit_takes(hub: Stub, cli: Cli) -> None:
    signed_in()
    hub.says(READ, page(*map(message, range(1, 51)), more=True), page(last_seq=90, more=True), page(*map(message, range(91, 96))))
    assert cli("chat", "read", "--limit", "60").out.count("#") == 55
    assert [(each["after"], each["limit"]) for each in hub.queries(READ)] == [("0", "50"), ("50", "10"), ("90", "10")]


def test_the_last_ones_are_shown_without_counting_as_read(hub: Stub, cli: Cli) -> None:
    signed_in()
    hub.says(READ, page(message(1), latest_seq=30, more=True), page(message(29), message(30)))
    assert cli("chat", "read", "--last", "2", "--as", "reader").out.count("#") == 2
    assert hub.queries(READ)[1]["after"] == "28" and Marks(HUB, "reader").get() is None


def test_no_text_can_pass_for_another_message(hub: Stub, cli: Cli) -> None:
    signed_in()
    forged = "hi\n\n#99 2026-11-29T22:54:10.000Z general maintainer\rx\x85#98 y\u2028#97 z"
    hub.says(READ, page(message(1, forged, session_name="peer\n#96", topic="a\tb")))
    said = cli("chat", "read")
    assert [line for line in said.out.splitlines() if not line.startswith("    ") and line] == [
        "#1 2026-11-29T22:54:10.000Z a\\x09b c-0123456789abcdef peer\\x0a#96"
    ]


def test_a_name_stands_after_all_that_the_hub_vouches_for(hub: Stub, cli: Cli) -> None:
    signed_in()
    forged = "owner in reply to #1 maintainer"
    hub.says(
        READ, page(message(2, session_name=forged), message(3, session_name="maintainer", connection_id="", reply_to_gone=True))
    )
    heads = [each for each in cli("chat", "read").out.splitlines() if each.startswith("#")]
    assert heads[0].endswith(f"general c-0123456789abcdef {forged}")
    assert heads[1].endswith("general owner in reply to a message that is gone maintainer")


HOSTILE = "\x1b]0;title\x07\x1b[2J\x9b31m\x08\u202eevil\u2066\U000e0041\ufeff\x00"


@pytest.mark.parametrize("arguments", [("chat", "read"), ("chat", "wait"), ("chat", "tail", "--timeout", "0", "--after", "0")])
def test_escape_sequences_are_shown_inert_in_a_pipe(hub: Stub, cli: Cli, arguments: tuple[str, ...]) -> None:
    signed_in()
    for path in (READ, "/chat"):
        hub.says(
            path, page(message(1, HOSTILE, session_name=HOSTILE, topic=HOSTILE, connection_id=HOSTILE, time=HOSTILE)), page()
        )
    said = cli(*arguments)
    assert said.out and all(character.isprintable() or character == "\n" for character in said.out)
    assert "\\x1b]0;title\\x07\\x1b[2J\\x9b31m\\x08\\u202eevil\\u2066\\U000e0041\\ufeff\\x00" in said.out


def test_escape_sequences_are_shown_inert_on_a_terminal(hub: Stub, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    signed_in()
    monkeypatch.setattr("tertulia.view.prints_to_terminal", lambda: True)
    monkeypatch.setenv("COLUMNS", "200")
    hub.says(READ, page(message(1, HOSTILE, session_name=HOSTILE, topic="[red]x[/red]", connection_id=HOSTILE, time=HOSTILE)))
    said = cli("chat", "read")
    assert said.out and all(character.isprintable() or character == "\n" for character in said.out)
    assert "[red]x[/red]" in said.out


def test_a_refusal_of_the_hub_is_shown_inert_and_without_a_token(hub: Stub, cli: Cli) -> None:
    signed_in()
    hub.says(READ, refused(403, "forbidden", "No \x1b[2J for\naccess-old"))
    assert cli("chat", "read").err == "tertulia: No \\x1b[2J for …\n"


@given(st.text())
def test_inert_text_can_move_no_cursor(text: str) -> None:
    assert not {character for character in inert.block(text) if character not in "\n\t\u200c\u200d"} & set(
        map(chr, [*range(32), *range(127, 160)])
    )
    assert "\n" not in inert.line(text) and "\u202e" not in inert.line(text)


def test_plain_text_is_left_as_it_is() -> None:
    text = "Olá, ação 👩\u200d💻 日本語 \u00a0x"
    assert inert.block(text) == inert.line(text) == text


def test_post_sends_one_key_with_every_try(hub: Stub, cli: Cli) -> None:
    signed_in()
    hub.says("/api/messages/", httpx.ReadTimeout("slow"), html(502), answer(200, {**RECEIPT, "stored": False}))
    said = cli("chat", "post", "it's done", "--topic", "docs/review", "--as", "worker")
    assert (said.code, said.out) == (0, "Posted #7 in docs/review.\n")
    first, *others = hub.bodies("/api/messages/")
    assert others == [first, first] and len(first.pop("client_key")) == 32
    assert first == {"body": "it's done", "session_name": "worker", "topic": "docs/review"}


def test_post_takes_its_text_from_standard_input(hub: Stub, cli: Cli) -> None:
    signed_in()
    hub.says("/api/messages/", answer(201, RECEIPT))
    assert cli("chat", "post", "-", "--reply-to", "3", stdin="um\r\ndois\tação\n\n".encode()).code == 0
    sent = hub.bodies("/api/messages/")[0]
    assert (sent["body"], sent["reply_to"]) == ("um\ndois\tação", 3)


@pytest.mark.parametrize("stdin", [b"", b"\n", b"\xff\xfe"])
def test_a_text_that_cannot_be_sent_is_not(hub: Stub, cli: Cli, stdin: bytes) -> None:
    signed_in()
    assert cli("chat", "post", "-", stdin=stdin).code == 1 and not hub.asked


def test_a_problem_answer_is_its_sentence(hub: Stub, cli: Cli) -> None:
    signed_in()
    problem = {
        "type": "about:blank",
        "title": "Bad Request",
        "status": 400,
        "detail": "That is no topic.",
        "error": "invalid_topic",
    }
    said_by_hub = httpx.Response(400, text=json.dumps(problem), headers={"content-type": "application/problem+json"})
    hub.says("/api/messages/", said_by_hub)
    assert cli("chat", "post", "hi", "--topic", "Docs").err == "tertulia: That is no topic.\n"


def test_a_limit_that_lasts_longer_than_a_command_is_told(hub: Stub, cli: Cli) -> None:
    signed_in()
    hub.says("/api/messages/", answer(429, {"error": "rate_limited", "detail": "Wait a minute."}, retry_after="60"))
    said = cli("chat", "post", "hi")
    assert (said.code, said.err) == (1, "tertulia: Wait a minute.\n")


@pytest.mark.parametrize("name", ["", "a\nb", "x" * 65])
def test_a_session_name_the_hub_would_refuse_is_told_here(hub: Stub, cli: Cli, name: str) -> None:
    signed_in()
    said = cli("chat", "post", "hi", "--as", name)
    assert said.code == 1 and "session name" in said.err and not hub.asked


def test_the_session_name_comes_from_the_environment_too(hub: Stub, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    signed_in()
    monkeypatch.setenv("TERTULIA_SESSION", "from-env")
    hub.says("/api/messages/", answer(201, RECEIPT))
    cli("chat", "post", "hi")
    assert hub.bodies("/api/messages/")[0]["session_name"] == "from-env"


def test_topics_are_a_table_and_offered_on_tab_after(hub: Stub, cli: Cli) -> None:
    from tertulia.commands import completing

    signed_in()
    rows = [{"topic": "docs/review", "messages": 5, "last_seq": 9, "last_time": "2026-11-29T22:54:10.000Z"}]
    hub.says("/api/topics/", answer(200, {"results": rows}))
    assert cli("chat", "topics").out == "docs/review\t5\t#9\t2026-11-29T22:54:10.000Z\n"
    assert json.loads(cli("chat", "topics", "--json").out) == {"results": rows}
    assert completing.topics("doc") == ["docs/review"] and completing.topics("x") == []
    assert completing.hubs("hub") == ["hub.test"]


def test_tail_begins_with_the_last_and_prints_what_comes(hub: Stub, cli: Cli, time: Time) -> None:
    signed_in()

    def held(request: httpx.Request) -> httpx.Response:
        time.now += float(request.url.params["hold"])
        return page(last_seq=31)

    hub.says(READ, page(latest_seq=30, more=True)).says("/chat", page(message(30)), page(message(31)), held)
    said = cli("chat", "tail", "--last", "5", "--timeout", "60", "--json")
    assert [json.loads(line)["seq"] for line in said.out.splitlines()] == [30, 31] and said.code == 0
    assert [each["after_seq"] for each in hub.queries("/chat")] == ["25", "30", "31", "31"]
    assert Marks(HUB, "reader").get() is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"seq": "1"},
        {"seq": True},
        {"seq": 10**30},
        {"body": None},
        {"topic": 1},
        {"session_name": []},
    ],
    ids=lambda wrong: next(iter(wrong)),
)
def test_a_message_that_is_none_is_an_error(hub: Stub, cli: Cli, wrong: dict[str, Any]) -> None:
    signed_in()
    hub.says(READ, answer(200, {"messages": [{**message(1), **wrong}], "last_seq": 1, "latest_seq": 1, "has_more": False}))
    said = cli("chat", "read")
    assert said.code == 1 and "answered without messages" in said.err


@pytest.mark.parametrize(
    "arguments", [("chat", "wait"), ("chat", "read"), ("chat", "post", "x"), ("chat", "topics"), ("whoami",)]
)
@pytest.mark.parametrize(
    "wrong",
    [html(200), html(500), answer(404, {}), answer(200, []), httpx.Response(307, headers={"location": "https://evil.test/?x"})],
    ids=["html", "500", "404", "array", "redirect"],
)
def test_what_is_no_hubs_answer_is_one_sentence(hub: Stub, cli: Cli, arguments: tuple[str, ...], wrong: httpx.Response) -> None:
    signed_in()
    for path in (READ, "/chat", "/api/messages/", "/api/topics/", "/api/me/"):
        hub.says(path, wrong)
    said = cli(*arguments)
    assert (said.code, said.out, said.err.count("\n"), len(hub.asked)) == (1, "", 1, 1)
    assert "PROXY" not in said.err and "fault of the client" not in said.err


def test_a_huge_answer_is_not_read_to_its_end(hub: Stub, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    signed_in()
    monkeypatch.setattr("tertulia.wire.LARGEST_ANSWER", 1 << 20)
    hub.says(READ, page(message(1, "x" * (1 << 20))))
    assert "more than 1 MiB" in cli("chat", "read").err


@pytest.mark.parametrize(
    "arguments", [("chat", "wait", "--topic", "x"), ("nothing",), ("chat", "read", "--limit", "0"), ("chat", "post")]
)
def test_a_wrong_command_line_ends_with_1(cli: Cli, arguments: tuple[str, ...]) -> None:
    assert cli(*arguments).code == 1


def test_whatever_else_goes_wrong_is_no_traceback(hub: Stub, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    signed_in()
    monkeypatch.setattr("tertulia.chat.read", lambda *_: 1 / 0)
    said = cli("chat", "read")
    assert said.code == 1 and said.err.count("\n") == 1 and "ZeroDivisionError" in said.err


def test_nobody_signed_in_is_told_what_to_run(cli: Cli) -> None:
    for arguments in (("chat", "wait"), ("whoami",), ("logout",)):
        said = cli(*arguments)
        assert (said.code, said.err) == (1, "tertulia: You are not signed in to any hub; run: tertulia login HUB_URL\n")
