"""What connected sessions do when launches, connections and runs begin or end; each within that deed's transaction."""

from typing import Any

from django.db.models import Q

from accounts.models import Connection, Launch
from core import news
from sessions_app.connected import actions, offering
from sessions_app.models import Agent, Run
from sessions_app.news import session_key


def launch_begun(sender: type[Launch], launch: Launch, **kwargs: Any) -> None:
    """It can be sent to from now on."""
    actions.open_session(launch)


def launch_ended(sender: type[Launch], launch: Launch, **kwargs: Any) -> None:
    """What it held is given back, and its own session ends."""
    actions.hand_back(f"launch:{launch.pk}")
    actions.close_sessions(Q(launch_id=launch.pk), launch.account_id)


def connection_revoked(sender: type[Connection], connection: Connection, **kwargs: Any) -> None:
    """The same for an agent that came through a connection of its own; launches end before, and by themselves."""
    actions.hand_back(connection.pk)
    actions.close_sessions(Q(connection_id=connection.pk, launch_id=None, kind="node"), connection.account_id)


def run_begun(sender: type[Run], run: Run, **kwargs: Any) -> None:
    """Whoever waits for it hears of it; an idle agent may have to be woken."""
    if run.runner == Agent.CONNECTED:
        news.publish_on_commit(session_key(run.session_id))
        offering.wake(run)
