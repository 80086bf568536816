"""The second act: agents launched in panes, two of them granted, who mention one another and the owner."""

import secrets
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from accounts.launches import actions as launches
from accounts.launches.values import LaunchIn
from accounts.models import Launch
from chat import actions as chat
from chat.cursors.actions import mark_read
from chat.grants import actions as grants
from chat.hooks.answering import answer
from chat.topics_owned.actions import archive_topic, open_topic
from chat.values import Draft
from chat.wakes import actions as wakes
from core.actor import Actor
from project.screenshots.hours import at

TOPIC, ARCHIVED = "release/0.2.0", "ops/nightly-backup"
KEYS = {name: f"l-{number:016x}" for number, name in enumerate(("lead", "docs", "tests", "old"), start=0x5EED)}
"""The launches, by their profiles."""
IN_TMUX = {
    "multiplexer": "tmux", "multiplexer_version": "3.3a", "multiplexer_session": "work", "pane_state": Launch.CLAIMED,
    "wakeable": True,
}  # fmt: skip
BARE = {"note": "It runs in no pane of tmux or Zellij, so nobody can type into it."}


@dataclass(frozen=True, slots=True)
class Cast:
    """The owner, and whoever came through the connection of the launcher."""

    owner: Actor
    come: Actor

    def launch(self, profile: str, harness: str, version: str, **more: object) -> Actor:
        """Start one, as its launcher tells."""
        told = {
            "key": KEYS[profile], "credential": secrets.token_urlsafe(32), "profile": profile, "harness": harness,
            "harness_version": version, "command": harness, "host": "desk", "platform": "linux", "pid": 4242,
            "start_token": "8123456",
        }  # fmt: skip
        launch, _ = launches.register(self.come, told=LaunchIn.model_validate(told | more))
        return replace(self.come, launch_id=launch.pk)


def play(cast: Cast, now: datetime) -> None:
    """Launch, grant and let them talk; ends with what the owner has yet to read."""
    with at(now - timedelta(minutes=3)):
        launches.end(cast.launch("old", "codex", "0.159.3", pane="%2", **IN_TMUX), exit_status=0, reason="the process ended")
        cast.launch("tests", "pi", "0.99.2", host="rack-2.example.org", **BARE)
        lead = cast.launch("lead", "claude", "2.1.332", pane="%4", **IN_TMUX)
        docs = cast.launch("docs", "codex", "0.159.3", pane="%5", **IN_TMUX)
        grants.grant(cast.owner, launch_key=KEYS["lead"], typed="lead", wake=True)
        grants.grant(cast.owner, launch_key=KEYS["docs"], typed="docs")
        grants.note_tools_listed(lead)
        answer(lead.launch_id or 0, "Stop")
        open_topic(cast.owner, name=TOPIC)
        archive_topic(cast.owner, name=ARCHIVED)
    with at(now - timedelta(minutes=2)):
        launches.beat(lead, pane_state=Launch.CLAIMED)
        asked = _post(docs, "@lead which part comes first? The list says `@lead: hooks`, and @ghost said launching.", topic=TOPIC)
        for wake_id in wakes.pending(lead.launch_id or 0):
            wakes.settle(lead, wake_id=wake_id, outcome="ok")
        answer(lead.launch_id or 0, "UserPromptSubmit")
        mark_read(lead, {TOPIC: asked})
        reply = _post(lead, "The chapter on launching, @docs. Then the rest.", reply_to=asked)
        mark_read(cast.owner, dict.fromkeys(("general", "build", "docs/review", "release/0.1.0", ARCHIVED, TOPIC), reply))
    with at(now - timedelta(minutes=1)):
        launches.beat(lead, pane_state=Launch.CLAIMED)
        _post(docs, "@lead begun; the draft is in commit 5c1d0aa.", thread=asked)
        _post(docs, "@maintainer may the chapter name the folder of the hooks?", thread=asked)


def _post(actor: Actor, body: str, *, topic: str | None = None, thread: int | None = None, reply_to: int | None = None) -> int:
    return chat.post(actor, Draft(body=body, session_name="", topic=topic, thread=thread, reply_to=reply_to)).seq
