"""What the terminal client takes of a hub that means harm."""

import gzip

import httpx
import pytest

from tests.client.conftest import Cli, cli, home, hub, time
from tests.client.stub import Stub, signed_in

__all__ = ["cli", "home", "hub", "time"]  # fixtures
TOPICS = "/api/topics/"


@pytest.mark.parametrize("packed", ["gzip", "gzip, gzip", "deflate", "br", "GZIP"])
def test_a_packed_answer_is_refused_before_it_is_unpacked(packed: str, hub: Stub, cli: Cli) -> None:
    signed_in()
    small = gzip.compress(gzip.compress(bytes(1 << 20)))
    headers = {"content-type": "application/json", "content-encoding": packed}
    hub.says(TOPICS, lambda request: httpx.Response(200, headers=headers, stream=httpx.ByteStream(small)))
    said = cli("chat", "topics")
    assert said.code == 1 and "packed" in said.err and said.out == ""
    assert hub.to(TOPICS)[0].headers["accept-encoding"] == "identity"
