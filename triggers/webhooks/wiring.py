"""What this part adds to the registries."""


def register() -> None:
    """Called once, when the app is ready."""
    from core.registry import account_deletions, prunings
    from triggers.webhooks import pruning

    prunings.add("deliveries of webhooks", pruning.prune_deliveries)
    account_deletions.add("webhooks", pruning.forget_account)
