"""What an operator may set and run is documented, and nothing else is."""

import re
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import get_commands

from tests.running.hub import ROOT

READ = re.compile(r"""(?:env_\w+\(\s*|environ(?:\.get\(|\[)\s*|getenv\(\s*)["']([A-Z][A-Z0-9_]+)["']""")
OURS = re.compile(r"^(TERTULIA|CHAT|DATABASE|REDIS|AGENT|SESSION|PUSH)_")
DOCUMENTED = re.compile(r"^\| `([A-Z][A-Z0-9_]+)` \|", re.MULTILINE)
CHECK_ID = re.compile(r"tertulia\.[EW]\d{3}")


def sources() -> list[Path]:
    apps = ("core", "audit", "accounts", "chat", "sessions_app", "triggers", "project")
    tests = [ROOT / "tests" / "environment.py", ROOT / "tests" / "services.py", ROOT / "tests" / "running" / "hub.py"]
    return [*tests, ROOT / "manage.py", *(path for app in apps for path in (ROOT / app).rglob("*.py"))]


def test_every_variable_that_is_read_is_documented_and_no_other_is() -> None:
    read = {name for path in sources() for name in READ.findall(path.read_text()) if OURS.match(name)}
    documented = set(DOCUMENTED.findall((ROOT / "docs" / "settings.md").read_text()))
    assert len(read) > 20
    assert documented - read == set()
    assert read - documented == set()


def test_every_system_check_is_documented_and_no_other_is() -> None:
    made = set(CHECK_ID.findall((ROOT / "project" / "checks.py").read_text()))
    assert len(made) > 5
    assert set(CHECK_ID.findall((ROOT / "docs" / "settings.md").read_text())) == made


@pytest.mark.parametrize("app", ["accounts", "audit", "chat", "project"])
def test_every_command_of_ours_is_documented(app: str) -> None:
    operations = (ROOT / "docs" / "operations.md").read_text()
    commands = [name for name, owner in get_commands().items() if owner == app]
    assert commands
    assert [name for name in commands if f"manage.py {name}" not in operations] == []


def test_the_command_lines_of_every_process_are_documented_as_they_are_run() -> None:
    from project.supervisor import parts

    operations = (ROOT / "docs" / "operations.md").read_text()
    for words in (parts._daphne(), parts._uvicorn(), parts.worker("short", threads=2), parts.worker("runs", threads=16)):
        port = str(parts.settings.TERTULIA_PORT)
        line = " ".join("8760" if word == port else word for word in words)
        assert f"python {line}" in operations
    assert f"python {' '.join(parts.CELERY)} beat" in operations
    assert f"python {' '.join(parts.LISTEN)}" in operations


@pytest.mark.parametrize("document", ["README.md", "docs/operations.md", "docs/settings.md", "CHANGELOG.md"])
def test_a_link_between_documents_leads_somewhere(document: str) -> None:
    path = ROOT / document
    for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", path.read_text()):
        assert (path.parent / target).exists(), target


def test_the_documented_backup_holds_what_is_still_in_the_write_ahead_log(tmp_path: Path) -> None:
    code = re.findall(r'^python3 -c "(.+)" \\$', (ROOT / "docs" / "operations.md").read_text(), re.MULTILINE)
    assert len(code) == 1
    source, copy = tmp_path / "tertulia.sqlite3", tmp_path / "backup.sqlite3"
    hub = sqlite3.connect(source, isolation_level=None)
    hub.execute("PRAGMA journal_mode=WAL")
    hub.execute("CREATE TABLE message (body TEXT)")
    hub.execute("INSERT INTO message VALUES ('only in the log')")
    subprocess.run([sys.executable, "-c", code[0], str(source), str(copy)], check=True)
    hub.close()
    backup = sqlite3.connect(copy)
    assert backup.execute("SELECT body FROM message").fetchall() == [("only in the log",)]
    backup.close()
