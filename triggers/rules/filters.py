"""Which servers and channels a rule is about. Pure."""

ALL = "*"


def server_fits(pattern: str, server: str) -> bool:
    """Exactly that server; `*` or nothing: every one."""
    return pattern in {"", ALL} or pattern == server


def channel_fits(pattern: str, channel: str) -> bool:
    """Exactly that channel; `*` or nothing: every one; `prefix/*`: whatever lies beneath the prefix, and the prefix itself."""
    if pattern in {"", ALL} or pattern == channel:
        return True
    if not pattern.endswith("/*"):
        return False
    return channel == pattern[:-2] or channel.startswith(pattern[:-1])
