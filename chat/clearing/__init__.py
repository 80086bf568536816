"""Clearing the chat when its owner says so, not when the hour comes."""
