"""Which addresses denote this hub."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounts.oauth.resources import denotes_hub

HUB = "https://hub.example.org"


@pytest.mark.parametrize(
    "value",
    [HUB, f"{HUB}/", f"{HUB}/mcp", f"{HUB}/mcp/", "https://HUB.example.org/mcp", "HTTPS://hub.example.org", f"{HUB}:443/mcp"],
)
def test_row_4_the_origin_and_the_endpoint_denote_it_with_or_without_a_slash(value: str) -> None:
    assert denotes_hub(value, HUB)


@pytest.mark.parametrize(
    "value",
    [
        "http://hub.example.org/mcp",
        "https://hub.example.org:8443/mcp",
        "https://hub.example.org.evil.example/mcp",
        "https://hub.example.org@evil.example/mcp",
        "https://evil.example/mcp?https://hub.example.org",
        f"{HUB}/mcp?x",
        f"{HUB}/mcp#x",
        f"{HUB}/MCP",
        f"{HUB}//mcp",
        f"{HUB}/chat",
        f"{HUB}\\mcp",
        f"{HUB}/mcp\x00",
        " " + HUB,
        "//hub.example.org/mcp",
        "hub.example.org",
        "https://hub.example.org:x/mcp",
        "https://[::1",
        "https://hub.example.org:0/mcp",
        "",
        None,
        7,
        [HUB],
    ],
)
def test_nothing_else_does(value: object) -> None:
    assert not denotes_hub(value, HUB)


def test_the_port_is_part_of_it() -> None:
    assert denotes_hub("http://127.0.0.1:8760/mcp", "http://127.0.0.1:8760")
    assert not denotes_hub("http://127.0.0.1/mcp", "http://127.0.0.1:8760")


@given(st.text(max_size=60))
def test_no_text_makes_it_fail_and_what_denotes_it_begins_with_it(value: str) -> None:
    for text in (value, HUB + value):
        if denotes_hub(text, HUB):
            assert re.fullmatch(r"https://hub\.example\.org(:0*443|:)?(/|/mcp/?)?", text, re.IGNORECASE)
