"""What beat sends, and when: the one place. Times are UTC."""

from typing import Any

from celery.schedules import crontab

SCHEDULES: dict[str, dict[str, Any]] = {
    "prune": {
        "task": "project.tasks.prune",
        "schedule": crontab(minute="7"),
        "options": {"queue": "short", "expire_seconds": 3600},
    },
    "sweep": {
        "task": "project.tasks.sweep",
        "schedule": crontab(),
        "options": {"queue": "short", "expire_seconds": 60},
    },
    "recover": {
        "task": "sessions_app.tasks.recover",
        "schedule": 15.0,  # a run whose worker was killed goes on within a minute: its lease of 30 s, and this
        "options": {"queue": "short", "expire_seconds": 15},
    },
}
