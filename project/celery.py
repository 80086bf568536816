"""The Celery application: queues `short` and `runs`, JSON only, no results. `celery -A project.celery worker -Q short`."""

import os
import warnings
from functools import cached_property
from typing import Any

from celery import Celery
from celery.exceptions import SecurityWarning
from celery.signals import setup_logging
from django.conf import settings
from kombu import Exchange, Queue

from project import beat, broker
from project.schedules import SCHEDULES
from project.start import load_settings

os.environ.setdefault("CELERY_SKIP_CHECKS", "1")  # they load every page, and Celery heeds nothing that they find
QUEUES = ("short", "runs")
"""`short` keeps the house tidy; `runs` may last, so that a long run never delays a pruning."""


def configuration() -> dict[str, Any]:
    """Celery's settings, from the hub's."""
    return {
        **_broker(),
        "task_queues": [Queue(name, Exchange(name), routing_key=name) for name in QUEUES],
        "task_default_queue": "short",
        "task_routes": {"sessions_app.tasks.work": {"queue": "runs"}},
        "task_create_missing_queues": False,
        "task_ignore_result": True,
        "result_expires": None,
        "task_serializer": "json",
        "accept_content": ["json"],
        "task_acks_late": True,
        "worker_prefetch_multiplier": 1,
        "worker_enable_remote_control": False,
        "worker_hijack_root_logger": False,
        "worker_redirect_stdouts": False,
        "broker_connection_retry_on_startup": True,
        "beat_scheduler": "django_celery_beat.schedulers:DatabaseScheduler",
        "beat_schedule": SCHEDULES,
        "timezone": "UTC",
        "enable_utc": True,
    }


def _broker() -> dict[str, Any]:
    if settings.REDIS_URL:
        return {"broker_url": settings.REDIS_URL, "broker_transport_options": {"global_keyprefix": "tertulia."}}
    return {
        "broker_url": "filesystem://localhost",
        "broker_transport": "project.broker:Transport",
        "broker_transport_options": broker.options(settings.BROKER_FOLDER),
    }


class Hub(Celery):
    """Celery with a beat of ours."""

    @cached_property
    def Beat(self) -> Any:
        """What `celery beat` runs."""
        return self.subclass_with_self(beat.Beat)


@setup_logging.connect
def _leave_logging_to_django(**kwargs: Any) -> None:
    """A receiver of this signal tells Celery to set up none of its own."""


# Celery warns of root because pickles run code; this hub takes JSON alone.
warnings.filterwarnings("ignore", category=SecurityWarning)
load_settings()
app = Hub("tertulia")
app.config_from_object(configuration())
app.autodiscover_tasks()
