"""What this part adds to the registries."""


def register() -> None:
    """Hear of messages that listeners cannot store; called once, when the app is ready."""
    from core import news
    from triggers.inbox import unstored

    news.board.on(unstored.KIND, unstored.hear)
