"""Sessions as an attacker meets them: texts made to hold the hub, floods, and what a run's token opens."""

import pytest

from sessions_app.redaction import redact
from sessions_app.sending.texts import of_announcement
from sessions_app.values import MESSAGE_BYTES
from sessions_app.visibility import Rules, Seen, refusal

BLANK_LINES = "\n" * (MESSAGE_BYTES - 1) + "x"
HALF_TOKENS = "-eyJ" * (MESSAGE_BYTES // 4)


def test_no_message_of_blank_lines_holds_the_hub_at_the_announce_step() -> None:
    """It took hours, within a transaction, of one message of the length that is allowed."""
    told = of_announcement(requester="a", target="b", message=BLANK_LINES, first_reply="", latest_reply="  >>>\n<<<<")
    assert "\\>>>" in told and "\\<<<<" in told


def test_no_text_of_half_tokens_holds_the_hub_where_secrets_are_masked() -> None:
    """Nor of any other beginning of a secret that never comes; a whole one behind it is masked all the same."""
    token = f"eyJ{'a' * 20}.{'b' * 20}.{'c' * 20}"
    told, found = redact(f"{HALF_TOKENS} {token}")
    assert found and token not in told and told.startswith("-eyJ-eyJ")


@pytest.mark.parametrize(("pattern", "fits"), [("*a" * 60 + "*b", False), ("*a" * 60 + "*", True), ("a*a", True), ("*B", False)])
def test_no_pattern_of_many_stars_holds_the_hub_where_agents_are_paired(pattern: str, fits: bool) -> None:
    own = "a" * 64
    rules = Rules(pairs=[pattern, "other"])
    told = refusal(rules, Seen(key="one", agent=own), Seen(key="two", agent="other"))
    assert (told == "") is fits
