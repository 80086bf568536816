"""The pages' WebSockets: news for whoever is signed in, and for nobody else."""

import json

import pytest
from django.conf import settings
from django.contrib.sessions.models import Session
from django.test import Client

from accounts.consumers import pause_after
from chat.models import ChatSettings
from core import executors, news
from tests import make
from tests.asgi import hub, run, socket, sync

CHAT, LIVE = "/ws/chat/?after=0", "/ws/live/"


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("accounts.consumers.pause_after", lambda _: 0)


def cookie(client: Client) -> str:
    return f"{settings.SESSION_COOKIE_NAME}={client.cookies[settings.SESSION_COOKIE_NAME].value}"


def ring(who: make.Person, kind: str = "chat") -> None:
    news.board.ring([f"{kind}:{who.account.pk}"])


def test_a_message_comes_as_soon_as_it_is_stored(alice: make.Person, as_alice: Client, quick: None) -> None:
    make.message(alice, "before")

    async def scene() -> None:
        async with hub() as app, socket(app, CHAT, cookie(as_alice)) as page:
            first = await page.hear()
            assert "before" in first["messages"] and first["last_seq"] == 1
            sync(lambda: make.message(alice, "<i>after</i>", topic="docs/review"))
            ring(alice)
            second = await page.hear()
            assert "&lt;i&gt;after" in second["messages"] and "before" not in second["messages"]
            assert second["last_seq"] == 2 and "docs/review" in second["topics"]

    run(scene())


def test_many_messages_come_in_pieces_and_none_is_left_out(alice: make.Person, as_alice: Client, quick: None) -> None:
    for number in range(120):
        make.message(alice, f"word{number:03}")

    async def scene() -> str:
        async with hub() as app, socket(app, CHAT, cookie(as_alice)) as page:
            return "".join([(await page.hear())["messages"] for _ in range(3)])

    shown = run(scene())
    assert all(shown.count(f"word{number:03}") == 1 for number in range(120))


