"""What a server says goes to the channel it belongs to."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triggers.routing import Routed, route


def said(method: str, **params: Any) -> Routed | None:
    return route(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}))


def where(text: str) -> tuple[str, str] | None:
    routed = route(text)
    return (routed.channel, routed.content) if routed else None


@pytest.mark.parametrize(
    ("params", "content"),
    [
        pytest.param({"content": "c", "text": "t", "message": "m"}, "c", id="C-13"),
        pytest.param({"text": "t", "message": "m"}, "t", id="C-13-text"),
        pytest.param({"message": "m"}, "m", id="C-13-message"),
        pytest.param({"content": "", "text": "t"}, "t", id="an empty one is as none"),
        pytest.param({"content": [], "text": {}, "message": "m"}, "m", id="so is an empty list or object"),
        pytest.param({"content": 0, "text": "t"}, "0", id="nought is something"),
        pytest.param({"content": False, "text": "t"}, "false", id="no is something"),
        pytest.param({"content": {"a": 1}}, '{"a":1}', id="what is no text is shown as JSON"),
        pytest.param({"level": "high"}, '{"level":"high"}', id="without any of them all the rest"),
        pytest.param({}, "", id="nothing"),
    ],
)
@pytest.mark.parametrize("method", ["message", "channel/message"])
def test_a_carriers_content_lies_in_the_first_that_is_set(method: str, params: dict[str, Any], content: str) -> None:
    assert said(method, channel="ci", **params) == Routed("ci", content, method)


@pytest.mark.parametrize("params", [{}, {"channel": ""}, {"channel": "  "}, {"channel": 7}, {"channel": None}])
def test_c_14_a_carrier_that_names_no_channel_goes_to_default(params: dict[str, Any]) -> None:
    assert said("channel/message", content="x", **params) == Routed("default", "x", "channel/message")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("not json", id="C-15"),
        pytest.param("[]", id="C-16-list"),
        pytest.param('"x"', id="C-16-text"),
        pytest.param("42", id="C-16-number"),
        pytest.param('{"method":5}', id="C-16-method"),
        pytest.param("", id="nothing at all"),
        pytest.param("[" * 100_000, id="deeper than the reader goes"),
        pytest.param("9" * 5_000, id="a longer number than the reader takes"),
    ],
)
def test_what_is_no_notification_goes_to_raw_as_it_came(text: str) -> None:
    assert where(text) == ("raw", text)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("{}", id="C-17"),
        pytest.param("null", id="C-17-null"),
        pytest.param('{"method":null}', id="null as a method"),
        pytest.param('{"method":""}', id="an empty method"),
        pytest.param('{"jsonrpc":"2.0"}', id="the frame alone"),
        pytest.param('{"jsonrpc":"2.0","params":null}', id="no parameters"),
    ],
)
def test_what_says_nothing_goes_to_default_without_content(text: str) -> None:
    assert where(text) == ("default", "")


@pytest.mark.parametrize(
    "text",
    ['{"alert":"disk full"}', '{"jsonrpc":"2.0","channel":"ci","content":"x"}', '{"method":null,"params":{},"data":[1, 2]}'],
)
def test_what_an_object_without_a_method_says_is_kept_as_it_came(text: str) -> None:
    assert where(text) == ("default", text)


@pytest.mark.parametrize(
    ("method", "channel"),
    [
        pytest.param("custom.event", "custom.event", id="C-18"),
        pytest.param("notifications/progress", "progress", id="C-20-progress"),
        pytest.param("notifications/message", "message", id="C-20-message"),
        pytest.param("notifications/claude/channel", "claude/channel", id="a name with a slash"),
        pytest.param("notifications/", "notifications/", id="a prefix without a name"),
    ],
)
def test_any_other_method_is_its_own_channel_and_all_its_parameters_the_content(method: str, channel: str) -> None:
    assert said(method, level="info", data="é") == Routed(channel, '{"level":"info","data":"é"}', method)


def test_c_21_initialized_is_swallowed() -> None:
    assert said("notifications/initialized") is None


def test_news_of_the_tools_is_what_the_hub_heeds() -> None:
    routed = route('{"method":"notifications/tools/list_changed"}')
    assert routed == Routed("tools/list_changed", "", "notifications/tools/list_changed", handled_news=True)


@pytest.mark.parametrize("more", [{"protocol": "handled"}, {"handled": True}, {"_meta": {"protocol": "handled"}}])
def test_c_26_no_server_marks_its_own_message_as_handled(more: dict[str, Any]) -> None:
    routed = said("channel/message", channel="ci", content="x", metadata=more, **more)
    assert routed is not None and not routed.handled_news


@given(st.text())
def test_whatever_is_said_is_routed(text: str) -> None:
    routed = route(text)
    assert routed is not None and routed.channel


@given(st.recursive(st.none() | st.booleans() | st.floats() | st.text(), lambda inner: st.dictionaries(st.text(), inner)))
def test_whatever_parameters_there_are_a_carrier_has_a_channel(params: Any) -> None:
    routed = route(json.dumps({"method": "message", "params": params}))
    assert routed is not None and routed.channel and not routed.handled_news
