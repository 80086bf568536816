"""Django's PostgreSQL backend under a role: the engine of the agent's door."""
