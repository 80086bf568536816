"""Commands of the whole hub."""
