"""What alice has in every table of sessions, with text of a hostile agent and secrets in it."""

from dataclasses import dataclass

import pytest
from django.db.models import Model

from core import clock
from core.sealing import seal
from sessions_app.models import (
    Announcement,
    Chain,
    Entry,
    Exchange,
    ModelProvider,
    Route,
    Run,
    Schedule,
    SessionSettings,
    Spawn,
    ToolApproval,
)
from sessions_app.runs.actions import begin
from sessions_app.transcripts.actions import append
from sessions_app.values import Asked
from tests import make
from tests.admin.conftest import as_alice, as_charlie, as_staff

__all__ = ["as_alice", "as_charlie", "as_staff"]

KEY = "sk-" + "abcdefghij0123456789" * 2
SEALED = "tgram://123456:sealed-address/"
WORDS = "alices-words"
HOSTILE = f"<script>alert('{WORDS}')</script> {{{{ 7*7 }}}} \u202e {KEY}"
UNKNOWN = 999_999


@dataclass
class Hers:
    """Her rows, by the name of the model in an address."""

    rows: dict[str, Model]


def rows_of(who: make.Person) -> dict[str, Model]:
    """One row of every model."""
    account, now = who.account, clock.now()
    parent, child = make.session(who), make.session(who, "agent:main:subagent:alices-child")
    run = begin(who.actor, parent, Asked(message=HOSTILE, purpose=Run.OWNER))
    Run.objects.filter(pk=run.pk).update(reply=HOSTILE, error=HOSTILE[:500], state=Run.ERROR)
    append(parent, {"role": "assistant", "content": HOSTILE}, run=run)
    provider = ModelProvider.objects.create(
        account=account, name=f"p-{WORDS}", base_url=f"http://user:{KEY}@127.0.0.1:9/v1", key_encrypted=seal(KEY), created_at=now
    )
    return {
        "session": parent,
        "run": run,
        "entry": Entry.objects.get(session=parent),
        "chain": Chain.objects.get(pk=run.chain_id),
        "exchange": Exchange.objects.create(
            account=account, chain=run.chain, requester=parent, target=child, message=HOSTILE, created_at=now
        ),
        "spawn": Spawn.objects.create(account=account, requester=parent, child=child, task=HOSTILE, created_at=now),
        "announcement": Announcement.objects.create(
            account=account, session=parent, cause=f"c-{parent.pk}", channel="telegram", text=HOSTILE, next_at=now, created_at=now
        ),
        "toolapproval": ToolApproval.objects.create(
            account=account, run=run, call_id="1", tool="chat_post", arguments={"body": HOSTILE}, asked_at=now
        ),
        "agent": make.hub_agent(who, f"a-{WORDS}", argv=["tool", f"--token={KEY}"], instructions=HOSTILE),
        "modelprovider": provider,
        "route": Route.objects.create(
            account=account, channel="telegram", address_encrypted=seal(SEALED), scheme="tgram", created_at=now
        ),
        "schedule": Schedule.objects.create(
            account=account, slug=f"s-{WORDS}", agent="main", prompt=HOSTILE, crontab="0 7 * * *", created_at=now
        ),
        "sessionsettings": SessionSettings.objects.get(account=account),
    }


@pytest.fixture
def hers(alice: make.Person) -> Hers:
    return Hers(rows_of(alice))
