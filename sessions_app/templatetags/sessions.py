"""How sessions and runs are shown on a page: in words, and text of agents in one line."""

from django import template
from django.utils.translation import gettext as _

from core.text import inert, one_line
from sessions_app.models import Run, Session
from sessions_app.owning import words
from sessions_app.redaction import redact

NAME_LENGTH = 90
LINE_LENGTH = 240

register = template.Library()
register.filter("inert", inert)


@register.filter
def session_name(session: Session) -> str:
    """What people call it: its display name, its label, else its key."""
    return one_line(session.display_name or session.label or session.key, NAME_LENGTH)


@register.filter
def kind_words(session: Session) -> str:
    """Its kind."""
    return str(words.KIND_WORDS.get(session.kind, session.kind))


@register.filter
def run_tone(run: Run) -> str:
    """Which colour a run's state has; one that waits for its owner is as loud as one that failed."""
    return "bad" if run.held else words.STATES[run.state][0]


@register.filter
def run_words(run: Run) -> str:
    """A run's state."""
    if run.held:
        return str(words.HELD.get(run.held, run.held))
    if run.stop_asked_at is not None and run.is_active:
        return str(words.STOPPING)
    return str(words.STATES[run.state][1])


@register.filter
def purpose_words(run: Run) -> str:
    """Why it was asked for."""
    return str(words.PURPOSES.get(run.purpose, run.purpose))


@register.filter
def runner_words(name: str) -> str:
    """Which runner executes it."""
    return str(words.RUNNERS.get(name, name))


@register.filter
def role_words(role: str) -> str:
    """Who speaks in an entry of a transcript."""
    return str(words.ROLES.get(role, one_line(role, 16)))


@register.filter
def policy_words(policy: str) -> str:
    """A session's own send policy."""
    return str(words.POLICIES.get(policy, policy))


@register.filter
def safe_line(text: str) -> str:
    """Text of an agent in one line: secrets masked, then cut; escaping is the template's."""
    return one_line(redact(text)[0], LINE_LENGTH)


@register.filter
def dollars(micro: int | None) -> str:
    """Micro-dollars as dollars."""
    return "" if micro is None else _("US$ %(cost)s") % {"cost": f"{micro / 1_000_000:.4f}"}
