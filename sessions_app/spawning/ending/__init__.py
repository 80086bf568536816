"""The end of sub-agents, and how whoever asked for them is told."""
