"""The catalogue, and what it leaves of a page that should be Portuguese."""

import html
import re
from functools import cache

import polib

from project.translations import LOCALE

PORTUGUESE = {"accept-language": "pt-BR,pt;q=0.9,en;q=0.5"}
PO = LOCALE / "pt_BR" / "LC_MESSAGES" / "django.po"
PLACEHOLDER = re.compile(r"%(?:\(\w+\))?[sd%]|\{\w*\}")
MARKUP = re.compile(r"[<>\"&]|<[^>]*>")


def catalogue() -> polib.POFile:
    """As committed."""
    return polib.pofile(str(PO))


@cache
def plain_texts() -> list[str]:
    """Texts of two words and more, without placeholders, that the catalogue says in Portuguese."""
    texts = [entry.msgid for entry in catalogue() if " " in entry.msgid and entry.msgid != entry.msgstr]
    return [text for text in texts if not PLACEHOLDER.search(text)]


def english_in(page: str) -> list[str]:
    """Texts of two words and more that the catalogue could have said in Portuguese and that a page says in English."""
    page = html.unescape(re.sub(r"\s+", " ", page))
    held = [text for text in plain_texts() if text in page]
    return [text for text in held if re.search(rf"(?<![\w]){re.escape(text)}(?![\w])", page)]
