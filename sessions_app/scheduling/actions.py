"""Schedules: saved with what beat sends for them, fired once a time however often they are told, removed with it."""

import json
import uuid
from datetime import datetime, timedelta
from itertools import islice
from typing import Any

import structlog
from django.db import transaction
from django.utils.translation import gettext as _
from django_celery_beat.models import CrontabSchedule, PeriodicTask

from accounts.models import Account
from accounts.permissions import may_manage_account
from audit.actions import record
from core import clock, news
from core.actor import Actor, system
from core.errors import Forbidden, Invalid, NotFound
from sessions_app.finding.actions import ensure
from sessions_app.keys import SLUG
from sessions_app.models import Agent, Run, Schedule, Session
from sessions_app.news import sessions_key
from sessions_app.runs.actions import begin, check_message, next_of
from sessions_app.scheduling import crontab as lines
from sessions_app.values import CRON, Asked

PREFIX = "schedule of an owner: "
TASK = "sessions_app.scheduling.tasks.fire"
log = structlog.get_logger(__name__)
EARLY = timedelta(seconds=5)
"""So much the clocks of two machines may differ: beat's may be ahead of this one."""
MOST = 200
"""Schedules an account may have."""


@transaction.atomic
def save(
    actor: Actor,
    account: Account,
    *,
    slug: str,
    agent: str,
    prompt: str,
    crontab: str,
    zone: str = "UTC",
    enabled: bool = True,
    deliver: bool = False,
) -> Schedule:
    """Make a schedule, or change the one of this name; beat hears of it with the commit. Raises Forbidden, Invalid, NotFound.

    What was due before counts no more: the next time is the first after now.
    """
    _check_right(actor, account.pk)
    wanted = {"agent": agent.strip().lower(), "prompt": prompt, "crontab": " ".join(crontab.split()), "zone": zone.strip()}
    name = slug.strip().lower()
    _check(account.pk, name, wanted["agent"], prompt)
    due = lines.next_after(lines.parse(crontab), lines.zone_of(wanted["zone"]), clock.now())
    given = {**wanted, "enabled": enabled, "deliver": deliver, "next_at": due if enabled else None}
    before = Schedule.objects.filter(account=account, slug=name).values_list("enabled", flat=True).first()
    held, made = Schedule.objects.update_or_create(
        account=account, slug=name, defaults=given, create_defaults={**given, "created_at": clock.now()}
    )
    _give_to_beat(held, is_switched=before != enabled)
    record(
        actor, "schedule.made" if made else "schedule.changed", target=f"schedule:{held.pk}", label=name, account_id=account.pk
    )
    news.publish_on_commit(sessions_key(account.pk))
    return held


def _check_right(actor: Actor, account_id: int) -> None:
    if not may_manage_account(actor, account_id):
        raise Forbidden(_("Only the owner changes what runs by the clock."))


def _check(account_id: int, slug: str, agent: str, prompt: str) -> None:
    if not SLUG.match(slug):
        raise Invalid(_("A schedule's name takes 1 to 64 of a-z, 0-9, _ and -, the first a letter or a digit."))
    if not Agent.objects.filter(account_id=account_id, slug=agent).exists():
        raise NotFound(_("You have no agent of that name; make it first, or choose one of yours."))
    check_message(prompt)
    others = Schedule.objects.filter(account_id=account_id).exclude(slug=slug)
    if others.count() >= MOST:
        raise Invalid(_("You have %(most)d schedules, as many as there may be; remove one first.") % {"most": MOST})


def _give_to_beat(held: Schedule, *, is_switched: bool) -> None:
    """The row that beat reads; one that staff switched off stays off until the owner switches his schedule.

    Rows of times are shared, with the hub's own tasks too, and so are never removed.
    """
    times = _times(held)
    named = CrontabSchedule.objects.filter(**times).first() or CrontabSchedule.objects.create(**times)
    task, _made = PeriodicTask.objects.update_or_create(
        name=f"{PREFIX}{held.pk}",
        defaults={
            "task": TASK,
            "args": json.dumps([held.pk]),
            "crontab": named,
            "queue": "short",
            "description": f"{held.slug} of account {held.account_id}",
            **({"enabled": held.enabled} if is_switched else {}),
        },
    )
    Schedule.objects.filter(pk=held.pk).update(periodic_task=task.pk)
    held.periodic_task = task.pk


