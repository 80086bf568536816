"""States of push servers and reasons of webhooks in words for people, and the colour of each state."""

from django.utils.translation import gettext_lazy

from triggers.models import PushServer
from triggers.rules.engine import Verdict
from triggers.webhooks import values

STATES = dict(PushServer.STATES)
TONES = {
    PushServer.OFF: "quiet",
    PushServer.WAITING: "waiting",
    PushServer.CONNECTING: "waiting",
    PushServer.LISTENING: "good",
    PushServer.SILENT: "quiet",
    PushServer.SIGN_IN: "bad",
    PushServer.FAILED: "bad",
    PushServer.DISCONNECTED: "bad",
}
REASONS = {
    values.NO_SIGNATURE: gettext_lazy("no signature"),
    values.BAD_SIGNATURE: gettext_lazy("the signature does not fit"),
    values.TOO_OLD: gettext_lazy("its time is more than five minutes off"),
    values.NOT_JSON: gettext_lazy("no JSON"),
    values.REPLAYED: gettext_lazy("it was taken before"),
    values.OFF: gettext_lazy("the webhook is switched off"),
    values.SEALED: gettext_lazy("the hub's key file opens its secret no more; make a new address"),
}
"""Why a webhook refused its last delivery."""

VERDICTS = {
    Verdict.FIRE: gettext_lazy("fires"),
    Verdict.DEDUP: gettext_lazy("said before"),
    Verdict.RATE: gettext_lazy("too soon"),
    Verdict.LOOP: gettext_lazy("its own echo"),
}
"""What a rule would do on a message that it matches."""
