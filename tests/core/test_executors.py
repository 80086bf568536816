"""The threads that hold database connections."""

import asyncio
import threading

import pytest

from core import executors
from tests.asgi import run

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("threaded")]


def test_a_result_comes_back_to_the_loop_that_asked() -> None:
    async def ask() -> tuple[int, str]:
        return await executors.write(lambda: 7), await executors.read(lambda: threading.current_thread().name)

    number, name = run(ask())
    assert number == 7 and name.startswith("db-reader")


def test_an_error_comes_back_as_it_is() -> None:
    def fail() -> None:
        raise LookupError("gone")

    with pytest.raises(LookupError, match="gone"):
        run(executors.read(fail))


def test_work_is_done_in_the_order_it_was_brought() -> None:
    done: list[int] = []

    async def bring() -> None:
        await asyncio.gather(*(executors.write(done.append, each) for each in range(50)))

    executors._pools["db-writer"] = executors.Threads(1, "alone")
    run(bring())
    assert done == list(range(50))


def test_who_is_cancelled_before_his_work_has_begun_takes_it_back() -> None:
    let_go, done = threading.Event(), list[str]()

    async def bring_and_cancel() -> None:
        first = asyncio.ensure_future(executors.write(let_go.wait, 10))
        second = asyncio.ensure_future(executors.write(done.append, "second"))
        await asyncio.sleep(0)
        second.cancel()
        await asyncio.gather(second, return_exceptions=True)
        let_go.set()
        await first
        await executors.write(done.append, "third")

    executors._pools["db-writer"] = executors.Threads(1, "alone")
    run(bring_and_cancel())
    assert done == ["third"]


def test_threads_that_are_closed_finish_what_they_were_brought_and_new_ones_take_their_place() -> None:
    assert run(executors.read(lambda: 1)) == 1
    before = executors._pools["db-reader"]
    executors.shut_down()
    assert not any(thread.is_alive() for thread in before._threads)
    assert run(executors.read(lambda: 2)) == 2 and executors._pools["db-reader"] is not before
