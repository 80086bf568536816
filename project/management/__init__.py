"""Management of the hub."""
