"""Where the hub says it is, and the sentences for an address that cannot be."""

import pytest

from project.address import canonical_url, is_loopback
from project.env import SettingError, env_redis, env_time_zone


@pytest.mark.parametrize(
    ("given", "host", "url"),
    [
        ("", "127.0.0.1", "http://127.0.0.1:8760"),
        ("", "localhost", "http://127.0.0.1:8760"),
        ("", "::1", "http://[::1]:8760"),
        ("", "127.0.0.9", "http://127.0.0.9:8760"),
        ("https://hub.example.org/", "0.0.0.0", "https://hub.example.org"),
        ("http://192.0.2.7:8760", "192.0.2.7", "http://192.0.2.7:8760"),
    ],
)
def test_the_hub_knows_its_address(given: str, host: str, url: str) -> None:
    assert canonical_url(given, host, 8760) == url


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.7", "::", "hub.example.org"])
def test_a_host_that_others_reach_needs_an_address(host: str) -> None:
    with pytest.raises(SettingError, match="set TERTULIA_URL to the address they use"):
        canonical_url("", host, 8760)


@pytest.mark.parametrize(
    "given",
    [
        "hub.example.org",
        "ftp://hub.example.org",
        "https://",
        "https://hub.example.org/path",
        "https://hub.example.org?x=1",
        "https://hub.example.org#top",
        "https://user:word@hub.example.org",
        "http://hub.example.org:port",
        "http://hub.example.org:99999",
        "http://[::1",
        "http://hub example.org",
    ],
)
def test_an_address_that_is_none_is_refused_in_one_sentence(given: str) -> None:
    with pytest.raises(SettingError, match=r"^TERTULIA_URL is .*; set it to an address such as .*\.$"):
        canonical_url(given, "127.0.0.1", 8760)


@pytest.mark.parametrize(("host", "answer"), [("127.0.0.1", True), ("[::1]", True), ("LOCALHOST", True), ("10.0.0.1", False)])
def test_loopback_is_told_apart(host: str, answer: bool) -> None:
    assert is_loopback(host) is answer


@pytest.mark.parametrize("value", ["127.0.0.1:6379", "http://127.0.0.1", "redis://", "redis://h:port", "redis://:word@"])
def test_a_redis_address_that_is_none_is_refused_without_repeating_it(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("REDIS_URL", value)
    with pytest.raises(SettingError) as refusal:
        env_redis("REDIS_URL")
    assert str(refusal.value) == "REDIS_URL is no Redis address; set it to redis://host:6379/0."


@pytest.mark.parametrize("value", ["Lisbon", "../etc/passwd", "Europe/Nowhere"])
def test_an_unknown_time_zone_is_refused(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("TERTULIA_TIME_ZONE", value)
    with pytest.raises(SettingError, match="set it to a time zone such as UTC"):
        env_time_zone("TERTULIA_TIME_ZONE", "UTC")
