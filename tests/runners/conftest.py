"""An owner who may run commands, and programs that are looked after quickly."""

import pytest

from tests import make


@pytest.fixture
def owner(db: None) -> make.Person:
    return make.person("ana@example.org", may_run_commands=True)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sessions_app.runners.command.process.LOOK_SECONDS", 0.02)
    monkeypatch.setattr("sessions_app.runners.command.process.LAST_WORDS_SECONDS", 0.1)
