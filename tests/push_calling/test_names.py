"""What tools of push servers are called before models."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triggers.calling.names import offered_name, passes_for_another


@pytest.mark.parametrize(
    ("server", "tool", "name"),
    [
        ("lights", "switch_on", "lights__switch_on"),
        ("my.lights", "on", "my_lights__on_9d7e1a02"),
        ("lights", "a/b c", "lights__a_b_c_"),
        ("lights", "x" * 100, "lights__xxx"),
    ],
)
def test_names_are_such_as_providers_take(server: str, tool: str, name: str) -> None:
    assert offered_name(server, tool)[:11] == name[:11]


@given(st.text(min_size=1, max_size=64), st.text(min_size=1, max_size=200))
def test_every_name_fits(server: str, tool: str) -> None:
    assert re.fullmatch(r"[A-Za-z0-9_-]{1,64}", offered_name(server, tool))


@given(st.text(min_size=1, max_size=200), st.text(min_size=1, max_size=200))
def test_two_tools_of_a_server_have_two_names(first: str, second: str) -> None:
    assert first == second or offered_name("s", first) != offered_name("s", second)


@pytest.mark.parametrize(
    ("server", "tool", "servers", "passes"),
    [
        pytest.param("a", "_x", ["a", "a_"], True, id="reads as a longer one"),
        pytest.param("a_", "x", ["a", "a_"], False, id="is the longer one"),
        pytest.param("a", "x", ["a", "ab", "a-b"], False, id="others with the same beginning"),
        pytest.param("a.b", "x", ["a.b", "a_b"], True, id="the same characters"),
        pytest.param("a_b", "x", ["a.b", "a_b"], False, id="its own characters"),
        pytest.param("a.b", "x", ["a.b"], False, id="alone"),
    ],
)
def test_a_tool_that_reads_as_one_of_another_server_is_not_offered(
    server: str, tool: str, servers: list[str], passes: bool
) -> None:
    assert passes_for_another(server, offered_name(server, tool), servers) is passes
