"""The hourly clean-up in a process of its own, which tells the longest time it held SQLite's writer lock. For `bench.history`."""

import json
import os
import time

import django


def main() -> None:
    """Prune; print `{"batches", "longest_ms", "median_ms", "seconds"}`."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "project.settings")
    django.setup()
    from django.db import connection

    from chat import actions, pruning
    from core.actor import system

    holds: list[float] = []
    begun: list[float] = []
    remove = actions.remove_messages

    def heard(statement: str) -> None:
        if statement.startswith("DELETE") and not begun:  # the first statement after BEGIN IMMEDIATE was granted the lock
            begun.append(time.perf_counter())

    def timed(*args: object, **kwargs: object) -> int:
        begun.clear()
        removed = remove(*args, **kwargs)  # type: ignore[arg-type]
        holds.append(time.perf_counter() - begun[0])
        return removed

    connection.ensure_connection()
    connection.connection.set_trace_callback(heard)
    actions.remove_messages = timed
    began = time.perf_counter()
    pruning.prune(actor=system(), dry_run=False, progress=lambda _: None)
    told = {"batches": len(holds), "longest_ms": 1000 * max(holds), "median_ms": 1000 * sorted(holds)[len(holds) // 2]}
    print(json.dumps({**told, "seconds": time.perf_counter() - began}))


if __name__ == "__main__":
    main()
