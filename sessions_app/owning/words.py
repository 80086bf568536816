"""Kinds, states and purposes in words for people, and the colour of each."""

from django.utils.translation import gettext_lazy

from sessions_app.models import Run

KIND_WORDS = {
    "main": gettext_lazy("main"),
    "group": gettext_lazy("group"),
    "cron": gettext_lazy("schedule"),
    "hook": gettext_lazy("hook"),
    "node": gettext_lazy("connected agent"),
    "other": gettext_lazy("other"),
}
OUTCOME_WORDS = {
    "ok": gettext_lazy("ok"),
    "error": gettext_lazy("failed"),
    "timed_out": gettext_lazy("timed out"),
    "stopped": gettext_lazy("stopped"),
    "active": gettext_lazy("not ended"),
}
STATES = {
    Run.QUEUED: ("waiting", gettext_lazy("queued")),
    Run.LEASED: ("waiting", gettext_lazy("taken")),
    Run.RUNNING: ("waiting", gettext_lazy("running")),
    Run.OK: ("good", gettext_lazy("ok")),
    Run.ERROR: ("bad", gettext_lazy("failed")),
    Run.TIMED_OUT: ("bad", gettext_lazy("timed out")),
    Run.STOPPED: ("quiet", gettext_lazy("stopped")),
}
HELD = {
    "budget": gettext_lazy("waits for you: its chain used up its runs"),
    "approval": gettext_lazy("waits for you: it asks for a tool"),
}
STOPPING = gettext_lazy("stopping")
PURPOSES = {
    Run.SEND: gettext_lazy("message of another session"),
    Run.REPLY: gettext_lazy("turn of a reply loop"),
    Run.ANNOUNCE: gettext_lazy("announcement"),
    Run.SPAWN: gettext_lazy("sub-agent's task"),
    Run.RESULT: gettext_lazy("result of a sub-agent"),
    Run.LATE: gettext_lazy("late reply"),
    Run.SCHEDULE: gettext_lazy("schedule"),
    Run.OWNER: gettext_lazy("your message"),
    Run.TRIAL: gettext_lazy("trial"),
    Run.FIRING: gettext_lazy("rule that fired"),
}
RUNNERS = {
    "connected": gettext_lazy("connected"),
    "command": gettext_lazy("command"),
    "model": gettext_lazy("model"),
}
ROLES = {
    "user": gettext_lazy("Asked"),
    "assistant": gettext_lazy("Agent"),
    "toolResult": gettext_lazy("Tool"),
    "tool": gettext_lazy("Tool"),
    "system": gettext_lazy("System"),
}
POLICIES = {
    "": gettext_lazy("as the account's settings say"),
    "allow": gettext_lazy("always delivered"),
    "deny": gettext_lazy("never delivered"),
}
