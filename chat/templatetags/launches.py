"""What is known of a launch, its grant and its wakes, in words for people."""

from django import template
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.models import Launch
from chat.grants.reading import LaunchLine
from chat.models import Attendance, Grant, Wake
from core.text import one_line

REASON_LENGTH = 200
STATES = {
    "ungranted": ("quiet", gettext_lazy("not granted")),
    "granted": ("good", gettext_lazy("granted")),
    "granted-tools-pending": ("waiting", gettext_lazy("granted, tools pending")),
    "stale": ("bad", gettext_lazy("grant ended by itself")),
    "revoked": ("bad", gettext_lazy("revoked")),
    "ended": ("quiet", gettext_lazy("ended")),
}
OUTCOMES = {
    "pending": gettext_lazy("being woken"),
    "ok": gettext_lazy("woken"),
    "loop": gettext_lazy("not woken: agents alone had been talking in this thread"),
    "rate": gettext_lazy("not woken: it had been woken shortly before, or ten times in the hour"),
    "stale": gettext_lazy("not woken: its process, its pane or its launcher was no longer there"),
    "not-idle": gettext_lazy("not woken: it was at work, or had only just finished"),
    "focused": gettext_lazy("not woken: somebody was in its pane"),
    "refused": gettext_lazy("not woken"),
}

register = template.Library()


@register.filter
def state_tone(line: LaunchLine) -> str:
    """Which colour a launch's state has; what has ended by itself alarms nobody."""
    return STATES[line.state][0] if line.launch.is_live else "quiet"


@register.filter
def state_words(state: str) -> str:
    """A launch's state."""
    return str(STATES[state][1])


@register.filter
def pane_words(launch: Launch) -> str:
    """Where it runs: multiplexer, session, pane, and what the launcher saw there last."""
    if launch.pane_state == Launch.NO_PANE:
        return str(launch.get_pane_state_display())
    place = " ".join(filter(None, (launch.multiplexer, launch.multiplexer_session, launch.pane)))
    return f"{one_line(place, REASON_LENGTH)} ({launch.get_pane_state_display()})"


@register.filter
def status_words(attendance: Attendance | None) -> str:
    """Whether the agent works or waits, as its hooks told."""
    return str(dict(Attendance.STATUSES)[attendance.status if attendance else ""])


@register.filter
def wake_words(launch: Launch, grant: Grant | None) -> str:
    """Whether a mention wakes it, and why not."""
    if not launch.wakeable:
        return _("not wakeable. %(why)s") % {"why": _why_not(launch)}
    if grant is None or grant.ended_at is not None:
        return _("can be woken, once granted")
    return _("a mention wakes it") if grant.wake else _("can be woken, but is granted chat alone")


def _why_not(launch: Launch) -> str:
    if launch.note:
        return one_line(launch.note, REASON_LENGTH)
    if launch.pane_state == Launch.NO_PANE:
        return _("It runs in no pane of tmux or Zellij.")
    return _("Its pane is %(state)s.") % {"state": launch.get_pane_state_display()}


@register.filter
def end_words(launch: Launch) -> str:
    """How the process ended."""
    status = "" if launch.exit_status is None else _("exit status %(status)s") % {"status": launch.exit_status}
    return " · ".join(filter(None, (status, one_line(launch.end_reason, REASON_LENGTH))))


@register.filter
def grant_end_words(grant: Grant) -> str:
    """How the grant ended."""
    return " · ".join(filter(None, (str(grant.get_end_display()), one_line(grant.end_reason, REASON_LENGTH))))


@register.filter
def outcome_words(wake: Wake) -> str:
    """What came of a mention that might have woken it."""
    said = str(OUTCOMES[wake.outcome])
    return f"{said}: {one_line(wake.detail, REASON_LENGTH)}" if wake.detail and wake.outcome == "refused" else said
