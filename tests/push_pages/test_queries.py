"""Pages of the push inbox stay cheap however much there is."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from tests import make, pushing
from tests.push_pages.rows import asking, firing
from triggers.models import RuleState

PAGES = {"push-inbox": 13, "push-inbox-part": 11, "firings": 6, "push-toasts": 6, "push-figures": 8, "push-journal": 6}


def queries(browser: Client, name: str) -> int:
    browser.get(reverse(f"admin:{name}"))
    with CaptureQueriesContext(connection) as seen:
        browser.get(reverse(f"admin:{name}"))
    return len(seen.captured_queries)


def fill(who: make.Person, count: int, start: int) -> None:
    pushing.push_many(who, count)
    for number in range(start, start + count):
        firing(who, mode="auto")
        asking(who)
        RuleState.objects.create(account=who.account, rule=f"rule-{number}")


@pytest.mark.parametrize(("name", "most"), PAGES.items())
def test_ten_times_the_rows_cost_no_more_queries(name: str, most: int, alice: make.Person, as_alice: Client) -> None:
    fill(alice, 1, 0)
    few = queries(as_alice, name)
    fill(alice, 9, 1)
    assert queries(as_alice, name) == few <= most
