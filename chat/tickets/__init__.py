"""Tickets: for a day, a hook of one session may ask how much that session has not read, and nothing else."""
