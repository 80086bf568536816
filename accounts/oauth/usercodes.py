"""The code a person types to sign a device in. Pure."""

import secrets

ALPHABET = "BCDFGHJKLMNPQRSTVWXZ"
"""Consonants only: no words, no digits to mistake for letters (RFC 8628 §6.1)."""


def generate() -> str:
    """Eight letters as `WDJB-MJHT`: 34 bits, enough for a code that lives minutes behind a limit on tries."""
    letters = "".join(secrets.choice(ALPHABET) for _ in range(8))
    return f"{letters[:4]}-{letters[4:]}"


def normalise(typed: str) -> str:
    """What a person typed, in the form codes are kept: case, spaces and dashes do not matter."""
    letters = "".join(character for character in typed.upper() if character in ALPHABET)
    return f"{letters[:4]}-{letters[4:]}" if len(letters) == 8 else ""
