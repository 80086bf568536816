"""The client scenarios of the conformance suite, played by the hub: its listener, its owner who signs it in, its runs."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from e2e.harness import program
from e2e.hub import Hub, running
from e2e.pushing import node

PLAYER = Path(__file__).with_name("conformant.py")
MILLISECONDS = "180000"
DOCUMENT = {"TERTULIA_URL": "https://conformance-test.local"}
"""The suite expects the client id metadata document of a client at this address."""

SCENARIOS = (
    "initialize",
    "tools_call",
    "sse-retry",
    "auth/metadata-default",
    "auth/metadata-var1",
    "auth/metadata-var2",
    "auth/metadata-var3",
    "auth/basic-cimd",
    "auth/scope-from-www-authenticate",
    "auth/scope-from-scopes-supported",
    "auth/scope-omitted-when-undefined",
    "auth/scope-step-up",
    "auth/scope-retry-limit",
    "auth/token-endpoint-auth-basic",
    "auth/token-endpoint-auth-post",
    "auth/token-endpoint-auth-none",
    "auth/pre-registration",
    "auth/2025-03-26-oauth-metadata-backcompat",
    "auth/2025-03-26-oauth-endpoint-fallback",
    "auth/resource-mismatch",
    "auth/offline-access-scope",
    "auth/offline-access-not-supported",
)
"""All that apply: no elicitation, and no tokens without an owner (client credentials, another company's sign-in)."""


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hub]:
    """A hub whose listener may call this machine."""
    with running(tmp_path_factory.mktemp("conformance") / "data", "daphne", TERTULIA_PRIVATE_ADDRESSES="true") as held:
        yield held


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_hub_conforms(hub: Hub, tmp_path: Path, scenario: str) -> None:
    given = {**hub.environment, **(DOCUMENT if scenario == "auth/basic-cimd" else {})}
    command = [node(), str(program("conformance")), "client", "--command", f"{sys.executable} {PLAYER}"]
    ran = subprocess.run(
        [*command, "--scenario", scenario, "--timeout", MILLISECONDS, "-o", str(tmp_path)],
        env={**os.environ, **given},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=280,
    )
    for each in sorted(tmp_path.rglob("std*.txt")):
        print(each.name, each.read_text()[-3000:])
    told = ran.stderr[-2500:]
    print(told)
    assert ran.returncode == 0 and "OVERALL: PASSED" in told
