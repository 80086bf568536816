"""The grammar of keys, and what a key says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions_app import keys

SLUGS = st.from_regex(r"[a-z0-9][a-z0-9_-]{0,20}", fullmatch=True)
PLACES = st.sampled_from(["group", "channel"])


@given(SLUGS, st.text(min_size=1, max_size=60))
def test_a_canonical_key_stays_as_it_is(agent: str, given_key: str) -> None:
    once = keys.parse(given_key, agent).key
    assert keys.parse(once, agent).key == once


@given(SLUGS, st.text(max_size=60))
def test_every_key_has_one_of_the_kinds(agent: str, given_key: str) -> None:
    assert keys.kind_of(keys.parse(given_key, agent)) in keys.KINDS


@given(SLUGS, SLUGS, st.from_regex(r"[a-z0-9:_-]{1,40}", fullmatch=True))
def test_a_key_under_an_agent_is_of_the_kind_it_is_without(agent: str, default: str, rest: str) -> None:
    below = keys.parse(f"agent:{agent}:{rest}", default)
    assert below.agent == agent
    if not rest.startswith("agent:") and rest != keys.MAIN:
        assert keys.kind_of(below) == keys.kind_of(keys.parse(rest, default))


@given(SLUGS, SLUGS, PLACES, SLUGS)
def test_a_group_says_its_channel_and_type(agent: str, channel: str, place: str, name: str) -> None:
    key = f"agent:{agent}:{channel}:{place}:{name}"
    assert (keys.channel_in(key), keys.chat_type_in(key), keys.kind_of(keys.parse(key, "main"))) == (
        channel,
        channel if channel in keys.CHATS else place,
        "group",
    )


@given(SLUGS)
def test_upper_case_and_space_around_are_nothing(agent: str) -> None:
    assert keys.parse("  MAIN ", agent) == keys.parse("main", agent)
    assert keys.parse(f"AGENT:{agent.upper()}:Main", "other").key == f"agent:{agent}:main"


@pytest.mark.parametrize(
    ("key", "kind"),
    [
        ("main", "main"),
        ("global", "main"),
        ("agent:ops:main", "main"),
        ("agent:main:telegram:group:-100123", "group"),
        ("agent:main:slack:channel:c1", "group"),
        ("cron:nightly", "cron"),
        ("agent:main:cron:nightly", "cron"),
        ("hook:0b2e", "hook"),
        ("node-c-0123", "node"),
        ("agent:main:subagent:0b2e", "other"),
        ("agent:main:telegram:direct:1", "other"),
        ("temp:slug", "other"),
        ("cronicle", "other"),
    ],
)
def test_a_key_is_of_a_kind(key: str, kind: str) -> None:
    assert keys.kind_of(keys.parse(key, "main")) == kind


def test_under_the_scope_global_main_is_global() -> None:
    assert keys.parse("main", "main", scope="global").key == "global"
    assert keys.shown("global") == "main"


@pytest.mark.parametrize(
    ("key", "scope", "listed"),
    [
        ("agent:main:main", "per-sender", True),
        ("global", "per-sender", False),
        pytest.param("global", "global", True, id="O-09"),
        ("unknown", "global", False),
        pytest.param("agent:main:cron:j:run:r", "per-sender", False, id="O-17"),
        ("cron:j:run:r", "per-sender", False),
        ("agent:main:cron:j", "per-sender", True),
        ("agent:main:run:r", "per-sender", True),
    ],
)
def test_some_keys_are_never_listed(key: str, scope: str, listed: bool) -> None:
    assert keys.is_listed(key, scope) is listed


@pytest.mark.parametrize(
    ("kind", "key", "channel", "last", "shown"),
    [
        ("other", "agent:main:dm:1", "", "whatsapp", "whatsapp"),
        ("group", "agent:main:x:group:1", "discord", "", "discord"),
        ("group", "agent:main:telegram:group:1", "", "", "telegram"),
        ("cron", "agent:main:cron:j", "discord", "discord", "internal"),
        ("hook", "hook:j", "", "", "internal"),
        ("node", "node-1", "", "webchat", "internal"),
        ("main", "agent:main:main", "", "", "unknown"),
    ],
)
def test_o_12_a_row_has_a_channel(kind: str, key: str, channel: str, last: str, shown: str) -> None:
    assert keys.channel_of(kind, key, channel, last) == shown
