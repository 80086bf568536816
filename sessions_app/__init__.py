"""Agents, their sessions, and the runs in them."""
