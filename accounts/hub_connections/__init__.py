"""Connections of the hub to itself: by which the sessions that it runs act."""
