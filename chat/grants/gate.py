"""The gate of the chat's tools: who may not chat does not see them, and is written down when he tries."""

from chat.grants.actions import note_refused, note_tools_listed
from chat.grants.reading import tool_access
from chat.permissions import NOT_GRANTED
from core.tools import Gate

GATE = Gate(ask=tool_access, listed=note_tools_listed, code=NOT_GRANTED, refused=note_refused)
