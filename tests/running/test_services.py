"""A test that lacks its browser or service says so; where it is required, it fails."""

from typing import Any

import pytest

from tests import services


class Item:
    """A collected test with markers."""

    def __init__(self, *marks: pytest.MarkDecorator) -> None:
        self.marks = [each.mark for each in marks]

    def iter_markers(self, name: str) -> list[pytest.Mark]:
        return [mark for mark in self.marks if mark.name == name]

    def get_closest_marker(self, name: str) -> pytest.Mark | None:
        return next(iter(self.iter_markers(name)), None)


def item(*marks: pytest.MarkDecorator) -> Any:
    return Item(*marks)


@pytest.fixture
def nothing_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "missing", lambda name: f"no {name}")


def test_a_missing_service_skips_with_its_reason(nothing_here: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "REQUIRED", False)
    with pytest.raises(pytest.skip.Exception, match="no redis"):
        services.skip_or_fail(item(pytest.mark.service("redis")))
    with pytest.raises(pytest.skip.Exception, match="no browser"):
        services.skip_or_fail(item(pytest.mark.browser))


def test_a_missing_service_fails_where_it_is_required(nothing_here: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "REQUIRED", True)
    with pytest.raises(pytest.fail.Exception, match="no postgresql"):
        services.skip_or_fail(item(pytest.mark.service("postgresql", "redis")))


def test_a_test_that_needs_nothing_runs(nothing_here: None) -> None:
    services.skip_or_fail(item(pytest.mark.xdist_group("hub")))


@pytest.mark.parametrize(("name", "address"), [("_no_postgresql", "postgresql_url"), ("_no_redis", "redis_url")])
def test_a_service_that_does_not_answer_is_named(monkeypatch: pytest.MonkeyPatch, name: str, address: str) -> None:
    wrong = {"postgresql_url": "postgresql://root@127.0.0.1:1/postgres", "redis_url": "redis://127.0.0.1:1/0"}
    monkeypatch.setattr(services, address, lambda: wrong[address])
    assert "does not answer; start one on 127.0.0.1" in getattr(services, name)()


def test_a_browser_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services.shutil, "which", lambda name: None)
    assert "is not installed" in services._no_browser()
