"""The hints about launches."""

LAUNCH, LAUNCHES = "launch", "launches"


def launch_key(launch_id: int) -> str:
    """Rings for one launch: it ended, its pane or grant changed, a wake is due."""
    return f"{LAUNCH}:{launch_id}"


def launches_key(account_id: int) -> str:
    """Rings when the account's list of launches looks different."""
    return f"{LAUNCHES}:{account_id}"
