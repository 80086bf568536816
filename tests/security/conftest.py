"""Fixtures of the security tests: nothing remembered, no way out to the network, an application in the test's own loop."""

from tests.oauth.conftest import browser, fresh_memory, no_way_out

__all__ = ["browser", "fresh_memory", "no_way_out"]
