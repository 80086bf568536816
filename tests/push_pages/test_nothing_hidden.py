"""Who decides sees all that his agent would be told."""

import pytest
from django.test import Client
from django.urls import reverse

from tests import make, pushing
from tests.push_pages.rows import asking

pytestmark = pytest.mark.django_db
UNSEEN = ["\U000e0041", "\u200b", "\u2062", "\ufeff", "\u00ad", "\U000e0101", "\ufe01"]


@pytest.mark.parametrize("hidden", UNSEEN, ids=ascii)
def test_what_is_not_seen_is_shown_by_its_number(alice: make.Person, as_alice: Client, hidden: str) -> None:
    text, shown = f"a{hidden}b", f"a\u27e8U+{ord(hidden):04X}\u27e9b"
    seq = pushing.pushed(alice, text).seq
    number = asking(alice, content=text, prompt=text).number
    places = [reverse("admin:push-inbox"), reverse("admin:firing", args=[number]), reverse("admin:push-message", args=[seq])]
    for address in places:
        page = as_alice.get(address).content.decode()
        assert shown in page and hidden not in page, address


def test_what_is_needed_to_write_and_draw_stays(alice: make.Person, as_alice: Client) -> None:
    text = "\u0645\u06cc\u200c\u062e \u2764\ufe0f \U0001f469\u200d\U0001f4bb"
    seq = pushing.pushed(alice, text).seq
    assert text in as_alice.get(reverse("admin:push-message", args=[seq])).content.decode()


def test_the_longest_prompt_is_shown_to_its_end(alice: make.Person, as_alice: Client) -> None:
    number = asking(alice, prompt="x" * 131_060 + "and the end").number
    assert "and the end</pre>" in as_alice.get(reverse("admin:firing", args=[number])).content.decode()
