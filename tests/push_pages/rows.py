"""Rows that these pages show, made without the rules that make them in service."""

from datetime import timedelta
from typing import Any

from core import clock
from tests import make
from triggers.models import Firing, TriggerSettings


def firing(who: make.Person, *, rule: str = "watch", mode: str = "notify", minutes: int | None = None, **more: Any) -> Firing:
    """A firing under the account's next number; `minutes`: until it expires."""
    kept = TriggerSettings.objects.get(account=who.account)
    kept.last_firing += 1
    kept.save(update_fields=["last_firing"])
    now = clock.now()
    given = {
        "server": "prom",
        "channel": "alerts",
        "seq": 1,
        "content": "hello",
        "state": Firing.SHOWN if mode == "notify" else Firing.QUEUED,
        "fired_at": now,
        "expires_at": None if minutes is None else now + timedelta(minutes=minutes),
    }
    return Firing.objects.create(account=who.account, number=kept.last_firing, rule=rule, mode=mode, **given | more)


def asking(who: make.Person, rule: str = "deploy", **more: Any) -> Firing:
    """A firing that asks its owner, for thirty minutes."""
    given = {"state": Firing.ASKED, "prompt": "Deploy it.", "tools": ["chat_post"]}
    return firing(who, rule=rule, mode="confirm", minutes=30, **given | more)
