"""Push servers: what an owner writes down, and what the hub keeps of it."""
