"""Threads that hold the database connections of an async process: one writer (a few on PostgreSQL), two readers.

Actions and reads stay plain functions; async doors hand them over here.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, ParamSpec, TypeVar

from django.conf import settings
from django.db import connection

P = ParamSpec("P")
R = TypeVar("R")
_writer: ThreadPoolExecutor | None = None
_reader: ThreadPoolExecutor | None = None
_in_place: Callable[[Callable[[], Any]], Any] | None = None


def use(in_place: Callable[[Callable[[], Any]], Any] | None) -> None:
    """Run all work through `in_place`, in the caller's thread, from now on; None: in the pools' threads. For tests."""
    global _in_place
    _in_place = in_place


def _writers() -> ThreadPoolExecutor:
    global _writer
    if _writer is None:
        size = 1 if connection.vendor == "sqlite" else settings.DB_WRITERS
        _writer = ThreadPoolExecutor(size, thread_name_prefix="db-writer")
    return _writer


def _readers() -> ThreadPoolExecutor:
    global _reader
    if _reader is None:
        _reader = ThreadPoolExecutor(settings.DB_READERS, thread_name_prefix="db-reader")
    return _reader


def _with_a_sound_connection(work: Callable[[], R]) -> R:
    if not connection.in_atomic_block:
        connection.close_if_unusable_or_obsolete()
    return work()


async def write(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Run an action in a writer thread."""
    return await _run(_writers, partial(function, *args, **kwargs))


async def read(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Run a read in a reader thread."""
    return await _run(_readers, partial(function, *args, **kwargs))


async def _run(pool: Callable[[], ThreadPoolExecutor], work: Callable[[], R]) -> R:
    if _in_place is not None:
        result: R = _in_place(work)
        return result
    return await asyncio.get_running_loop().run_in_executor(pool(), _with_a_sound_connection, work)


def shut_down() -> None:
    """Let running work end and close the threads; used at process end and by tests."""
    global _writer, _reader
    for pool in (_writer, _reader):
        if pool is not None:
            pool.shutdown(wait=True)
    _writer = _reader = None
