"""One agent started in one terminal: the agent, the launcher beside it, and how the two come to each other."""
