"""Everything an agent may do works through the door, on its own threads, connections and rights."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection

from accounts.models import Launch
from audit.models import Entry
from chat import hooks
from chat.actions import post as post_message
from chat.models import Attendance, Cursor, Mention, Message, Ticket, Wake
from chat.search import search, sqlite
from chat.values import Draft
from chat.wakes.actions import settle
from core import clock, executors
from core.agent_door.rights import tables
from core.errors import Busy
from tests import make
from tests.asgi import client, hub, run
from tests.launches.launcher import Launcher, registered
from tests.mcp.wire import call, message, post, request

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("threaded")]
EVENTS = ("SessionStart", "UserPromptSubmit", "PreToolUse", "Stop", "before_agent_start", "agent_settled")


@pytest.fixture
def lead(alice: make.Person) -> Launcher:
    """A launch that is granted chat and wake, and was idle for a minute."""
    launcher = registered(alice)
    make.granted(alice, "lead", wake=True, launch_=launcher.launch)
    Launch.objects.update(pane_state=Launch.CLAIMED, multiplexer="tmux", wakeable=True, seen_at=clock.now())
    idle = {"status": Attendance.DONE, "status_at": clock.now() - timedelta(minutes=1)}
    Attendance.objects.create(launch=launcher.launch, account=alice.account, **idle)
    return launcher


def as_tools(lead: Launcher, *calls: tuple[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """What the tools answer the launch, one after another; none may be refused."""

    async def scene() -> list[dict[str, Any]]:
        found = []
        async with hub() as app, client(app, lead.caller.token, **{"tertulia-launch": lead.body["credential"]}) as http:
            await post(http, request("tools/list"))
            for name, arguments in calls:
                result = message(await post(http, call(name, arguments)))["result"]
                assert not result.get("isError"), result
                found.append(result["structuredContent"])
        return found

    return run(scene())


def test_posting_reading_waiting_and_marking_read_work(alice: make.Person, lead: Launcher) -> None:
    peer = make.agent(alice)
    run(executors.agent_write(post_message, peer, Draft(body="@lead look, and @maintainer and @ghost", session_name="peer")))
    inbox, unread, waited, reply, marked = as_tools(
        lead,
        ("chat_inbox", {}),
        ("chat_read", {}),
        ("chat_wait", {"after": 0, "timeout_seconds": 1}),
        ("chat_post", {"body": "I look", "reply_to": 1, "client_key": "k"}),
        ("chat_read", {"mark_read": True}),
    )
    assert (inbox["unread_mentions"], reply["seq"]) == (1, 2)
    assert [page["messages"][0]["seq"] for page in (unread, waited, marked)] == [1, 1, 1]
    told = Mention.objects.get(target="handle:lead")
    assert told.read_at and told.offered_at and told.reply_seq == 2
    assert Cursor.objects.get(reader="handle:lead").seq >= 1
    assert Attendance.objects.get().tools_listed_at


def test_wakes_are_decided_and_settled_and_written_down(alice: make.Person, lead: Launcher) -> None:
    run(executors.agent_write(post_message, make.agent(alice), Draft(body="@lead look", session_name="peer")))
    wake = Wake.objects.get()
    assert wake.outcome == Wake.PENDING
    actor = make.launched(alice, lead.launch)
    assert run(executors.agent_write(settle, actor, wake_id=wake.pk, outcome="ok"))
    assert Wake.objects.get().outcome == "ok" and Entry.objects.filter(deed="chat.wake").exists()


@pytest.mark.parametrize(
    "event", ["SessionStart", "UserPromptSubmit", "PreToolUse", "Stop", "before_agent_start", "agent_settled"]
)
def test_hooks_are_answered(alice: make.Person, lead: Launcher, event: str) -> None:
    run(executors.agent_write(post_message, make.agent(alice), Draft(body="@lead look", session_name="peer")))
    answer = run(executors.agent_write(hooks.answer, lead.launch.pk, event))
    assert bool(answer) == (event not in {"Stop", "agent_settled"})
    assert Attendance.objects.get().hook_at


def test_a_first_hook_and_a_first_listing_begin_the_attendance(alice: make.Person, lead: Launcher) -> None:
    Attendance.objects.all().delete()
    run(executors.agent_write(hooks.answer, lead.launch.pk, "SessionStart"))
    assert Attendance.objects.get().hook_at


def test_words_are_indexed_and_found(alice: make.Person, settings: Any) -> None:
    settings.CHAT_POSTS_PER_MINUTE = 0
    peer = make.agent(alice)

    def talk() -> None:
        for number in range(2 * sqlite.AT_ONCE + 5):
            post_message(peer, Draft(body=f"word{number} of many", session_name="peer"))

    run(executors.agent_write(talk))
    found = run(executors.agent_read(search, peer, "many word3"))
    assert found.hits[-1].entry.seq == 4 and len(found.hits) == 11
    assert Message.objects.count() == 2 * sqlite.AT_ONCE + 5


def test_a_ticket_is_issued_counts_and_follows_what_was_read(alice: make.Person) -> None:
    token = make.token(alice, connection_=(held := make.connection(alice)))
    make.message(alice)

    async def scene() -> list[int]:
        async with hub() as app, client(app, token) as http:
            issued = await http.post("/chat/ticket", json={"session_name": "me"})
            assert issued.status_code == 201
            counts = []
            for _ in range(2):
                asked = await http.get("/chat/unread", headers={"authorization": f"Bearer {issued.json()['ticket']}"})
                counts.append(asked.json()["unread"])
                await http.get("/chat", params={"after_seq": 0, "session_name": "me"})
            return counts

    assert run(scene()) == [1, 0]
    ticket = Ticket.objects.get(connection=held)
    assert ticket.read_seq == 1 and ticket.used_at


def test_a_locked_database_is_busy_behind_the_door_too(alice: make.Person, settings: Any) -> None:
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL waits for its own lock_timeout, five seconds")
    settings.CHAT_BUSY_SECONDS = 0.05
    peer = make.agent(alice)
    with connection.cursor() as cursor:
        cursor.execute("BEGIN IMMEDIATE")
        try:
            with pytest.raises(Busy):
                run(executors.agent_write(post_message, peer, Draft(body="hello", session_name="peer")))
        finally:
            cursor.execute("ROLLBACK")
    assert run(executors.agent_write(post_message, peer, Draft(body="hello", session_name="peer"))).seq == 1


def test_every_table_that_is_declared_is_there(db: None) -> None:
    assert {each.table for each in tables} <= set(connection.introspection.table_names())
