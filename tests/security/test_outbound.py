"""Addresses that somebody chose for the hub to call, in every spelling."""

import json
import socket

import pytest

from core.addresses import check_outbound, is_public
from core.errors import Invalid
from tests import make
from triggers.servers.actions import import_servers, save_server
from triggers.servers.drafts import ServerDraft

PRIVATE = [
    "10.0.0.1",
    "100.64.0.1",
    "127.0.0.1",
    "169.254.169.254",
    "224.0.0.1",
    "::1",
    "::127.0.0.1",
    "::ffff:10.0.0.1",
    "::ffff:0:10.0.0.1",
    "64:ff9b::10.0.0.1",
    "64:ff9b::169.254.169.254",
    "64:ff9b:1::8.8.8.8",
    "2002:a00:1::",
    "2001:0:a00:1::",
    "2001:db8::1",
    "fe80::1%eth0",
    "fec0::1",
    "fd00::1",
    "ff0e::1",
]


@pytest.mark.parametrize("number", PRIVATE)
def test_no_form_of_an_address_leads_into_a_private_network(number: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of IPv6 that stand for one of IPv4 did, where the network translates them."""
    family = socket.AF_INET6 if ":" in number else socket.AF_INET
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [(family, socket.SOCK_STREAM, 6, "", (number, 443))])
    with pytest.raises(Invalid, match="private network"):
        check_outbound("https://example.org/")


@pytest.mark.parametrize("number", ["8.8.8.8", "2001:4860:4860::8888", "64:ff9b::8.8.8.8", "2002:808:808::"])
def test_addresses_of_the_internet_are_called(number: str) -> None:
    assert is_public(number)


NONE = [
    "https://[::1",
    "https://[]/",
    f"https://{'a' * 70}.example/",
    "https://a..b/",
    "https://xn--\u00e9/",
    "https://\u2100.example/",
    "https://x:99999/",
]


@pytest.mark.parametrize("address", NONE)
def test_an_address_that_is_none_is_refused_in_a_sentence(address: str, alice: make.Person) -> None:
    """They were errors of the hub's."""
    with pytest.raises(Invalid, match="host"):
        save_server(alice.actor, ServerDraft(name="lights", url=address))
    with pytest.raises(Invalid, match=r'server "lights": .*host'):
        import_servers(alice.actor, json.dumps({"servers": [{"name": "lights", "url": address}]}))
