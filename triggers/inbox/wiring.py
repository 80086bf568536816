"""What this part adds to the registries."""

from core.registry import account_deletions, prunings
from triggers.inbox import pruning


def register() -> None:
    """Called once, when the app is ready."""
    prunings.add("push messages past the trail's cap", pruning.prune)
    account_deletions.add("push messages", pruning.forget_account)
