"""One process posts, another waits: real processes on one data folder."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.xdist_group("processes")
ROOT = Path(__file__).resolve().parents[2]
OWNER = "ana@example.org"


class Home:
    """A data folder with one owner, and commands run on it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {**os.environ, "TERTULIA_HOME": str(folder), "TERTULIA_OWNER_PASSWORD": "correct horse battery"}
        for name in ("DATABASE_URL", "REDIS_URL"):
            self.environment.pop(name, None)

    def start(self, *arguments: str, **environment: str) -> subprocess.Popen[str]:
        """Run a management command and do not wait for it."""
        command = [sys.executable, str(ROOT / "manage.py"), *arguments]
        pipe = subprocess.PIPE
        return subprocess.Popen(command, cwd=ROOT, env={**self.environment, **environment}, stdout=pipe, stderr=pipe, text=True)

    def run(self, *arguments: str) -> str:
        """Run one to its end."""
        process = self.start(*arguments)
        out, err = process.communicate(timeout=110)
        assert process.returncode == 0, err
        return out


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, migrate: Callable[[dict[str, str]], None]) -> Iterator[Home]:
    held = Home(tmp_path_factory.mktemp("home"))
    migrate(held.environment)
    held.run("create_owner", OWNER)
    yield held


def wait_for_socket(home: Home) -> Path:
    news = home.folder / "news"
    for _ in range(3000):
        sockets = list(news.glob("*.s"))
        if sockets:
            return sockets[0]
        os.sched_yield()
        import time

        time.sleep(0.01)  # another process's start has nothing to wait on
    raise AssertionError("the waiting process never listened")


@pytest.mark.parametrize(("lost", "recheck"), [(False, "600"), (True, "0.1")], ids=["by-its-hint", "after-a-lost-hint"])
def test_a_wait_is_woken_by_another_process(home: Home, lost: bool, recheck: str) -> None:
    latest = json.loads(home.run("chat", "read", "--limit", "50", "--json"))["latest_seq"]
    waiting = home.start(
        "chat", "wait", "--after", str(latest), "--timeout", "60", "--json", TERTULIA_NEWS_RECHECK_SECONDS=recheck
    )
    socket = wait_for_socket(home)
    if lost:
        socket.unlink()
    home.run("chat", "post", f"hello {lost}")
    out, err = waiting.communicate(timeout=30)
    assert waiting.returncode == 0, err
    assert [each["body"] for each in json.loads(out)["messages"]] == [f"hello {lost}"]


def test_the_data_folder_and_its_files_are_private(home: Home) -> None:
    assert home.folder.stat().st_mode & 0o777 == 0o700
    loose = [path.name for path in home.folder.iterdir() if path.is_file() and path.stat().st_mode & 0o077]
    assert loose == []
