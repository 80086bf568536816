"""One run from its claim to its end, in a worker."""

import os
import secrets
import socket
import threading
from collections.abc import Callable
from functools import partial

import structlog
from django.conf import settings
from django.db import connection

from core.actor import system
from core.errors import DomainError, Gone
from sessions_app.models import Agent, Run, Session, SessionSettings
from sessions_app.runners.approvals.actions import ask
from sessions_app.runners.approvals.reading import decisions
from sessions_app.runners.history import said_before
from sessions_app.runners.models import model_for
from sessions_app.runners.prompt_blocks import told_to
from sessions_app.runners.registry import runners
from sessions_app.runners.whitelist import usable
from sessions_app.runners.work import Pending, Pulse, Work
from sessions_app.runs import actions
from sessions_app.values import Outcome

log = structlog.get_logger(__name__)
NO_AGENT = "This agent is gone, switched off or run in another way now; send the message again once that is settled."
MISSED_BEATS = 4
"""Beats in a row that may fail with the database before the claim counts as lost."""


def work(run_pk: int) -> bool:
    """Execute one run if it can be claimed; answers whether it was. What happens to it is told by its row alone."""
    claimed = actions.claim(run_pk, worker=worker_name(), with_credential=True)
    if claimed is None:
        return False
    run, token = claimed
    outcome = _attempt(run, token)
    try:
        if isinstance(outcome, Pending):
            ask(run, outcome)
        else:
            actions.finish(system(account_id=run.account_id), run.pk, run.lease, outcome)
    except Gone:
        log.info("run_result_dropped", run=run.run_id)
    return True


def worker_name() -> str:
    """Which thread of which process of which machine."""
    return f"{socket.gethostname()[:32]}:{os.getpid()}:{threading.get_ident() % 10**6}"


def _attempt(run: Run, token: str) -> Outcome | Pending:
    try:
        return _execute(run, token)
    except DomainError as refusal:
        return Outcome(state="error", error=refusal.detail)
    except Exception:
        log_id = secrets.token_hex(4)
        log.exception("run_failed", run=run.run_id, log_id=log_id)
        said = f"Something went wrong in the hub; tell the owner to look for {log_id} in its log."
        return Outcome(state="error", error=said)


def _execute(run: Run, token: str) -> Outcome | Pending:
    agent = Agent.objects.select_related("provider", "account__owner").filter(
        account_id=run.account_id, slug=run.session.agent, enabled=True
    )
    found: Agent | None = agent.first()
    runner = runners.get(run.runner)
    if found is None or runner is None or found.runner != run.runner:
        return Outcome(state="error", error=NO_AGENT)
    limit = run.timeout_seconds or found.timeout_seconds
    with Pulse(_beats(run), seconds=limit or None) as pulse:
        return runner.execute(_prepared(run, found, token, pulse))


def _prepared(run: Run, agent: Agent, token: str, pulse: Pulse) -> Work:
    kept = SessionSettings.objects.get(pk=run.account_id)
    session: Session = run.session
    return Work(
        run=run,
        agent=agent,
        session=session,
        pulse=pulse,
        tell=partial(actions.note, run.pk, run.lease),
        token=token,
        address=f"{settings.TERTULIA_URL}/mcp",
        model=model_for(kept, agent, session, run),
        tools=usable(kept, agent, session, run.tools),
        wanted_tools=tuple(agent.tools if run.tools is None else run.tools),
        denied_tools=tuple(kept.subagent_tools_deny) if session.spawn_depth else (),
        history=said_before(run),
        told=told_to(run),
        message=run.message,
        decisions=decisions(run),
    )


def _beats(run: Run) -> Callable[[], bool]:
    """A beat as the pulse's own thread gives it: a database that is busy for a while does not cost the claim."""
    missed = 0

    def beat() -> bool:
        nonlocal missed
        try:
            alive = actions.beat(run.pk, run.lease)
            missed = 0
            return alive
        except Exception:
            missed += 1
            log.warning("beat_failed", run=run.run_id, exc_info=True)
            return missed < MISSED_BEATS
        finally:
            connection.close()

    return beat
