"""How the agent of a run comes back to the hub as its session."""
