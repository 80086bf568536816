"""The schedule's lists, for staff: what beat runs and when, and the switch that stops a task."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext
from django_celery_beat.models import ClockedSchedule, CrontabSchedule, IntervalSchedule, PeriodicTask, SolarSchedule

from accounts.admin import StaffAdmin
from project import actions


@admin.register(PeriodicTask)
class PeriodicTaskAdmin(StaffAdmin[Any]):
    """Tasks; the schedule itself is part of the product and is renewed at every start."""

    list_display = ("name", "enabled", "interval", "crontab", "last_run_at", "total_run_count")
    list_filter = ("enabled",)
    list_select_related = ("interval", "crontab", "solar", "clocked")
    search_fields = ("name", "task")
    ordering = ("name",)
    fields = (
        "name",
        "task",
        "enabled",
        "interval",
        "crontab",
        "solar",
        "clocked",
        "one_off",
        "queue",
        "start_time",
        "expires",
        "last_run_at",
        "total_run_count",
        "date_changed",
        "description",
    )
    actions = ("enable", "disable")

    @admin.action(description=_("Enable selected tasks"), permissions=["view"])
    def enable(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        """They run again when they are due."""
        self._switch(request, queryset, enabled=True)

    @admin.action(description=_("Disable selected tasks"), permissions=["view"])
    def disable(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        """They do not run until enabled again."""
        self._switch(request, queryset, enabled=False)

    def _switch(self, request: HttpRequest, queryset: QuerySet[Any], *, enabled: bool) -> None:
        actor = self.actor(request)
        done = _enabled if enabled else _disabled
        self.each(request, queryset, lambda task: actions.switch_task(actor, task_id=task.pk, enabled=enabled), done)


def _enabled(count: int) -> str:
    return ngettext("%(count)d task enabled.", "%(count)d tasks enabled.", count) % {"count": count}


def _disabled(count: int) -> str:
    return ngettext("%(count)d task disabled.", "%(count)d tasks disabled.", count) % {"count": count}


class ScheduleAdmin(StaffAdmin[Any]):
    """A kind of schedule."""

    ordering = ("-id",)
    actions = None


@admin.register(IntervalSchedule)
class IntervalScheduleAdmin(ScheduleAdmin):
    """Every so often."""

    list_display = ("id", "every", "period")
    fields = ("every", "period")


@admin.register(CrontabSchedule)
class CrontabScheduleAdmin(ScheduleAdmin):
    """At times of the clock."""

    list_display = ("id", "human_readable", "timezone")
    fields = ("minute", "hour", "day_of_month", "month_of_year", "day_of_week", "timezone")


@admin.register(ClockedSchedule)
class ClockedScheduleAdmin(ScheduleAdmin):
    """Once."""

    list_display = ("id", "clocked_time")
    fields = ("clocked_time",)


@admin.register(SolarSchedule)
class SolarScheduleAdmin(ScheduleAdmin):
    """By the sun."""

    list_display = ("id", "event", "latitude", "longitude")
    fields = ("event", "latitude", "longitude")
