"""The third act: a server and two services push; one rule tells, one asks, one has an agent at work."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from core.actor import Actor
from project.screenshots.hours import at
from sessions_app.runners.actions import save_agent
from sessions_app.runners.drafts import AgentDraft
from triggers.inbox.actions import ack, store
from triggers.listening import actions as listening
from triggers.models import PushServer
from triggers.rules.actions import replace_all
from triggers.servers.actions import save_server
from triggers.servers.drafts import ServerDraft
from triggers.values import Arrival, RuleDraft
from triggers.webhooks.actions import make_webhook

RULES = (
    RuleDraft(name="tell of the disk", server="disk", content_regex=r"(9\d|100) %", rate_limit="1h"),
    RuleDraft(
        name="failed builds", channel="builds/*", content_regex="(?i)failed", mode="confirm", prompt="Find out why: {{content}}"
    ),
    RuleDraft(
        name="answer new issues",
        server="forge",
        channel="issues",
        mode="auto",
        prompt="Read the issue and post what you make of it in the topic issues:\n\n{{content}}",
        tools=("chat_post", "chat_read"),
        dedup_window="24h",
    ),
)
TOOLS = [{"name": "usage", "description": "How full each disk is", "inputSchema": {"type": "object", "properties": {}}}]
PUSHED = (
    (9, "disk", "usage", "backup-1 is at 71 %"),
    (5, "forge", "push", "push tertulia/hub refs/heads/main by ana\nthree commits"),
    (3, "builds", "builds/main", "Build 41 is green in 9 min 25 s."),
    (2, "disk", "usage", "backup-1 is at 88 %"),
)
"""Days ago, server, channel, content."""
NEW = (
    (50, "disk", "usage", "backup-1 is at 93 % <b>and growing</b>"),
    (31, "forge", "issues", "issues opened tertulia/hub #17 Inbox: show the newest first by rui\nIt says oldest first."),
    (12, "builds", "builds/main", "Build 42 FAILED: tests/chat/test_wait.py, a lock that is waited for too long."),
    (2, "builds", "builds/docs", "Build 43 is green in 1 min 4 s."),
)
"""Minutes ago, and so on."""


def play(ana: Actor, account_id: int, now: datetime) -> None:
    """Set it all up, and let them push; ends with what the owner has yet to see."""
    with at(now - timedelta(days=10)):
        save_agent(ana, AgentDraft(slug="main", name="Main", runner="command", preset="claude"))
        save_server(ana, ServerDraft(name="disk", transport="stdio", argv=("/usr/local/bin/disk-watch", "--mcp")))
        save_server(ana, ServerDraft(name="lights", transport="stdio", argv=("lights",), enabled=False))
        make_webhook(ana, name="forge", kind="github")
        make_webhook(ana, name="builds", kind="generic", channel="")
        replace_all(ana, account_id, RULES)
    _listen(now - timedelta(days=9, minutes=1))
    _push(account_id, _arrivals(now, PUSHED, days=True))
    with at(now - timedelta(days=1)):
        ack(ana)
    _push(account_id, _arrivals(now, NEW, days=False))


def _push(account_id: int, arrivals: Iterator[tuple[datetime, Arrival]]) -> None:
    for moment, arrival in arrivals:
        with at(moment):
            store(account_id, [arrival])


def _listen(moment: datetime) -> None:
    """As a listener tells of the server that is switched on."""
    with at(moment):
        for server in listening.beat("desk")[0]:
            listening.keep_tools(server, TOOLS)
            listening.tell(server, PushServer.LISTENING, "")


def _arrivals(now: datetime, said: tuple[tuple[int, str, str, str], ...], *, days: bool) -> Iterator[tuple[datetime, Arrival]]:
    for ago, server, channel, content in said:
        moment = now - (timedelta(days=ago) if days else timedelta(minutes=ago))
        yield moment, Arrival(server=server, channel=channel, content=content, received_at=moment)
