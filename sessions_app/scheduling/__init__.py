"""Prompts by the clock."""