def test_a_page_too_far_behind_is_told_to_load_itself_again(
    alice: make.Person, as_alice: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chat.consumers.MOST_PIECES", 2)
    monkeypatch.setattr("chat.consumers.AT_ONCE", 3)
    for number in range(7):
        make.message(alice, f"word{number}")

    async def scene() -> tuple[list[int], int | None]:
        async with hub() as app, socket(app, CHAT, cookie(as_alice)) as page:
            heard = [(await page.hear())["last_seq"] for _ in range(2)]
            assert await page.hear() is None
            return heard, page.code

    assert run(scene()) == ([3, 6], 4408)


def test_a_topic_s_page_hears_its_topic_only(alice: make.Person, as_alice: Client, quick: None) -> None:
    make.message(alice, "elsewhere")
    make.message(alice, "here", topic="docs/review")

    async def scene() -> str:
        async with hub() as app, socket(app, f"{CHAT}&topic=docs/review", cookie(as_alice)) as page:
            return str((await page.hear())["messages"])

    assert "elsewhere" not in (shown := run(scene())) and "here" in shown


def test_charlie_hears_nothing_of_alice(alice: make.Person, charlie: make.Person, as_charlie: Client, quick: None) -> None:
    make.message(alice, "hers", topic="docs/review")

    async def scene() -> list[str]:
        async with hub() as app, socket(app, f"{CHAT}&topic=docs/review", cookie(as_charlie)) as page:
            heard = [json.dumps(await page.hear())]
            ring(alice)
            ring(charlie)
            return [*heard, json.dumps(await page.hear())]

    assert all("hers" not in each and "docs/review" not in each for each in run(scene()))


@pytest.mark.parametrize("path", [CHAT, LIVE])
def test_nobody_signed_in_is_told_so_by_the_close_code(path: str, db: None) -> None:
    async def scene() -> int | None:
        async with hub() as app, socket(app, path, f"{settings.SESSION_COOKIE_NAME}=forged") as page:
            assert await page.hear() is None
            return page.code

    assert run(scene()) == 4401


@pytest.mark.parametrize("path", [CHAT, LIVE])
@pytest.mark.parametrize(
    "headers",
    [{"origin": "https://evil.example"}, {"origin": "null"}, {"host": "evil.example"}, {"origin": "http://127.0.0.1:1"}],
    ids=["another site", "no site", "another host", "another port"],
)
def test_another_site_s_page_is_refused_before_the_handshake(
    path: str, headers: dict[str, str], alice: make.Person, as_alice: Client
) -> None:
    async def scene() -> bool:
        async with hub() as app, socket(app, path, cookie(as_alice), **headers) as page:
            assert await page.hear() is None
            return page.accepted

    assert run(scene()) is False


def test_a_program_without_an_origin_is_refused(alice: make.Person, as_alice: Client) -> None:
    async def scene() -> int | None:
        async with hub() as app, socket(app, CHAT, cookie(as_alice), origin="") as page:
            assert await page.hear() is None
            return page.code

    assert run(scene()) == 4403


@pytest.mark.parametrize(
    "query", ["after=x", "after=-1", f"after={'9' * 30}", "after=0&topic=Docs", "after=0&topic=%00", "after=%ff", "after=²"]
)
def test_a_malformed_address_is_refused(query: str, alice: make.Person, as_alice: Client) -> None:
    async def scene() -> int | None:
        async with hub() as app, socket(app, f"/ws/chat/?{query}", cookie(as_alice)) as page:
            assert await page.hear() is None
            return page.code

    assert run(scene()) == 4403


@pytest.mark.parametrize(("took", "rest"), [(0.001, 0.5), (0.05, 0.5), (0.2, 2.0), (9.0, 10.0)])
def test_news_that_takes_long_to_look_up_is_told_less_often(took: float, rest: float) -> None:
    assert pause_after(took) == rest


def test_an_unknown_address_is_closed(alice: make.Person, as_alice: Client) -> None:
    async def scene() -> int | None:
        async with hub() as app, socket(app, "/ws/other/", cookie(as_alice)) as page:
            assert await page.hear() is None
            return page.code

    assert run(scene()) == 4404


@pytest.mark.parametrize("text", ["hello", '{"type": "x"}', "x" * 100_000])
def test_a_page_that_speaks_is_closed(text: str, alice: make.Person, as_alice: Client) -> None:
    async def scene() -> int | None:
        async with hub() as app, socket(app, LIVE, cookie(as_alice)) as page:
            await page.hear()
            page.say(text)
            page.say(text)
            assert await page.hear() is None
            return page.code

    assert run(scene()) == 4400


def test_a_page_of_somebody_who_signed_out_hears_nothing_more(alice: make.Person, as_alice: Client, quick: None) -> None:
    async def scene() -> int | None:
        async with hub() as app, socket(app, CHAT, cookie(as_alice)) as page:
            await page.hear()
            sync(lambda: (Session.objects.all().delete(), make.message(alice, "later")))
            ring(alice)
            assert await page.hear() is None
            return page.code

    assert run(scene()) == 4401


def test_a_page_is_told_which_of_its_parts_changed(alice: make.Person, as_alice: Client, quick: None) -> None:
    async def scene() -> None:
        async with hub() as app, socket(app, LIVE, cookie(as_alice)) as page:
            assert {"audit", "chat"} <= set((await page.hear())["changed"])
            ring(alice, "audit")
            assert await page.hear() == {"changed": ["audit"]}

    run(scene())


def test_the_owner_s_page_stays_live_while_chat_is_off(alice: make.Person, as_alice: Client, quick: None) -> None:
    make.message(alice, "kept")
    ChatSettings.objects.filter(account=alice.account).update(allowed=False)

    async def scene() -> str:
        async with hub() as app, socket(app, CHAT, cookie(as_alice)) as page:
            return str((await page.hear())["messages"])

    assert "kept" in run(scene())


def test_one_person_holds_so_many_pages_at_most(alice: make.Person, as_alice: Client, settings: object) -> None:
    settings.HELD_PER_CONNECTION = 1  # type: ignore[attr-defined]

    async def scene() -> int | None:
        async with hub() as app, socket(app, LIVE, cookie(as_alice)) as first:
            await first.hear()
            async with socket(app, LIVE, cookie(as_alice)) as second:
                assert await second.hear() is None
                return second.code

    assert run(scene()) == 4403


@pytest.mark.django_db(transaction=True)
def test_a_post_reaches_the_page_through_the_hub_s_own_news(alice: make.Person, as_alice: Client, threaded: None) -> None:
    async def scene() -> str:
        async with hub() as app, socket(app, CHAT, cookie(as_alice)) as page:
            await page.hear()
            await executors.write(make.message, alice, "through the news")
            return str((await page.hear())["messages"])

    assert "through the news" in run(scene())
