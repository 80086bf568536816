"""Sub-agents: begun, watched, told of, archived."""
