"""What the pane shows and what the owner does in it."""

import json

import httpx
import pytest

from tests.client.stub import answer, bearers, message, refused
from tests.owner_verbs.conftest import PASSWORD, TOKEN
from tests.pane.conftest import Chat, Opened, hostile

POSTS = "/api/messages/"
pytestmark = pytest.mark.anyio


def posted(chat: Chat) -> list[dict[str, object]]:
    return [json.loads(each.content) for each in chat.stub.to(POSTS) if each.method == "POST"]


async def test_it_shows_launches_topics_and_messages(chat: Chat, opened: Opened) -> None:
    chat.messages = [message(1, "please look"), message(2, "done", handle="boss", reply_to=1, thread=1)]
    async with opened() as pane:
        await pane.until(lambda: "done" in pane.screen)
        for shown in ("@boss", "granted", "dev", "ungranted", "general (2)", "docs", "✓verified @boss", "in reply to #1", "peer"):
            assert shown in pane.screen


async def test_t_42_the_newest_fifty_are_shown_and_stay_so(chat: Chat, opened: Opened) -> None:
    chat.messages = [message(seq, f"text {seq}.") for seq in range(1, 81)]
    async with opened() as pane:
        await pane.until(lambda: "text 80." in pane.stream)
        assert [each.seq for each in pane.app.board.messages] == list(range(31, 81))
        chat.says(message(81, "text 81."))
        await pane.until(lambda: "text 81." in pane.screen)
        assert len(pane.app.board.messages) == 50 and "text 31." not in pane.stream


async def test_t_41_a_plain_line_posts_in_the_shown_topic_as_the_owner(chat: Chat, opened: Opened) -> None:
    async with opened() as pane:
        await pane.types("hello all")
        await pane.proves()
        await pane.until(lambda: posted(chat))
        await pane.until(lambda: "docs" in pane.screen)
        await pane.pilot.press("escape", "down", "down", "enter")
        await pane.types("and here")
        await pane.until(lambda: len(posted(chat)) == 2)
    assert [(each["topic"], each["body"]) for each in posted(chat)] == [("general", "hello all"), ("docs", "and here")]
    posts = [each for each in chat.stub.to(POSTS) if each.method == "POST"]
    assert bearers(posts) == [TOKEN] * 2 and len(chat.stub.to("/api/proof/")) == 1


async def test_t_41_a_reply_goes_to_the_thread_of_its_message(chat: Chat, opened: Opened) -> None:
    async with opened() as pane:
        await pane.types("/reply 412 ok then")
        await pane.proves()
        await pane.until(lambda: posted(chat))
    sent = posted(chat)[0]
    assert (sent["reply_to"], sent["body"]) == (412, "ok then") and "topic" not in sent


async def test_t_41_a_new_topic_is_created_and_shown(chat: Chat, opened: Opened) -> None:
    async with opened() as pane:
        await pane.types("/new plans")
        await pane.proves()
        await pane.until(lambda: pane.app.board.place.topic == "plans")
    created = [each for each in chat.stub.to("/api/topics/") if each.method == "POST"]
    assert [json.loads(each.content) for each in created] == [{"topic": "plans"}] and bearers(created) == [TOKEN]


async def test_a_thread_is_shown_alone_and_left_by_escape(chat: Chat, opened: Opened) -> None:
    chat.messages = [message(1, "root"), message(2, "else"), message(3, "answer", thread=1, reply_to=1)]
    async with opened() as pane:
        await pane.until(lambda: "else" in pane.stream)
        await pane.types("/thread 1")
        await pane.until(lambda: "answer" in pane.stream and "else" not in pane.stream)
        assert "thread #1" in pane.screen
        await pane.types("mine too")
        await pane.proves()
        await pane.until(lambda: posted(chat))
        await pane.pilot.press("escape")
        await pane.until(lambda: "else" in pane.stream)
    assert posted(chat)[0]["thread"] == 1


async def test_nothing_of_a_message_is_taken_for_anything_but_text(chat: Chat, opened: Opened) -> None:
    chat.messages = [hostile(1)]
    async with opened((80, 24)) as pane:
        await pane.until(lambda: "markup" in pane.screen)
        for text in (pane.stream, pane.screen):
            assert all(character.isprintable() or character == "\n" for character in text)
        shown = "".join(each.strip() for each in pane.stream.splitlines())
        assert "[bold red]markup[/]" in shown and "\\x1b[2J" in shown and "\\u202eidib\\u2066" in shown
        assert "[link=evil]x[/link]\\x1b[31m" in shown
        heads = [line for line in pane.stream.splitlines() if not line.startswith("  ")]
        assert len(heads) == 1 and heads[0].startswith("#1 ")


async def test_nobody_passes_for_somebody_verified(chat: Chat, opened: Opened) -> None:
    chat.messages = [message(1, "x", session_name="✓verified @boss"), message(2, "y " * 90 + "#3 ✓verified @boss")]
    async with opened((80, 24)) as pane:
        await pane.until(lambda: "#2" in pane.screen)
        await pane.until(lambda: all(len(line) <= 52 for line in pane.stream.splitlines()))
        heads = [line for line in pane.stream.splitlines() if not line.startswith("  ")]
        assert [head.split()[0] for head in heads] == ["#1", "#2"] and not any("✓" in head for head in heads)


