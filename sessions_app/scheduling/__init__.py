"""Prompts by the clock: a crontab line, and the run that follows of it."""
