"""The launcher and the real hub: registered, granted, told, woken, revoked, ended."""

import json
import subprocess
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from accounts.launches.news import launch_key
from accounts.models import Launch as LaunchRow
from chat.actions import update_settings
from chat.grants import actions as grants
from chat.models import Attendance, Message, Wake
from core import clock, news
from tests import make, pushing
from tests.launcher.conftest import AGENT_COMMAND, QUICKLY, RELAY, Launched, end, sign_in
from tests.launcher.test_bridge import Harness
from tests.launcher.test_hooks import event
from tests.launcher.test_wake_tmux import FIXED, tmux_server
from tests.launcher.waiting import until
from tests.live import serving
from triggers.inbox.actions import clear

pytestmark = pytest.mark.xdist_group("tmux")


@pytest.fixture
def address(
    transactional_db: None, settings: Any, environment: dict[str, str], tmp_path: Path, alice: make.Person
) -> Iterator[str]:
    """The hub, where alice is signed in and lets granted launches alone chat."""
    with serving(settings) as at:
        update_settings(alice.actor, account_id=alice.account.pk, access="granted")
        sign_in(tmp_path / "client", at, make.token(alice, name="Tertulia client on desk"))
        yield at


@pytest.fixture
def start(address: str, environment: dict[str, str], runtime: Path, tmp_path: Path) -> Iterator[Any]:
    """Launch a command without a terminal."""
    pipe = subprocess.PIPE
    started: list[subprocess.Popen[bytes]] = []

    def begin(*command: str) -> Launched:
        started.append(subprocess.Popen([*QUICKLY, *command], env=environment, cwd=tmp_path, stdin=pipe, stdout=pipe))
        launched = Launched(started[-1], runtime)
        launched.tells(connected=True)
        return launched

    yield begin
    end(started, runtime)


def row() -> LaunchRow:
    """The one launch."""
    return LaunchRow.objects.get()


def grant(alice: make.Person, **more: Any) -> None:
    """The owner grants it the chat."""
    grants.grant(alice.actor, launch_key=row().key, handle="lead", typed="lead", **more)


def names(listed: dict[str, Any]) -> list[str]:
    """The tools in a list."""
    return [tool["name"] for tool in listed["tools"]]


def test_tools_come_with_a_grant_and_go_with_it_and_posts_are_the_launchs(alice: make.Person, start: Any) -> None:
    harness = Harness(start(*RELAY))
    harness.greet()
    assert "chat_post" not in names(harness.ask_through_news("tools/list"))
    grant(alice)
    assert harness.next()["method"] == "notifications/tools/list_changed"
    harness.launched.tells(granted=True, handle="lead")
    while (told := harness.ask_through_news("tools/list")) and "chat_post" not in names(told):
        pass
    posted = harness.ask_through_news("tools/call", {"name": "chat_post", "arguments": {"body": "here"}})
    assert not posted.get("isError"), posted
    stored = Message.objects.get()
    assert (stored.author, stored.session_name) == (f"launch:{row().pk}", "lead")
    grants.revoke(alice.actor, launch_key=row().key)
    refused = harness.ask_through_news("tools/call", {"name": "chat_post", "arguments": {"body": "still here"}})
    assert refused["isError"] is True
    harness.launched.tells(granted=False)
    assert "chat_post" not in names(harness.ask_through_news("tools/list"))


def test_a_hook_tells_of_a_mention_and_the_end_of_the_agent_ends_the_launch(alice: make.Person, start: Any) -> None:
    launched = start(*AGENT_COMMAND, "run")
    assert launched.line() == "ready"
    grant(alice)
    launched.tells(granted=True)
    make.message(alice, "@lead please look", by=alice.actor)
    said = launched.run(f"{event('UserPromptSubmit')} claude")
    told = json.loads(said[0])["hookSpecificOutput"]
    assert told["hookEventName"] == "UserPromptSubmit" and "please look" in told["additionalContext"]
    assert until(lambda: Attendance.objects.get().status == "busy")
    launched.process.stdin.close()
    assert launched.process.wait(20) == 0
    until(lambda: row().ended_at)
    assert (row().exit_status, row().end_reason) == (0, "the process ended")


def test_a_hook_without_a_grant_tells_of_what_was_pushed_from_the_first_message_on(alice: make.Person, start: Any) -> None:
    launched = start(*AGENT_COMMAND, "run")
    assert launched.line() == "ready"
    assert not (launched.folder / "granted").exists()
    pushing.pushed(alice, "the build failed")
    launched.tells(granted=False, hooks=True)
    said = launched.run(f"{event('UserPromptSubmit')} claude")
    told = json.loads(said[0])["hookSpecificOutput"]["additionalContext"]
    assert told.startswith("## MCP Channel Messages (Recent)") and told.endswith("the build failed")
    assert len(launched.run(f"{event('PreToolUse')} claude")) == 1, "only that the hook has ended"
    clear(alice.actor)
    news.publish([launch_key(row().pk)])
    launched.tells(hooks=False)


def test_a_mention_wakes_an_idle_agent_in_its_pane(
    alice: make.Person, address: str, tmux: str, environment: dict[str, str], tmp_path: Path
) -> None:
    with tmux_server(tmux, environment) as server:
        server.begin(*QUICKLY, *AGENT_COMMAND, "chat")
        until(lambda: server.screen == "ready\n>" and LaunchRow.objects.exists())
        grant(alice, wake=True)
        idle = {"status": "done", "status_at": clock.now() - timedelta(seconds=30)}
        Attendance.objects.update_or_create(launch=row(), defaults={"account": alice.account, **idle})
        make.message(alice, "@lead please look", by=alice.actor)
        until(lambda: Wake.objects.exclude(outcome="pending").exists())
        assert Wake.objects.get().outcome == "ok" and server.screen == f"ready\n> {FIXED}\nsaid: {FIXED}\n>"
