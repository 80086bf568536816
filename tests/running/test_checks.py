"""Each mistake an operator can make has its check, and a sound hub has none."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from project import checks
from tests.running.hub import ROOT


def ids(found: list[Any]) -> list[str]:
    assert all(message.hint for message in found)
    return [message.id.removeprefix("tertulia.") for message in found]


@pytest.mark.parametrize(
    ("url", "debug", "expected"),
    [
        ("http://127.0.0.1:8760", True, []),
        ("https://hub.example.org", False, []),
        ("http://hub.example.org", False, ["W001"]),
        ("http://192.0.2.7:8760", True, ["W001", "W002"]),
    ],
)
def test_plain_http_and_debug_are_for_this_machine_alone(settings: Any, url: str, debug: bool, expected: list[str]) -> None:
    settings.TERTULIA_URL, settings.DEBUG = url, debug
    assert ids(checks.address_is_safe()) == expected


@pytest.mark.parametrize(
    ("url", "trusted", "expected"),
    [("http://127.0.0.1:8760", False, []), ("https://hub.example.org", True, []), ("https://hub.example.org", False, ["W009"])],
)
def test_a_proxy_that_stands_for_every_caller_is_pointed_out(settings: Any, url: str, trusted: bool, expected: list[str]) -> None:
    settings.TERTULIA_URL, settings.TERTULIA_PROXY_HEADERS = url, trusted
    assert ids(checks.callers_are_told_apart()) == expected


@pytest.mark.parametrize(("url", "expected"), [("http://localhost:8760", ["W008"]), ("https://hub.example.org", [])])
def test_a_deployment_that_only_this_machine_reaches_is_pointed_out(settings: Any, url: str, expected: list[str]) -> None:
    settings.TERTULIA_URL = url
    assert ids(checks.deployed_off_loopback()) == expected


@pytest.mark.parametrize(("key", "expected"), [("a" * 50, ["E001"]), ("abcabc" * 9, ["E001"]), ("q8Zk1-xYv_Ww0Lt7" * 3, [])])
def test_a_key_that_is_guessed_is_refused(settings: Any, key: str, expected: list[str]) -> None:
    settings.SECRET_KEY = key
    assert ids(checks.secret_key_is_strong()) == expected


@pytest.mark.parametrize(
    ("database", "redis", "expected"),
    [
        ("", "", []),
        ("postgresql://h/d", "redis://h", []),
        ("", "redis://h", ["W003"]),
        ("postgresql://h/d", "", ["W004"]),
    ],
)
def test_half_of_the_grown_set_up_is_pointed_out(settings: Any, database: str, redis: str, expected: list[str]) -> None:
    settings.DATABASE_URL, settings.REDIS_URL = database, redis
    assert ids(checks.processes_share_what_they_need()) == expected


@pytest.mark.parametrize(
    ("days", "body", "storage", "expected"),
    [(14, 8192, 0, []), (3651, 8192, 2**26, ["W005"]), (14, 8192, 8191, ["E002"]), (14, 8192, 8192, [])],
)
def test_chat_limits_that_contradict_themselves_are_pointed_out(
    settings: Any, days: int, body: int, storage: int, expected: list[str]
) -> None:
    settings.CHAT_RETENTION_DAYS, settings.CHAT_BODY_BYTES, settings.CHAT_STORAGE_BYTES = days, body, storage
    assert ids(checks.chat_limits_make_sense()) == expected


def test_a_data_folder_or_key_that_others_may_open_is_pointed_out(settings: Any, tmp_path: Path) -> None:
    settings.TERTULIA_HOME = tmp_path
    tmp_path.chmod(0o700)
    (tmp_path / "secret.key").touch(0o600)
    (tmp_path / "tertulia.sqlite3-wal").touch(0o600)
    assert checks.data_folder_is_private() == []
    tmp_path.chmod(0o755)
    (tmp_path / "secret.key").chmod(0o640)
    assert ids(checks.data_folder_is_private()) == ["W006", "W006"]


def test_a_data_folder_of_another_user_is_pointed_out(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.TERTULIA_HOME = tmp_path
    tmp_path.chmod(0o700)
    monkeypatch.setattr(checks.os, "geteuid", lambda: tmp_path.stat().st_uid + 1)
    assert ids(checks.data_folder_is_private()) == ["W007"]


MOUNTS = r"""/dev/sda1 / ext4 rw 0 0
server:/export /home nfs4 rw 0 0
/dev/sdb1 /home/ana/local\040disk xfs rw 0 0
"""


@pytest.mark.parametrize(
    ("folder", "kind"),
    [("/var/lib/tertulia", "ext4"), ("/home/ana/data", "nfs4"), ("/home/ana/local disk/data", "xfs"), ("/homeland", "ext4")],
)
def test_the_file_system_of_a_folder_is_that_of_its_nearest_mount(folder: str, kind: str) -> None:
    assert checks.file_system_of(Path(folder), MOUNTS) == kind


def test_sqlite_on_a_network_file_system_is_refused_and_postgresql_is_not(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.TERTULIA_HOME = Path("/home/ana/data")
    monkeypatch.setattr(checks, "_mounts", lambda: MOUNTS)
    settings.DATABASE_URL = ""
    assert ids(checks.sqlite_is_on_a_local_disk()) == ["E003"]
    settings.DATABASE_URL = "postgresql://h/d"
    assert checks.sqlite_is_on_a_local_disk() == []


def test_the_embedded_default_has_no_warning(settings: Any, tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    settings.TERTULIA_HOME = tmp_path
    settings.DATABASE_URL = settings.REDIS_URL = ""
    call_command("check", fail_level="WARNING")


@pytest.mark.parametrize(
    ("database", "agents", "expected"),
    [
        ("", "", []),
        ("postgresql://hub@db/hub", "", ["W010"]),
        ("postgresql://hub@db/hub", "postgresql://agents@db/hub", []),
    ],
)
def test_agents_that_share_the_hubs_login_are_pointed_out(settings: Any, database: str, agents: str, expected: list[str]) -> None:
    settings.DATABASE_URL, settings.AGENT_DATABASE_URL = database, agents
    assert ids(checks.agents_have_a_login_of_their_own()) == expected


def test_a_command_loads_no_page_and_a_check_of_the_admin_site_all_of_them() -> None:
    script = """
        import sys, django
        django.setup()
        from django.core.checks import run_checks
        from triggers.admin import rules
        before = {"project.urls", "core.api.views", "accounts.admin"} & set(sys.modules)
        rules.RuleAdmin.list_display = ("nothing_of_the_kind",)
        print(sorted(before), [each.id for each in run_checks(tags=["admin"])])
    """
    env = {**os.environ, "DJANGO_SETTINGS_MODULE": "project.settings"}
    words = [sys.executable, "-c", textwrap.dedent(script)]
    ended = subprocess.run(words, cwd=ROOT, env=env, capture_output=True, text=True, check=True, timeout=60)
    assert ended.stdout.strip() == "[] ['admin.E108']"
