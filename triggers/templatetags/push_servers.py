"""How push servers, webhooks and rules are shown on a page: in words, and text from elsewhere in one line."""

from django import template

from core.text import inert, one_line
from sessions_app.redaction import redact
from triggers.managing import words
from triggers.models import PushServer, Rule, Webhook
from triggers.rules.trying import Match
from triggers.servers.reading import state_now

LINE, TARGET = 300, 120

register = template.Library()


@register.filter
def server_words(server: PushServer) -> str:
    """Its state, as it is now."""
    return str(words.STATES[state_now(server)])


@register.filter
def state_words(state: str) -> str:
    """A state in a line of its log."""
    return str(words.STATES.get(state, state))


@register.filter
def server_tone(server: PushServer) -> str:
    """Which colour that state has."""
    return words.TONES[state_now(server)]


@register.filter
def server_state(server: PushServer) -> str:
    """That state by its name in the code."""
    return state_now(server)


@register.filter
def target(server: PushServer) -> str:
    """Where it is: an address without its query, or a program without its arguments, which may be secrets."""
    told = redact(server.url.partition("?")[0])[0] if server.url else str(server.argv[0]) if server.argv else ""
    return inert(one_line(told, TARGET))


@register.filter
def shown_line(text: object) -> str:
    """What a server says of itself, in one line: secrets masked, nothing that turns its direction; escaping is the template's."""
    return inert(one_line(redact(str(text or ""))[0], LINE))


@register.filter
def refused_words(webhook: Webhook) -> str:
    """Why it refused its last delivery."""
    return str(words.REASONS.get(webhook.refused_why, webhook.refused_why))


@register.filter
def verdict_words(match: Match) -> str:
    """What a rule would have done on the message."""
    return str(words.VERDICTS[match.verdict])


@register.filter
def filters(rule: Rule) -> str:
    """Which messages it is for: server and channel."""
    return inert(one_line(f"{rule.server or '*'}/{rule.channel or '*'}", LINE))
