"""What this part adds to the registries."""


def register() -> None:
    """Called once, when the app is ready."""
    from core.registry import live_keys, settings_sections
    from sessions_app import news
    from sessions_app.owning import pages_settings

    live_keys.add("sessions", news.sessions_key)
    settings_sections.add("sessions", pages_settings.section)
