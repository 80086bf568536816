"""Keys, folders and processes on the hub's machine: nothing is written through a link, and no secret is on a command line."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from project.env import SettingError, env_secret
from tests.running.hub import ROOT

SECRETS = {
    "TERTULIA_SECRET_KEY": "secret-key-canary-" + "0123456789abcdef" * 2,
    "TERTULIA_OWNER_PASSWORD": "owner-password-canary",
    "DATABASE_URL": "postgresql://hub:database-password-canary@127.0.0.1:5432/hub",
    "REDIS_URL": "redis://:redis-password-canary@127.0.0.1:6379/0",
}


def told(code: str, home: Path, **environment: str) -> str:
    """What a process of its own with these settings prints."""
    given = {**os.environ, "TERTULIA_HOME": str(home), "DJANGO_SETTINGS_MODULE": "project.settings", **environment}
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=given, capture_output=True, text=True, timeout=60)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


SETUP = "import json, django; django.setup(); from project.supervisor import house, parts; "


@pytest.mark.parametrize("server", ["daphne", "uvicorn"])
def test_no_secret_stands_on_the_command_line_of_a_process(tmp_path: Path, server: str) -> None:
    code = SETUP + "print(json.dumps([part.command for part in parts.parts()]))"
    commands = json.loads(told(code, tmp_path, TERTULIA_SERVER=server, **SECRETS))
    assert len(commands) == 5 and "canary" not in json.dumps(commands)


def test_the_owners_password_is_inherited_by_no_process(tmp_path: Path) -> None:
    environment = json.loads(told(SETUP + "print(json.dumps(house.environment()))", tmp_path, **SECRETS))
    assert "TERTULIA_OWNER_PASSWORD" not in environment and "owner-password-canary" not in environment.values()


def test_a_key_is_never_written_through_a_link(tmp_path: Path) -> None:
    elsewhere, file = tmp_path / "elsewhere.key", tmp_path / "secret.key"
    file.symlink_to(elsewhere)
    with pytest.raises(SettingError, match="cannot be used"):
        env_secret("TERTULIA_UNSET", file)
    assert not elsewhere.exists() and [path.name for path in tmp_path.iterdir()] == ["secret.key"]


def test_processes_that_start_at_once_agree_on_one_key(tmp_path: Path) -> None:
    code = (
        "from pathlib import Path; from project.env import env_secret; print(env_secret('UNSET', Path('secret.key').absolute()))"
    )
    given = {**os.environ, "PYTHONPATH": str(ROOT)}
    both = [
        subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path, env=given, stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    keys = {process.communicate(timeout=60)[0] for process in both}
    assert len(keys) == 1 and stat.S_IMODE((tmp_path / "secret.key").stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["secret.key"]


@pytest.mark.parametrize("kept", ["", "short", "\n\n", "x" * 31])
def test_a_damaged_key_is_refused_and_not_replaced(tmp_path: Path, kept: str) -> None:
    file = tmp_path / "secret.key"
    file.write_text(kept)
    with pytest.raises(SettingError, match="damaged"):
        env_secret("TERTULIA_UNSET", file)
    assert file.read_text() == kept


def test_the_lock_of_a_hub_is_its_users_alone(tmp_path: Path) -> None:
    from project.supervisor.place import sole_hub

    loose = os.umask(0)
    try:
        with sole_hub(tmp_path):
            assert stat.S_IMODE((tmp_path / "up.lock").stat().st_mode) == 0o600
    finally:
        os.umask(loose)


def test_a_task_message_is_data_alone() -> None:
    """Whoever writes into the broker's folder or queue names a task and its plain arguments; nothing of it is unpickled."""
    from project.celery import configuration

    made = configuration()
    assert made["accept_content"] == ["json"] and made["task_serializer"] == "json"
    assert made["worker_enable_remote_control"] is False and made["task_create_missing_queues"] is False
