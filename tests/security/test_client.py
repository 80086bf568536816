"""What the terminal client takes of a hub that means harm."""

import gzip

import httpx
import pytest

from tests.client.conftest import Cli, Owner, cli, home, hub, owner, time
from tests.client.stub import HUB, Stub, answer, signed_in

__all__ = ["cli", "home", "hub", "owner", "time"]  # fixtures
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


@pytest.mark.parametrize("what", ["account", "token_endpoint", "revocation_endpoint"])
def test_nothing_one_hub_says_spoils_the_sign_ins_at_others(what: str, hub: Stub, cli: Cli, owner: Owner) -> None:
    signed_in("http://other.test")
    long = "x" * (5 << 20)
    hub.signs_in(**({} if what == "account" else {what: f"{HUB}/{long}"}))
    if what == "account":
        hub.says("/api/me/", answer(200, {"account": long}))
    said = cli("login", HUB)
    assert said.code == (0 if what == "account" else 1) and len(said.err) < 2000
    assert "other.test" in cli("hubs").out
