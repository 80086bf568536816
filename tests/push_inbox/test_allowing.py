"""A push server's allow-list names channels literally."""

import pytest

from triggers.allowing import allowed


@pytest.mark.parametrize(
    ("channels", "channel", "answer"),
    [
        pytest.param(None, "alerts", True, id="C-40-missing"),
        pytest.param([], "alerts", True, id="C-40-empty"),
        pytest.param(["alerts"], "alerts", True, id="C-40-named"),
        pytest.param(["alerts"], "info", False, id="C-40-not-named"),
        pytest.param(["*"], "info", True, id="C-40-every"),
        pytest.param(["alerts", "*"], "info", True, id="C-40-every-beside-others"),
        pytest.param(["  alerts  "], "alerts", True, id="C-40-trimmed"),
        pytest.param(["", "alerts"], "alerts", True, id="C-40-beside-a-blank"),
        pytest.param([""], "alerts", False, id="C-41-blank"),
        pytest.param([" "], "alerts", False, id="C-41-space"),
        pytest.param([""], "", False, id="C-41-blank-channel"),
        pytest.param(["alerts/*"], "alerts/x", False, id="C-42"),
        pytest.param(["Alerts"], "alerts", False, id="upper case is another name"),
    ],
)
def test_a_channel_is_let_in_or_not(channels: list[str] | None, channel: str, answer: bool) -> None:
    assert allowed(channels, channel) is answer
