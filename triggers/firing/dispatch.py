"""After a commit: what was queued is drained."""


def hint(account_id: int) -> None:
    """Drain the account's queue now; the sweep does what this could not."""
