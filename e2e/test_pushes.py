"""What the reference server pushes of its own accord is stored, rule by rule of the protocol: in the listener's own session."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from core import executors
from e2e.pushing import everything, everything_argv
from tests import make
from tests.asgi import run, sync, until
from tests.push_listening.holding import claimed, held, look
from triggers.models import PushMessage, PushServer

pytestmark = pytest.mark.django_db(transaction=True)
KINDS = {"stdio": "stdio", "sse": "sse", "streamableHttp": "http"}
AFTERWARDS = "streamableHttp"
"""Here the server tells of its tools before there is a stream that could bring it."""

SECONDS = 90


@pytest.fixture(autouse=True)
def in_place(settings: Any) -> Iterator[None]:
    """Loopback may be called; the database is asked in the test's own thread."""
    settings.PRIVATE_ADDRESSES = True
    executors.use(sync)
    yield
    executors.use(None)


def stored(channel: str) -> list[str]:
    """What was kept of a channel."""
    return look(lambda: list(PushMessage.objects.filter(channel=channel).order_by("seq").values_list("content", flat=True)))


@pytest.mark.parametrize("kind", KINDS)
def test_log_messages_of_the_reference_server_are_in_the_inbox(kind: str, tmp_path: Any) -> None:
    owner = make.person("alice@example.org", may_run_commands=True)

    async def body(**target: Any) -> None:
        row = sync(lambda: claimed(owner, "everything", transport=KINDS[kind], **target))
        async with held(row) as connection:
            await until(lambda: connection.state == PushServer.LISTENING)
            called = {"name": "toggle-simulated-logging", "arguments": {}}
            said = await connection.call("tools/call", called)
            assert "Started" in json.dumps(said)
            await until(lambda: len(stored("message")) >= 2)
            assert [json.loads(each)["level"] for each in stored("message")]
            assert stored("tools/list_changed") or kind == AFTERWARDS
            kept = look(lambda: PushServer.objects.get(pk=row.pk))
            assert kept.received >= 2 and len(kept.tools) >= 10
            print(kind, kept.received, [each["name"] for each in kept.tools], stored("message")[:2])

    with ExitStack() as stack:
        if kind == "stdio":
            run(body(url="", argv=everything_argv()), seconds=SECONDS)
        else:
            run(body(url=stack.enter_context(everything(kind))), seconds=SECONDS)
