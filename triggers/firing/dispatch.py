"""After a commit: what was queued is drained."""

import structlog

log = structlog.get_logger(__name__)


def hint(account_id: int) -> None:
    """Drain the account's queue now; the sweep does what this could not."""
    from triggers.firing.draining.actions import drain  # which begins runs, whose ends hint in turn

    try:
        drain(account_id)
    except Exception:
        log.warning("firings_not_drained", account=account_id, exc_info=True)
