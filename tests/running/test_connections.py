"""What a request of a page leaves behind in the database's server: nothing."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings
from django.db.backends.signals import connection_created
from django.test import Client

from tests import make
from tests.asgi import client, hub, run

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("threaded")]


@pytest.fixture
def opened() -> Iterator[list[Any]]:
    """The connections of all threads that were opened meanwhile."""
    found: list[Any] = []

    def note(connection: Any, **_: Any) -> None:
        found.append(connection)

    connection_created.connect(note)
    yield found
    connection_created.disconnect(note)


def test_a_page_closes_the_connection_of_its_thread(opened: list[Any], alice: make.Person) -> None:
    browser = Client()
    browser.force_login(alice.user)
    cookie = f"{settings.SESSION_COOKIE_NAME}={browser.cookies[settings.SESSION_COOKIE_NAME].value}"

    async def look() -> int:
        async with hub() as app, client(app, cookie=cookie) as page:
            return (await page.get("/admin/profile/")).status_code

    opened.clear()
    assert run(look()) == 200
    assert opened and [each.connection for each in opened] == [None] * len(opened)
