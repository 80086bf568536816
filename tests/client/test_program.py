"""The program itself: what it loads, what the shell may ask it, and how its own code is kept."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest
import tertulia

from tests.client.conftest import Cli

SECONDS = 20
MODULES = sorted(Path(tertulia.__file__).parent.rglob("*.py"))


def program(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "tertulia", *arguments]


def test_the_program_says_its_help_and_loads_nothing_heavy_for_it(home: Path) -> None:
    loaded = "[name for name in ('httpx', 'rich', 'ssl', 'django', 'textual', 'websockets', 'asyncio') if name in sys.modules]"
    code = f"import sys; from tertulia.program import run; run(['chat', '--help']); print({loaded})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=SECONDS, check=True)
    assert "wait" in done.stdout and done.stdout.endswith("[]\n")


def test_the_program_shows_the_shell_how_to_complete(home: Path) -> None:
    environment = {**os.environ, "_TERTULIA_COMPLETE": "complete_bash", "COMP_WORDS": "tertulia chat wa", "COMP_CWORD": "2"}
    done = subprocess.run(program(), env=environment, capture_output=True, text=True, timeout=SECONDS, check=True)
    assert done.stdout == "wait\n"


def test_every_module_says_what_it_is_and_none_ate_the_house() -> None:
    assert [path.name for path in MODULES if not ast.get_docstring(ast.parse(path.read_text()))] == []
    assert [path.name for path in MODULES if len(path.read_text().splitlines()) > 300] == []


def test_a_bare_command_shows_its_help(cli: Cli) -> None:
    assert "login" in cli().err and "wait" in cli("chat").err


def test_the_version_is_the_distributions(cli: Cli) -> None:
    from importlib.metadata import version

    assert cli("--version").out == f"tertulia {version('tertulia')}\n"


@pytest.mark.parametrize("text", ["nan", "-1", "x"])
def test_a_time_that_is_none_is_refused(cli: Cli, text: str) -> None:
    assert cli("chat", "wait", "--timeout", text).code == 1
