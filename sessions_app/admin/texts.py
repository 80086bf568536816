"""Text of agents as the admin shows it: secrets masked before it is cut. Escaping is the template's."""

from core.text import inert, one_line
from sessions_app.redaction import redact

EXCERPT = 200
WHOLE = 20_000
"""Characters shown on a row's own page; the rest stays in the database."""


def excerpt(text: str) -> str:
    """Its beginning, in one line, for a list."""
    return one_line(redact(text)[0], EXCERPT)


def whole(text: str) -> str:
    """With its lines, for a page."""
    return inert(redact(text)[0])[:WHOLE]
