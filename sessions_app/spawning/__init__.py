"""Sub-agents: how they come to be, what is told of their end, and how they leave."""
