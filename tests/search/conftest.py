"""Every behaviour of the search holds for the newest messages, which SQLite reads one by one, and for those in its index."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection

from accounts.models import Account
from accounts.signals import account_created


def index_from_the_start(sender: type[Account], account: Account, **kwargs: Any) -> None:
    """Set the account's mark so high that its messages go into the index at once."""
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO chat_message_words_mark (account_id, seq) VALUES (%s, %s)", [account.pk, 10_000])


@pytest.fixture
def indexed() -> Iterator[None]:
    """Messages of the accounts made from now on are in the index at once."""
    if connection.vendor == "sqlite":
        account_created.connect(index_from_the_start)
    yield
    account_created.disconnect(index_from_the_start)


@pytest.fixture(params=["newest", "indexed"] if connection.vendor == "sqlite" else ["all"])
def wherever(request: pytest.FixtureRequest) -> None:
    """Both, one after the other."""
    if request.param == "indexed":
        request.getfixturevalue("indexed")
