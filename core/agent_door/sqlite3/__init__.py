"""Django's SQLite backend with an authorizer: the engine of the agent's door."""
