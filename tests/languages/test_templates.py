"""No template says a bare English word."""

import re
from pathlib import Path

import pytest

from project.translations import ROOT

TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
TRANSLATED = re.compile(r"{%\s*blocktrans(?:late)?\b.*?{%\s*endblocktrans(?:late)?\s*%}", re.DOTALL)
MARKS = re.compile(r"{#.*?#}|{%.*?%}|{{.*?}}|<!--.*?-->|<(script|style)\b.*?</\1>", re.DOTALL)
ICONS = re.compile(r'<span class="[^"]*material-symbols-outlined[^>]*>.*?</span>')
READ_ATTRIBUTES = re.compile(r'\b(?:alt|aria-label|title|placeholder)="([^"]*)"')
TAGS = re.compile(r"<[^<>]*>|<!doctype html>", re.IGNORECASE)
WORD = re.compile(r"[A-Za-z]{2,}")
NAMES = re.compile(r"&\w+;|\b(?:Tertulia|OpenAPI)\b")
"""Words that are the same in every language."""


def bare(source: str) -> list[str]:
    """What a person would read of a template in whatever language he reads."""
    rest = MARKS.sub(" ", TRANSLATED.sub(" ", ICONS.sub(" ", source)))
    shown = TAGS.sub(" ", re.sub(r'"[^"]*"', '""', rest))
    read = (NAMES.sub("", text).strip() for text in [*READ_ATTRIBUTES.findall(rest), *shown.split("\n")])
    return [text for text in read if WORD.search(text)]


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: str(path.relative_to(ROOT / "templates")))
def test_no_template_says_a_bare_word(path: Path) -> None:
    assert bare(path.read_text()) == []


@pytest.mark.parametrize(
    "source", ["<p>Hello there</p>", '<img alt="Home">', "{% if a %}yes{% endif %}", "<p>\n  {{ count }} rows\n</p>"]
)
def test_the_scanner_sees_a_bare_word(source: str) -> None:
    assert bare(source)
