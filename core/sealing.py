"""Secrets at rest: sealed with the keys of one file that only the hub's user reads; the first key seals, all of them open."""

import os
from functools import cache
from pathlib import Path

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings


def seal(secret: str) -> bytes:
    """`secret` as the database may keep it."""
    return _keys(settings.ENCRYPTION_KEY_FILE).encrypt(secret.encode())


def unseal(sealed: bytes | memoryview) -> str:
    """The secret again; raises ValueError where no key of the file opens it."""
    try:
        return _keys(settings.ENCRYPTION_KEY_FILE).decrypt(bytes(sealed)).decode()
    except InvalidToken:
        raise ValueError("the encryption key that sealed this secret is not in the key file") from None


@cache
def _keys(file: Path) -> MultiFernet:
    """One key a line; the file is made, 0600, with a fresh key where there is none."""
    try:
        made = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        pass
    else:
        with os.fdopen(made, "wb") as new:
            new.write(Fernet.generate_key() + b"\n")
    return MultiFernet([Fernet(line) for line in file.read_bytes().split()])
