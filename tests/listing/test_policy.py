"""The send policy: what may leave a session."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions_app.policy import Place, allows

DENY, ALLOW = "deny", "allow"


def rule(action: str, **match: str) -> dict[str, Any]:
    return {"action": action, "match": match}


def place(key: str, **more: str) -> Place:
    return Place(key=key, **more)


@pytest.mark.parametrize(
    ("policy", "override", "where", "allowed"),
    [
        pytest.param({}, "", place("main"), True, id="O-86-none"),
        pytest.param({"default": ALLOW}, DENY, place("main"), False, id="O-86-entry"),
        ({"default": DENY}, ALLOW, place("main"), True),
        pytest.param({"rules": [rule(DENY, keyPrefix="cron:")]}, "", place("cron:job-1"), False, id="O-88-cron"),
        pytest.param(
            {"rules": [rule(DENY, rawKeyPrefix="agent:main:discord:")]}, "", place("agent:main:discord:group:x"), False,
            id="O-88-discord",
        ),
        pytest.param(
            {"rules": [rule(DENY, rawKeyPrefix="agent:main:discord:")]}, "", place("agent:main:slack:group:x"), True,
            id="O-88-slack",
        ),
        pytest.param(
            {"rules": [rule(DENY, keyPrefix="discord:")]}, "", place("agent:main:discord:group:x"), False, id="O-89"
        ),
        pytest.param(
            {"rules": [rule(ALLOW, channel="discord"), rule(DENY, chatType="group")]}, "", place("agent:main:discord:group:x"),
            False, id="O-90",
        ),
        pytest.param(
            {"default": DENY, "rules": [rule(ALLOW, channel="discord")]}, "", place("agent:main:discord:group:x"), True,
            id="O-91-matches",
        ),
        pytest.param(
            {"default": DENY, "rules": [rule(ALLOW, channel="discord")]}, "", place("agent:main:slack:group:x"), False,
            id="O-91-not",
        ),
        pytest.param(
            {"rules": [rule(DENY, channel="telegram")]}, "", place("agent:main:telegram:direct:1"), False, id="O-92"
        ),
        ({"rules": [rule(DENY, channel="telegram")]}, "", place("agent:main:main", channel="telegram"), False),
        ({"rules": [rule(DENY, chatType="direct")]}, "", place("agent:main:telegram:direct:1"), False),
        ({"rules": [rule(DENY, channel=" Discord ")]}, "", place("agent:main:discord:group:x"), False),
        ({"rules": [rule(DENY)]}, "", place("main"), False),
        ({"rules": ["nonsense", None, 3]}, "", place("main"), True),
        ("nonsense", "", place("main"), True),
    ],
)  # fmt: skip
def test_a_policy_decides(policy: Any, override: str, where: Place, allowed: bool) -> None:
    assert allows(policy, override, where) is allowed


RULES = st.builds(
    rule,
    st.sampled_from([ALLOW, DENY]),
    channel=st.sampled_from(["discord", "slack"]),
    chatType=st.sampled_from(["group", "direct"]),
)


@given(st.lists(RULES, max_size=6), st.randoms())
def test_the_order_of_rules_does_not_matter(rules: list[dict[str, Any]], random: Any) -> None:
    mixed = rules.copy()
    random.shuffle(mixed)
    where = place("agent:main:discord:group:x")
    assert allows({"rules": rules}, "", where) is allows({"rules": mixed}, "", where)
