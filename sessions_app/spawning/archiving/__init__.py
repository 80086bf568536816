"""How sub-agents, and other sessions, leave the list."""
