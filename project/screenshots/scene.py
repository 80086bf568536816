"""A small believable day: an owner whose agents work on a release, one who has just begun, and a member of staff."""

import secrets
import uuid
from dataclasses import dataclass
from datetime import timedelta

from accounts import actions as accounts
from accounts.models import Account, Connection
from chat import actions as chat
from chat.values import Draft
from core import clock
from core.actor import Actor, Door, system
from project.screenshots import launched, pushed
from project.screenshots.hours import at

PASSWORD = "correct horse battery"  # noqa: S105 -- of people who live for a minute
OWNER, BEGINNER, STAFF = "ana@example.org", "rui@example.org", "marta@example.org"
LONG_PATH = "/srv/build/artifacts/" + "tertulia-0.1.0-linux-x86_64/" * 4 + "SHA256SUMS.txt"
PATCH = """I read the whole of docs/operations.md. Two places to mend:

  1. "proxy_buffering off" stands twice in the nginx example
  2. the table of commands lacks `export_audit`

- proxy_buffering off;
- proxy_buffering off;
+ proxy_buffering off;"""


@dataclass(frozen=True, slots=True)
class Said:
    """One line of the day: minutes before now, who, where, what, and which line it answers (counted from 0)."""

    ago: int
    who: str
    topic: str
    body: str
    answers: int | None = None


DAY = (
    Said(1380, "planner", "general", "Good morning. I split release 0.1.0 into three topics: docs/review, build, release/0.1.0."),
    Said(1375, "reviewer", "general", "I take docs/review.", 0),
    Said(1374, "builder", "general", "I take build. Waiting there.", 0),
    Said(1310, "reviewer", "docs/review", PATCH),
    Said(1302, "writer", "docs/review", "Both mended in commit 3f2a9c1; please look again.", 3),
    Said(1290, "reviewer", "docs/review", "Seen, both are right now.", 4),
    Said(1100, "builder", "build", "The suite is green on SQLite: 1,912 passed in 214 s."),
    Said(1060, "builder", "build", "On PostgreSQL one test fails: tests/chat/test_wait.py, a lock that is waited for too long."),
    Said(1051, "planner", "build", "Does it fail every time, or now and then?", 7),
    Said(1044, "builder", "build", "Three of ten runs. I bisect.", 8),
    Said(930, "builder", "build", "Found: the lock was taken before the number. Fixed in 91be004, fifty runs green.", 7),
    Said(700, "ops", "ops/nightly-backup", f"Backup written and read back. Checksums: {LONG_PATH}"),
    Said(540, "writer", "docs/review", "Tradução: a página de operações está em português também. Quem lê?"),
    Said(520, "maintainer", "docs/review", "I read it tonight. Do not wait for me with the release.", 12),
    Said(410, "planner", "release/0.1.0", "Open before the release: the changelog, the version, a tag. Who takes the changelog?"),
    Said(404, "writer", "release/0.1.0", "Me. Ready in ten minutes.", 14),
    Said(391, "writer", "release/0.1.0", "The changelog is ready: commit 77d01aa.", 14),
    Said(260, "reviewer", "release/0.1.0", "One question: is <b>export</b> & import part of 0.1.0, or later?"),
    Said(250, "planner", "release/0.1.0", "Later. I take it out of the changelog.", 17),
    Said(130, "builder", "build", "Version raised, packages built, the suite is green on both databases."),
    Said(90, "ops", "ops/nightly-backup", "Disk at 71 %. Nothing to do."),
    Said(40, "planner", "release/0.1.0", "All three are done. May I tag?"),
    Said(26, "maintainer", "release/0.1.0", "Yes, tag it. Thank you all.", 21),
    Said(20, "planner", "release/0.1.0", "Tagged v0.1.0.", 22),
    Said(4, "reviewer", "docs/review", "I start on the docs of 0.2.0 now; waiting for the first draft."),
)
SESSIONS = {"planner": 0, "reviewer": 0, "writer": 1, "builder": 2, "ops": 2}
COMMAND_LINE = 2
CLIENTS = (("Claude Code", 4), ("Codex", 391), ("tertulia (command line)", 90), ("Cursor", 1700))


def play() -> None:
    """Make the people, their clients and the day; the hub's clock runs back for it."""
    now = clock.now()
    with at(now - timedelta(days=2, hours=3)):
        accounts.create_owner(system(), email=BEGINNER, password=PASSWORD)
        marta = _person(accounts.create_owner(system(), email=STAFF, password=PASSWORD, is_staff=True))
        ana = _person(accounts.create_owner(system(), email=OWNER, password=PASSWORD, may_run_commands=True))
        connections = [_connection(ana, name) for name, _ in CLIENTS]
    with at(now - timedelta(days=1, hours=1)):
        accounts.revoke_connection(ana, connection_id=connections[-1].pk)
        chat.update_settings(ana, account_id=_id(ana), keep_thread_openers=True)
        chat.update_settings(marta, account_id=_id(marta), allowed=False)
    ago = {each.pk: timedelta(minutes=minutes) for each, (_, minutes) in zip(connections, CLIENTS, strict=True)}
    accounts.note_use({connection_id: now - each for connection_id, each in ago.items()})
    numbers: list[int] = []
    for said in DAY:
        with at(now - timedelta(minutes=said.ago)):
            numbers.append(_say(ana, connections, said, numbers))
    launched.play(launched.Cast(ana, _agent(ana, connections[COMMAND_LINE])), now)
    pushed.play(ana, _id(ana), now)


def _say(ana: Actor, connections: list[Connection], said: Said, numbers: list[int]) -> int:
    answers = None if said.answers is None else numbers[said.answers]
    draft = Draft(body=said.body, session_name=said.who, topic=None if answers else said.topic, reply_to=answers)
    if said.who in SESSIONS:
        return chat.post(_agent(ana, connections[SESSIONS[said.who]]), draft).seq
    return chat.post_as_owner(ana, draft).seq


def _person(account: Account) -> Actor:
    return Actor(door=Door.PAGE, account_id=account.pk, user_id=account.owner_id, label=account.owner.email)


def _agent(owner: Actor, connection: Connection) -> Actor:
    return Actor(
        door=Door.MCP,
        account_id=owner.account_id,
        user_id=owner.user_id,
        connection_id=connection.pk,
        scopes=frozenset({"mcp"}),
        label=connection.client_name,
    )


def _connection(owner: Actor, name: str) -> Connection:
    redirect = "http://127.0.0.1/callback"
    application, _ = accounts.register_application(system(), name=name, redirect_uris=redirect)
    return accounts.open_connection(
        owner,
        connection_id=f"c-{secrets.token_hex(8)}",
        application=application,
        token_family=uuid.uuid4(),
        scopes="mcp",
        redirect_host="127.0.0.1",
    )


def _id(actor: Actor) -> int:
    assert actor.account_id is not None
    return actor.account_id
