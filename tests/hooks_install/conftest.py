"""A person's home folder of his own, with harnesses in it."""

from pathlib import Path

import pytest

from tests.client.conftest import cli, home

__all__ = ["cli", "home"]


@pytest.fixture
def user(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home folder; the current folder is a project in it."""
    place = tmp_path / "user"
    (place / "project").mkdir(parents=True)
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "PI_CODING_AGENT_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(place))
    monkeypatch.chdir(place / "project")
    return place
