"""The page Chat hears on its own line what the frame around it renews itself by."""

import pytest
from django.test import Client

from tests import make
from tests.asgi import hub, run, socket, sync
from tests.chat_page.test_socket import cookie, quick, ring

__all__ = ["quick"]
ALSO = "/ws/chat/?after=0&also=push%20chat%20bogus"


def test_what_else_changed_is_named_and_the_chat_is_not_told_again(alice: make.Person, as_alice: Client, quick: None) -> None:
    async def scene() -> None:
        async with hub() as app, socket(app, ALSO, cookie(as_alice)) as page:
            assert await page.hear() == {"changed": ["push"]}
            assert "messages" in await page.hear()
            ring(alice, "push")
            assert await page.hear() == {"changed": ["push"]}
            sync(lambda: make.message(alice, "after"))
            ring(alice)
            assert "after" in (await page.hear())["messages"]

    run(scene())


@pytest.mark.parametrize("given", ["", "&also=", "&also=bogus%00 x"])
def test_a_page_that_names_nothing_else_hears_of_nothing_else(
    given: str, alice: make.Person, as_alice: Client, quick: None
) -> None:
    async def scene() -> None:
        async with hub() as app, socket(app, f"/ws/chat/?after=0{given}", cookie(as_alice)) as page:
            assert "messages" in await page.hear()
            ring(alice, "push")
            sync(lambda: make.message(alice, "after"))
            ring(alice)
            assert "after" in (await page.hear())["messages"]

    run(scene())


def test_the_news_of_another_owner_is_unheard(alice: make.Person, charlie: make.Person, as_charlie: Client, quick: None) -> None:
    async def scene() -> None:
        async with hub() as app, socket(app, ALSO, cookie(as_charlie)) as page:
            await page.hear()
            await page.hear()
            ring(alice, "push")
            ring(charlie, "push")
            assert await page.hear() == {"changed": ["push"]}

    run(scene())
