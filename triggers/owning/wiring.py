"""What this part adds to the registries."""


def register() -> None:
    """Called once, when the app is ready."""
    from core.registry import home_cards, live_keys, settings_sections
    from triggers.news import push_key
    from triggers.owning import cards, pages_settings

    live_keys.add("push", push_key)
    settings_sections.add("push", pages_settings.section)
    home_cards.add("push", cards.waiting)
