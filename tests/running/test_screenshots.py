"""`manage.py screenshots`: pictures of a hub of its own, and nothing of the operator's touched."""

import struct
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from project.screenshots import album, place
from tests.running.hub import Command, environment


@pytest.mark.browser
def test_it_writes_each_page_in_both_sizes_and_schemes_and_leaves_the_operator_s_folder_alone(tmp_path: Path) -> None:
    home, folder = tmp_path / "home", tmp_path / "pictures"
    command = Command(["screenshots", str(folder), "--only", "sign-in", "--only", "error"], environment(home, DATABASE_URL="x"))
    status, said = command.end()
    assert status == 0, said
    names = {f"{page}-{width}-{scheme}.png" for page in ("sign-in", "error") for width in (1280, 390) for scheme in album.SCHEMES}
    assert {file.name for file in folder.iterdir()} == names and not home.exists()
    widths = {file.name: struct.unpack(">I", file.read_bytes()[16:20])[0] for file in folder.iterdir()}
    assert all(str(width) in name for name, width in widths.items())


def test_on_an_operator_s_own_folder_it_refuses(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="data folder of its own"):
        call_command("screenshots", str(tmp_path))
    assert not list(tmp_path.iterdir())


def test_without_a_browser_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)
    with pytest.raises(album.Invalid, match="apt-get install chromium"):
        album.tools()


def test_the_throw_away_place_takes_every_setting_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("atexit.register", lambda *arguments, **options: None)
    for name in ("TERTULIA_HOME", "TERTULIA_PORT", "TERTULIA_LOG_LEVEL", "TERTULIA_URL", "CHAT_BODY_BYTES", "DATABASE_URL"):
        monkeypatch.setenv(name, "of the operator")
    place.throw_away()
    import os
    import shutil

    home = Path(os.environ["TERTULIA_HOME"])
    try:
        assert place.is_throw_away(home) and home.stat().st_mode & 0o777 == 0o700
        assert {"TERTULIA_URL", "CHAT_BODY_BYTES", "DATABASE_URL"}.isdisjoint(os.environ)
    finally:
        shutil.rmtree(home)
