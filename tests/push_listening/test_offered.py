"""What the hub keeps of the tools that a server lists."""

import json
from typing import Any

import pytest

from triggers.listening.offered import DEEPEST, kept


def nested(levels: int) -> dict[str, Any]:
    found: dict[str, Any] = {"type": "string"}
    for _ in range(levels):
        found = {"items": found}
    return found


def names(*tools: dict[str, Any]) -> list[str]:
    return [each["name"] for each in kept(tools)]


@pytest.mark.parametrize(
    "more",
    [
        pytest.param({"description": "Party 🎉"}, id="a wide character"),
        pytest.param({"inputSchema": {"pattern": "[^\\u0000-\\ud8ff]"}}, id="an expression that names them"),
        pytest.param({"inputSchema": {"description": "𝔘𝔫𝔦"}}, id="a wide character in the schema"),
        pytest.param({"inputSchema": nested(DEEPEST - 4)}, id="deep"),
    ],
)
def test_a_tool_is_kept_as_it_is(more: dict[str, Any]) -> None:
    (tool,) = kept([{"name": "party", **more}])
    assert {name: tool[name] for name in more} == more


@pytest.mark.parametrize(
    "schema",
    [
        pytest.param({"description": "\0"}, id="NUL"),
        pytest.param({"\0": 1}, id="NUL in a name"),
        pytest.param({"description": "\\\0"}, id="NUL behind a backslash"),
        pytest.param({"description": "\ud800"}, id="half a character"),
        pytest.param({"description": "\udc00"}, id="the other half"),
        pytest.param({"maximum": float("inf")}, id="infinity"),
        pytest.param({"maximum": float("nan")}, id="no number"),
        pytest.param(nested(DEEPEST), id="too deep"),
        pytest.param(nested(900), id="so deep that nobody else could write it"),
        pytest.param({"description": "x" * 20_000}, id="too large"),
    ],
)
def test_what_no_database_or_no_reader_takes_is_left_out_and_costs_no_other(schema: dict[str, Any]) -> None:
    assert names({"name": "bad", "inputSchema": schema}, {"name": "good"}) == ["good"]


def test_cut_again_it_stays_as_it_is() -> None:
    listed = [{"name": f"t{number}", "description": "ü" * 3000, "annotations": {"readOnlyHint": True}} for number in range(30)]
    once = kept(listed)
    assert kept(once) == once and json.loads(json.dumps(once)) == once
