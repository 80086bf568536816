"""The tables of sessions."""

from sessions_app.models.agents import Agent, ModelProvider
from sessions_app.models.delivering import Announcement, Route
from sessions_app.models.exchanges import Chain, Exchange
from sessions_app.models.runs import Run, ToolApproval
from sessions_app.models.scheduling import Schedule
from sessions_app.models.sessions import Entry, Session
from sessions_app.models.settings import SessionSettings
from sessions_app.models.spawning import Spawn

__all__ = [
    "Agent",
    "Announcement",
    "Chain",
    "Entry",
    "Exchange",
    "ModelProvider",
    "Route",
    "Run",
    "Schedule",
    "Session",
    "SessionSettings",
    "Spawn",
    "ToolApproval",
]
