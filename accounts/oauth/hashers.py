"""A cheap hash for secrets the hub itself made: 128 random characters need no stretching, and anonymous
registration must not cost the CPU that stretching a password does."""

import hashlib
from typing import Any

from django.contrib.auth.hashers import BasePasswordHasher
from django.utils.crypto import constant_time_compare


class ClientSecretHasher(BasePasswordHasher):
    """Salted SHA-256; only for OAuth client secrets, never for a password a person chose."""

    algorithm = "client_secret_sha256"

    def encode(self, password: str, salt: str) -> str:
        """`algorithm$salt$hex`."""
        return f"{self.algorithm}${salt}${hashlib.sha256((salt + password).encode()).hexdigest()}"

    def decode(self, encoded: str) -> dict[str, Any]:
        """The three parts."""
        algorithm, salt, digest = encoded.split("$", 2)
        return {"algorithm": algorithm, "salt": salt, "hash": digest}

    def verify(self, password: str, encoded: str) -> bool:
        """Compare in constant time."""
        return constant_time_compare(encoded, self.encode(password, self.decode(encoded)["salt"]))

    def safe_summary(self, encoded: str) -> dict[Any, Any]:
        """Only the name: nothing of the secret is shown."""
        return {"algorithm": self.algorithm}

    def must_update(self, encoded: str) -> bool:
        """Never."""
        return False

    def harden_runtime(self, password: str, encoded: str) -> None:
        """Nothing to even out: the cost is constant."""
