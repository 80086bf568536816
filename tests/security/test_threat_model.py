"""docs/threat-model.md claims nothing without a test, and names no test that is not there."""

import re

from tests.running.hub import ROOT

PAGE = ROOT / "docs" / "threat-model.md"
NAMED = re.compile(r"`([a-z_]+/test_[a-z0-9_]+\.py)::(test_[a-z0-9_]+)`")


def test_every_test_it_names_is_there() -> None:
    named = NAMED.findall(PAGE.read_text())
    missing = [f"{file}::{name}" for file, name in named if f"def {name}(" not in (ROOT / "tests" / file).read_text()]
    assert len(named) > 60 and missing == []


def test_every_file_of_these_tests_is_named() -> None:
    """What is proved here is claimed there."""
    named = {file for file, _ in NAMED.findall(PAGE.read_text())}
    own = {f"security/{path.name}" for path in (ROOT / "tests" / "security").glob("test_*.py")}
    assert own - named <= {"security/test_threat_model.py", "security/test_static_files.py"}


def test_every_setting_check_it_names_is_made() -> None:
    made = (ROOT / "project" / "checks.py").read_text()
    assert all(check in made for check in re.findall(r"tertulia\.[EW]\d{3}", PAGE.read_text()))