def _times(held: Schedule) -> dict[str, Any]:
    line = lines.parse(held.crontab)
    return {
        "minute": lines.as_field(line.minutes, lines.MINUTE),
        "hour": lines.as_field(line.hours, lines.HOUR),
        "day_of_month": lines.as_field(line.days, lines.DAY),
        "month_of_year": lines.as_field(line.months, lines.MONTH),
        "day_of_week": lines.as_field(line.weekdays, lines.WEEKDAY),
        "timezone": lines.zone_of(held.zone),
    }


@transaction.atomic
def remove(actor: Actor, schedule: Schedule) -> None:
    """Delete a schedule and what beat sends for it; its session and transcript stay. Raises Forbidden."""
    _check_right(actor, schedule.account_id)
    record(actor, "schedule.removed", target=f"schedule:{schedule.pk}", label=schedule.slug, account_id=schedule.account_id)
    _take_from_beat([schedule.pk])
    Schedule.objects.filter(pk=schedule.pk).delete()
    news.publish_on_commit(sessions_key(schedule.account_id))


def _take_from_beat(schedule_ids: list[int]) -> None:
    for task in PeriodicTask.objects.filter(task=TASK, name__in=[f"{PREFIX}{each}" for each in schedule_ids]):
        task.delete()  # each by itself: its signal tells beat


@transaction.atomic
def forget_account(account_id: int) -> None:
    """Before an account goes: its schedules, and what beat would send for them."""
    ids = list(Schedule.objects.filter(account_id=account_id).values_list("pk", flat=True))
    _take_from_beat(ids)
    Schedule.objects.filter(pk__in=ids).delete()


def next_times(schedule: Schedule, count: int = 5) -> list[datetime]:
    """The next times at which it comes, were it switched on."""
    line, zone = lines.parse(schedule.crontab), lines.zone_of(schedule.zone)
    return list(islice(lines.following(line, zone, clock.now()), count))


@transaction.atomic
def fire(schedule_id: int) -> Run | None:
    """Begin the run of a schedule whose time has come; None where it has not, where another has done it, where the run of
    the time before has not even begun, or where its owner is switched off.

    Its time is claimed by moving it on from now, so that what beat sends twice fires once, and what was missed while the hub
    stood still fires once and not as often as it was missed. Each firing begins a new transcript in the schedule's session.
    """
    now = clock.now()
    held = Schedule.objects.filter(pk=schedule_id, enabled=True, next_at__lte=now + EARLY).first()
    if held is None:
        return None
    due = lines.next_after(lines.parse(held.crontab), lines.zone_of(held.zone), max(now, held.next_at))
    claimed = Schedule.objects.filter(pk=held.pk, enabled=True, next_at=held.next_at)
    if not claimed.update(next_at=due, last_run_at=now):
        return None
    if not Account.objects.filter(pk=held.account_id, owner__is_active=True).exists():
        return None
    session = ensure(held.account_id, f"agent:{held.agent}:cron:{held.slug}", display_name=held.slug)
    going = Run.objects.filter(session=session, state__in=Run.ACTIVE)
    if going.filter(purpose=Run.SCHEDULE, state=Run.QUEUED).exists():
        log.info("schedule_passed_over", schedule=held.pk)
        return None
    if not going.exists():
        begin_anew(session)
    asked = Asked(message=held.prompt, purpose=Run.SCHEDULE, lane=CRON, deliver=held.deliver, provenance=_provenance(held))
    return begin(system(account_id=held.account_id), session, asked)


def begin_anew(session: Session) -> None:
    """A new transcript in the schedule's session; the ones before stay under their own ids."""
    Session.objects.filter(pk=session.pk).update(session_id=uuid.uuid4(), context_tokens=None, system_sent=False)
    session.refresh_from_db()


def run_ended(run: Run) -> None:
    """A run ended in some session; where a firing waited for that, its transcript begins now."""
    waiting = next_of(run.session_id).first() if run.session.kind == CRON else None
    if waiting is not None and waiting.purpose == Run.SCHEDULE and waiting.attempts == 0:
        begin_anew(waiting.session)


def _provenance(held: Schedule) -> dict[str, str]:
    return {"kind": "schedule", "schedule": held.slug}
