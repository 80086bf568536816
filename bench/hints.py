"""A post in one process wakes a waiter in another: by Unix datagram, through Redis, and after a lost hint."""

import asyncio
import time
from argparse import Namespace
from pathlib import Path
from typing import Any

import uvloop

from bench import stage, waiters
from bench.calls import MODERN
from bench.figures import Figure, p50, p95
from bench.post import BODY
from bench.wire import sound

POSTS = 200
LOST = 12
PAUSE = 0.01
"""Between a waiter's first byte and the next post: it is registered by then."""


class Silent:
    """A courier that loses every hint."""

    def send(self, keys: list[str]) -> None:
        """Nothing."""


def measure(home: Path, given: Namespace) -> list[Figure]:
    """The poster is this process, by the action that a management command calls; the waiter is held by the hub."""
    from django.conf import settings

    from core.news.couriers import RedisCourier, UnixCourier

    found = _figures("Unix datagram", UnixCourier(settings.NEWS_FOLDER), POSTS, {})
    if given.redis and _answers(given.redis):
        found += _figures("Redis", RedisCourier(given.redis), POSTS, {"REDIS_URL": given.redis})
    return found + _figures("a lost hint", Silent(), LOST, {})


def _answers(url: str) -> bool:
    import redis

    try:
        with redis.Redis.from_url(url, socket_connect_timeout=1) as client:
            return bool(client.ping())
    except redis.RedisError:
        print(f"(no Redis at {url}: left out)")
        return False


def _figures(way: str, courier: Any, count: int, environment: dict[str, str]) -> list[Figure]:
    person = stage.people(1, connections=1)[0]
    wakes, posts = uvloop.run(_measure(person, courier, count, environment))
    common: dict[str, Any] = {"unit": "ms", "detail": {"of_which_post_p50": 1000 * p50(posts), "posts": count}}
    return [
        Figure(name=f"post in another process to wake, {way}, p50", value=1000 * p50(wakes), **common),
        Figure(name=f"post in another process to wake, {way}, p95", value=1000 * p95(wakes), **common),
    ]


async def _measure(
    person: stage.Person, courier: Any, count: int, environment: dict[str, str]
) -> tuple[list[float], list[float]]:
    from core.news import couriers

    couriers._courier = courier
    wakes, posts = [], []
    with stage.hub(environment) as hub:
        waiter = (await waiters.gather(hub.port, MODERN, person.tokens))[0]
        for _ in range(count):
            began = time.perf_counter()
            await asyncio.to_thread(_post, person.account_id)
            posts.append(time.perf_counter() - began)
            wakes.append(sound(await asyncio.wait_for(waiter.coming, 30)).at - began)
            waiter.after += 1
            await waiter.park()
            await asyncio.sleep(PAUSE)
        await waiters.close([waiter])
    return wakes, posts


def _post(account_id: int) -> None:
    from chat.actions import post
    from chat.values import Draft
    from core.actor import operator

    post(operator(account_id), Draft(body=BODY, session_name="bench"))
