"""What this part adds to the registries."""


def register() -> None:
    """Called once, when the app is ready."""
    from core.registry import digest_blocks, hook_reasons
    from sessions_app.runners.asides import asides
    from sessions_app.runners.prompt_blocks import prompt_blocks
    from triggers.telling import at_channels, recent
    from triggers.telling import receivers as _hears  # noqa: F401 -- connects itself
    from triggers.tools import channels

    channels.register()
    digest_blocks.add("push messages", recent.digest)
    hook_reasons.add("push messages", recent.is_told)
    prompt_blocks.add("push messages", recent.in_prompt)
    asides.add(at_channels.NAME, at_channels.ASIDE)
