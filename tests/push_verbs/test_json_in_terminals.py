"""What commands print for a program is often read by a person: nothing of it moves his cursor or turns what he reads."""

import io

import pytest
from django.core.management import call_command

from sessions_app.transcripts.actions import append
from tests import make
from tests.pushing import pushed, rule

pytestmark = pytest.mark.django_db
HOSTILE = "\x9b2J\u202e\x1b]0;"


@pytest.fixture
def said(alice: make.Person) -> None:
    """Hostile text everywhere where others write."""
    pushed(alice, HOSTILE, channel=HOSTILE)
    rule(alice)
    session = make.session(alice, "agent:main:main")
    append(session, {"role": "user", "content": HOSTILE})


@pytest.mark.usefixtures("said")
@pytest.mark.parametrize(
    "words",
    [
        ["channel", "list", "--json"],
        ["channel", "status", "--json"],
        ["channel", "rules", "--json"],
        ["sessions", "list", "--messages", "5", "--json"],
        ["sessions", "history", "agent:main:main", "--json"],
    ],
    ids=" ".join,
)
def test_json_is_plain_ascii_on_one_line(words: list[str]) -> None:
    out = io.StringIO()
    call_command(*words, stdout=out)
    assert out.getvalue().isascii() and out.getvalue().strip().isprintable()
