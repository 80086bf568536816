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
}
