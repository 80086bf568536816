"""Stopping and steering sub-agents."""
