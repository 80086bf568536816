"""What a token of ours can look like at all, whichever kind it is. Pure."""

LONGEST_TOKEN = 512


def is_plausible(token: str) -> bool:
    """Whether a text can be a token of ours; what cannot never reaches the database."""
    return 0 < len(token) <= LONGEST_TOKEN and token.isascii() and token.isprintable() and " " not in token
