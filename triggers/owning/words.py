"""States, modes and outcomes in words for people, and the colour of each."""

from django.utils.translation import gettext_lazy, pgettext_lazy

from triggers.models import Firing, PushServer, Rule

TONES = {
    Firing.QUEUED: "waiting",
    Firing.SHOWN: "quiet",
    Firing.ASKED: "waiting",
    Firing.RUNNING: "waiting",
    Firing.DONE: "good",
    Firing.FAILED: "bad",
    Firing.STOPPED: "quiet",
    Firing.DECLINED: "quiet",
    Firing.EXPIRED: "quiet",
    Firing.DROPPED: "bad",
}
STATES = dict(Firing.STATES)
ACCEPTED = gettext_lazy("accepted, queued")
MODES = dict(Rule.MODES)
BY_HAND = gettext_lazy("by hand")
OUTCOMES = {
    "done": pgettext_lazy("firing", "done"),
    "shown": gettext_lazy("shown"),
    "open": gettext_lazy("not ended"),
    "let_go": gettext_lazy("declined, expired or stopped"),
    "failed": gettext_lazy("failed"),
    "dropped": gettext_lazy("dropped"),
}
"""What firings come to in the chart, from the foot of a bar upwards."""

OUTCOME_OF = {
    Firing.QUEUED: "open",
    Firing.SHOWN: "shown",
    Firing.ASKED: "open",
    Firing.RUNNING: "open",
    Firing.DONE: "done",
    Firing.FAILED: "failed",
    Firing.STOPPED: "let_go",
    Firing.DECLINED: "let_go",
    Firing.EXPIRED: "let_go",
    Firing.DROPPED: "dropped",
}
OTHERS = gettext_lazy("all others")
TROUBLE = (PushServer.SIGN_IN, PushServer.FAILED, PushServer.DISCONNECTED)
"""States of a push server that its owner should hear of."""
