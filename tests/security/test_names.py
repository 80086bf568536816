"""What strangers call themselves: nobody passes for the owner, and no name rewrites the page it stands on."""

import pytest
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from accounts.models import Application
from audit.actions import record
from audit.models import Entry
from chat.topics import check_session_name, looks_reserved
from core.errors import Invalid
from core.text import one_line
from tests import make
from tests.oauth import driver

LOOKS_LIKE_THE_OWNER = [
    *("maintainer", "MAINTAINER", " Maintainer ", "@maintainer", "@@Maintainer:", "maintainer.", "[maintainer]"),
    *("m a i n t a i n e r", "m\u0430intainer", "mainta\u0456ner", "\u041c\u0410\u0406N\u0422\u0410\u0406N\u0415R"),
    *("maint\u03b1iner", "MAI\u039dTAINER", "\uff4d\uff41\uff49\uff4e\uff54\uff41\uff49\uff4e\uff45\uff52"),
    *("\U0001d426aintainer", "ma\u0131ntainer", "ma1nta1ner", "malntalner", "rnaintainer", "maint\u00e1iner"),
    *("maintainer\ufe0f", "main\u034ftainer", "maintainer\u3164", "maintainer \u2705", "maintainer\u2800"),
    "\u1d0d\u1d00\u026a\u0274\u1d1b\u1d00\u026a\u0274\u1d07\u0280",
]
FREE = ["maintainers", "the maintainer's helper", "maintain", "container", "main", "retainer", "maintainer-bot", "\u4e3b\u8981"]
HIDDEN = ["\u202e", "\u2066", "\u200b", "\u200d", "\u00ad", "\u061c", "\u2028", "\u3164", "\u034f", "\u2800", "\ufeff"]


@pytest.mark.parametrize("name", LOOKS_LIKE_THE_OWNER)
def test_no_agent_passes_for_the_owner(name: str) -> None:
    with pytest.raises(Invalid):
        check_session_name(name)


@pytest.mark.parametrize("name", FREE)
def test_names_that_only_hold_the_word_are_free(name: str) -> None:
    assert check_session_name(name) == name


@given(st.text(max_size=64))
def test_any_text_is_looked_at_and_spelling_it_out_changes_nothing(name: str) -> None:
    assert looks_reserved(name) == looks_reserved(name.upper()) or not name.isascii()
    assert looks_reserved(f"{name}maintainer") == looks_reserved(f"{name} maintainer ")


@pytest.mark.parametrize("hidden", HIDDEN)
def test_what_has_no_shape_is_shown_as_a_question_mark(hidden: str) -> None:
    assert one_line(f"a{hidden}b", 80) in {"a?b", "a b"}


def test_marks_are_not_piled_up() -> None:
    assert one_line("Z" + "\u0335\u0321\u033c\u0359" * 50, 80) == "Z\u0335\u0321"
    assert one_line("Vi\u1ec7t e\u0301\u0323 \u2764\ufe0f", 80) == "Vi\u1ec7t e\u0301\u0323 \u2764"


@given(st.text(max_size=200), st.integers(2, 100))
def test_one_line_is_one_line_of_shapes_and_no_longer_than_it_may_be(text: str, limit: int) -> None:
    shown = one_line(text, limit)
    assert shown.isprintable() and len(shown) <= limit and one_line(shown, limit) == shown


SPOOFS = {
    "markup": "<img src=x onerror=alert(1)><script>alert(1)</script>",
    "attribute": '" onmouseover="alert(1)" x=\'',
    "template": "{{ request.user }}{% csrf_token %}${7*7}",
    "right to left": "\u202eelbatsurT\u202c",
    "very long": "Tertulia " * 22,
    "blank": "\u3164\u3164",
    "lines": "Tertulia\tAllow",
    "official": "Tertulia (verified)",
}


def register(name: str) -> str:
    """A client of that name, whatever a door would say to it: a document may have brought it in."""
    made = make.application(name[:255])
    Application.objects.filter(pk=made.pk).update(redirect_uris=driver.REDIRECT)
    return str(made.client_id)


@pytest.mark.parametrize("name", SPOOFS.values(), ids=SPOOFS)
def test_no_name_changes_what_the_consent_page_says(alice: make.Person, browser: Client, name: str) -> None:
    browser.force_login(alice.user)
    page = browser.get(driver.authorize_url(register(name), driver.pkce().challenge)).content.decode()
    assert "<small>as the program itself says</small>" in page and "<strong>127.0.0.1:18103</strong>" in page
    assert page.count("<script") == 0 and "<img src=x" not in page and 'onmouseover="' not in page
    assert "\u202e" not in page and page.count("Tertulia Tertulia") < 40


def test_a_line_break_in_a_documents_name_stays_out_of_page_list_and_log(
    alice: make.Person, browser: Client, caplog: pytest.LogCaptureFixture
) -> None:
    client_id = register("Good\r\n2026-01-01 [info] forged\x1b[31m")
    tokens = driver.authorize(browser, alice, client_id=client_id)
    assert tokens.connection.shown_name == "Good 2026-01-01 [info] forged?[31m"
    assert "\x1b" not in browser.get("/admin/connections/").content.decode()


@pytest.mark.parametrize("name", ["alice@example.org", "the hub", "command line"])
def test_no_client_passes_for_a_person_or_the_hub_in_the_audit_log(alice: make.Person, browser: Client, name: str) -> None:
    tokens = driver.authorize(browser, alice, name=name)
    driver.revoke(browser, tokens.refresh, tokens.client_id)
    entry = Entry.objects.get(deed="connection.revoked")
    assert (entry.who, entry.door) == (f"client {name}", "api")
    assert record(make.agent(alice), "a.deed").who == "client Test client"
