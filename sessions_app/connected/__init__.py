"""Runs that a connected agent takes and answers."""