async def test_a_wrong_password_is_told_in_the_dialog_and_asked_again(chat: Chat, opened: Opened) -> None:
    async with opened() as pane:
        await pane.types("hi")
        await pane.proves("nonsense")
        await pane.until(lambda: "That is not the owner's password" in pane.screen)
        await pane.proves()
        await pane.until(lambda: posted(chat))
        assert PASSWORD not in pane.screen


async def test_without_a_proof_nothing_is_posted_and_the_text_is_not_lost(chat: Chat, opened: Opened) -> None:
    async with opened() as pane:
        await pane.types("precious")
        await pane.until(lambda: pane.app.screen.query("#password"))
        await pane.pilot.press("escape")
        await pane.until(lambda: any("You did not prove" in each for each in pane.told))
        assert pane.line.value == "precious"
    assert not posted(chat)


async def test_a_hub_that_goes_away_is_told_and_what_was_missed_comes(chat: Chat, opened: Opened) -> None:
    chat.messages = [message(1, "before")]
    async with opened() as pane:
        await pane.until(lambda: "before" in pane.stream)
        chat.coming.put(httpx.ConnectError("refused"))
        await pane.until(lambda: "cannot be reached" in pane.screen)
        chat.says(message(2, "meanwhile"))
        pane.app.feed.hurry()
        await pane.until(lambda: "meanwhile" in pane.stream and "cannot be reached" not in pane.screen)
    assert chat.stub.queries("/chat")[-1]["after_seq"] >= "1"


async def test_where_only_the_owner_reads_he_is_told_so_and_proves_it(chat: Chat, opened: Opened) -> None:
    chat.only_owner, chat.messages = True, [message(1, "secret plan")]
    async with opened() as pane:
        await pane.until(lambda: "Press u." in pane.screen)
        assert not pane.app.screen.query("#password") and "secret plan" not in pane.stream
        await pane.pilot.press("u")
        await pane.proves()
        await pane.until(lambda: "secret plan" in pane.stream and "Press u." not in pane.screen)


async def test_a_hub_whose_chat_began_anew_is_shown_anew(chat: Chat, opened: Opened) -> None:
    chat.messages = [message(41, "of the old days")]
    async with opened() as pane:
        await pane.until(lambda: "old days" in pane.stream)
        chat.messages = [message(1, "first again")]
        chat.coming.put(refused(400, "cursor_ahead", "There is no message as new."))
        await pane.until(lambda: "first again" in pane.stream and "old days" not in pane.stream)


async def test_receipts_stand_below_what_mentions_somebody(chat: Chat, opened: Opened) -> None:
    told = {"mentions": [{"name": "boss", "state": "replied", "reply_seq": 9}, {"name": "dev", "state": "offered"}]}
    chat.stub.says("/api/messages/4/receipts/", answer(200, told))
    chat.messages = [message(4, "@boss @dev look", mentions=["boss", "dev"])]
    async with opened() as pane:
        await pane.until(lambda: "@boss replied #9, @dev offered" in pane.stream)


async def test_wakes_and_unknown_names_are_told_after_a_post(chat: Chat, opened: Opened) -> None:
    receipt = {"stored": True, "seq": 5, "topic": "general", "wakes": [{"handle": "boss", "outcome": "rate"}], "unknown": ["x"]}
    chat.stub.says(POSTS, lambda request: answer(201, receipt) if request.method == "POST" else chat.listed(request))
    async with opened() as pane:
        await pane.types("@boss @x hi")
        await pane.proves()
        await pane.until(lambda: len(pane.told) == 2)
        assert "@boss is not woken: it was woken a short while ago." in pane.told


@pytest.mark.parametrize("size", [(80, 24), (40, 12), (200, 60), (20, 8)], ids=str)
async def test_it_fits_any_terminal_and_follows_its_size(chat: Chat, opened: Opened, size: tuple[int, int]) -> None:
    chat.messages = [message(1, "word " * 200)]
    async with opened(size) as pane:
        await pane.pilot.press("m")
        await pane.until(lambda: "word word" in pane.screen)
        await pane.pilot.resize_terminal(80, 24)
        await pane.until(lambda: "Launches" in pane.screen and "word word" in pane.screen)


async def test_m_shows_the_chat_on_a_narrow_terminal_and_escape_the_lists(chat: Chat, opened: Opened) -> None:
    chat.messages = [message(1, "please look")]
    async with opened((50, 20)) as pane:
        await pane.until(lambda: "Launches" in pane.screen and "dev" in pane.screen)
        assert "please look" not in pane.screen
        await pane.pilot.press("m")
        await pane.until(lambda: "please look" in pane.screen and "Launches" not in pane.screen)
        await pane.pilot.press("m", "escape")
        await pane.until(lambda: "Launches" in pane.screen)
        assert pane.line.value == "m"


async def test_who_looks_back_is_not_thrown_to_the_end(chat: Chat, opened: Opened) -> None:
    chat.messages = [message(seq, f"text {seq}.") for seq in range(1, 51)]
    async with opened((80, 24)) as pane:
        await pane.until(lambda: "text 50." in pane.screen)
        pane.app.main.query_one("#messages").focus()
        await pane.pilot.press("home")
        await pane.until(lambda: "text 1." in pane.screen)
        chat.says(message(51, "text 51."))
        await pane.until(lambda: "text 51." in pane.stream)
        assert "text 51." not in pane.screen
        await pane.pilot.press("end")
        await pane.until(lambda: "text 51." in pane.screen)
