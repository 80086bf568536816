"""The hint that a launcher should look at its pane."""

PANE = "pane"


def pane_key(launch_id: int) -> str:
    """Ring it to have the launch's launcher look at its pane now; it tells what it saw by its next beat."""
    return f"{PANE}:{launch_id}"
