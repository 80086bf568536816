"""The rules of the house that a machine can look after."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.apps import apps
from django.core.management import call_command

ROOT = Path(__file__).resolve().parent.parent
FLOORS = ("core", "audit", "accounts", "chat", "sessions_app", "triggers", "project")
ELSEWHERE = {
    "audit/models.py": "inserts the entry that audit.actions.record asks for",
    "accounts/querysets.py": "Django's user manager, called by accounts.actions",
    "accounts/oauth/validator.py": "the authorization server's own tables, in the library's hooks",
    "accounts/pruning.py": "removes sign-ins, proofs and launches past their time",
    "accounts/session_store.py": "Django's session store, under the hash of its key",
    "accounts/throttle.py": "a cache, no table",
}
WRITES = {"save", "create", "bulk_create", "update_or_create", "get_or_create", "delete"}
OWN_MODULES = {path for floor in FLOORS for path in (ROOT / floor).rglob("*.py") if "migrations" not in path.parts}


def _calls(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in WRITES:
            yield f"{path.relative_to(ROOT)}:{node.lineno} .{node.func.attr}()"


def test_only_actions_write_tables() -> None:
    doors = {path for path in OWN_MODULES if path.name != "actions.py" and str(path.relative_to(ROOT)) not in ELSEWHERE}
    assert [call for path in sorted(doors) for call in _calls(path)] == []


def test_no_door_looks_up_a_row_by_the_callers_id_alone() -> None:
    doors = [path for path in OWN_MODULES if re.search(r"(pages|api|mcp|consumers|reader|admin)", str(path.relative_to(ROOT)))]
    found = [str(path) for path in doors if re.search(r"objects\.get\(\s*(pk|id)=", path.read_text())]
    assert found == []


@pytest.mark.parametrize("floor", FLOORS)
def test_every_module_and_public_thing_says_what_it_is(floor: str) -> None:
    silent = []
    for path in sorted((ROOT / floor).rglob("*.py")):
        if "migrations" in path.parts or not path.read_text().strip():
            continue
        if not ast.get_docstring(ast.parse(path.read_text())):
            silent.append(str(path.relative_to(ROOT)))
    assert silent == []


def test_no_file_ate_the_house() -> None:
    long = {str(path.relative_to(ROOT)): count for path in OWN_MODULES if (count := len(path.read_text().splitlines())) > 300}
    assert long == {}


@pytest.mark.django_db
def test_every_change_of_a_model_has_its_migration() -> None:
    call_command("makemigrations", "--check", "--dry-run", verbosity=0)


def test_every_model_of_an_account_can_be_asked_as_somebody() -> None:
    from core.actor import system

    owned = [model for model in apps.get_models() if model._meta.app_label in FLOORS and hasattr(model, "account")]
    blind = [model.__name__ for model in owned if not hasattr(model.objects.all(), "visible_to") and model.__name__ != "Counter"]
    assert owned and blind == []
    assert system().is_system


def test_no_package_registry_is_named_and_no_path_of_a_machine() -> None:
    import subprocess

    hosts = re.compile(
        "|".join(["python" + r"hosted\.", "py" + r"pi\.org", "registry" + r"\.npm", "/work" + "/main", "/ro" + "ot/"])
    )
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, timeout=30, check=False)
    if listed.returncode:
        pytest.skip("not a checkout of git")
    named = [
        name
        for name in listed.stdout.splitlines()
        if (ROOT / name).is_file() and hosts.search((ROOT / name).read_text(errors="ignore"))
    ]
    assert named == []
