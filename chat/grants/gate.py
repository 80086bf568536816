"""The gate of the chat's tools: who may not chat does not see them."""

from chat.grants.actions import note_tools_listed
from chat.grants.reading import tool_access
from core.tools import Gate

GATE = Gate(ask=tool_access, listed=note_tools_listed)
