"""The tables of the chat."""

from chat.models.account import ChatSettings, Counter, Topic
from chat.models.launches import Attendance, Grant, Wake
from chat.models.messages import Cursor, Mention, Message
from chat.models.tickets import Ticket

__all__ = ["Attendance", "ChatSettings", "Counter", "Cursor", "Grant", "Mention", "Message", "Ticket", "Topic", "Wake"]
