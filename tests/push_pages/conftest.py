"""Signed-in browsers without a browser."""

from tests.admin.conftest import as_alice, as_charlie, as_staff

__all__ = ["as_alice", "as_charlie", "as_staff"]
