"""Waking the idle pane of a launch that a message mentions."""
