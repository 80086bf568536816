"""Text that wants to be markup stays text on every page of the push inbox, wherever it comes from."""

from collections.abc import Iterator
from urllib.parse import quote

import pytest
from django.test import Client
from django.urls import reverse

from core import clock
from tests import make, pushing
from tests.push_pages.rows import asking, firing
from tests.security.test_pages import HOSTILE, hostile_in
from triggers.models import Firing, PushServer, Rule, RuleState
from triggers.owning import addresses

WITH_QUERY = ("push-inbox", "push-inbox-part", "firings", "firings-part", "push-toasts")
PARAMETERS = ("server", "channel", "text", "before", "every", "state", "rule", "after")
POSTED = ("push-inject", "push-pause", "push-journal", "push-journal-piece", "push-settings")


@pytest.fixture
def told(alice: make.Person) -> None:
    """Every text that somebody else has a hand in."""
    pushing.pushed(alice, HOSTILE, HOSTILE[:200], HOSTILE[:64], method=HOSTILE[:200])
    more = {"server": HOSTILE[:64], "channel": HOSTILE[:200], "content": HOSTILE, "prompt": HOSTILE, "detail": HOSTILE[:300]}
    firing(alice, rule=HOSTILE[:64], mode="auto", state=Firing.FAILED, tools=[HOSTILE], **more)
    asking(alice, rule=HOSTILE[:64], **more)
    pushing.server(alice, HOSTILE[:64], state=PushServer.FAILED, reason=HOSTILE[:300])
    Rule.objects.create(account=alice.account, position=0, name=HOSTILE[:64], created_at=clock.now())
    RuleState.objects.create(account=alice.account, rule=HOSTILE[:64], last_error=HOSTILE[:300])


def pages() -> Iterator[str]:
    for route, _view, name in addresses.page_urls():
        args = [1] if "<int:" in route else []
        yield reverse(f"admin:{name}", args=args)
    yield reverse("admin:firing", args=[2])
    yield reverse("admin:index")
    for name in WITH_QUERY:
        yield from (f"{reverse(f'admin:{name}')}?{each}={quote(HOSTILE)}" for each in PARAMETERS)


def test_hostile_text_stays_text_on_every_page(told: None, as_alice: Client) -> None:
    seen = 0
    for address in pages():
        answer = as_alice.get(address)
        page = answer.content.decode()
        seen += "canary" in page
        assert answer.status_code in {200, 405} and hostile_in(page) == [], address
    assert seen > 15


def test_hostile_forms_are_refused_as_text(told: None, as_alice: Client) -> None:
    for name in POSTED:
        given = dict.fromkeys(("session", "answer", "journal", "agent", "auto_runs"), HOSTILE)
        answer = as_alice.post(reverse(f"admin:{name}"), given, follow=True)
        assert answer.status_code < 500 and hostile_in(answer.content.decode()) == [], name
