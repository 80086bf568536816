"""The commands: what is typed becomes a call, its result is shown."""
