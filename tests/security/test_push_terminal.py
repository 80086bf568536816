"""What the hub's own shell prints of push servers and their messages, when these mean to move its cursor."""

import io
import json
from datetime import timedelta
from pathlib import Path
from unicodedata import category

import pytest
from django.core.management import CommandError, call_command

from core import clock
from sessions_app.models import ToolApproval
from tests import make
from tests.push_verbs.test_approving import asked
from tests.pushing import pushed, rule, server
from triggers.logs.actions import note
from triggers.models import Firing, RuleState

__all__ = ["asked"]
HOSTILE = "a\x1b[2J\x1b]0;x\x07\r\nFORGED\x85\u2028\u202eb\u200fc"
NAME = "turned\u202e"
MOVES = frozenset({"Cc", "Cf", "Zl", "Zp"})
WORDS = (
    ["list"],
    ["list", "--all"],
    ["list", HOSTILE],
    ["confirm"],
    ["confirm", "1"],
    ["approve"],
    ["rules"],
    ["run", "1"],
    ["run", HOSTILE],
    ["stop", HOSTILE],
    ["inject", HOSTILE],
    ["status"],
    ["logs", "lights"],
    ["logs", HOSTILE],
    ["import", HOSTILE],
    *(["complete", "--", *before, ""] for before in (["list"], ["confirm"], ["approve"], ["run"], ["logs"])),
)


@pytest.fixture
def hers(alice: make.Person, asked: ToolApproval) -> make.Person:
    """Everything in which a server, a run or a file of rules has a word."""
    rule(alice, NAME, mode="confirm", prompt=f"x\n{NAME}")
    note(server(alice, "lights", state="failed", reason=HOSTILE), HOSTILE, state="failed")
    pushed(alice, HOSTILE, HOSTILE, HOSTILE)
    now = clock.now()
    Firing.objects.update(state=Firing.ASKED, expires_at=now + timedelta(minutes=5), detail=HOSTILE)
    RuleState.objects.update(last_error=HOSTILE)
    ToolApproval.objects.update(tool=HOSTILE, arguments={HOSTILE: HOSTILE})
    return alice


@pytest.mark.parametrize("words", WORDS, ids=lambda words: " ".join(words).encode("ascii", "backslashreplace").decode())
def test_nothing_of_a_server_moves_the_cursor_of_the_hub_s_own_shell(words: list[str], hers: make.Person) -> None:
    assert not moved(channel(*words))


def test_nor_does_a_file_of_rules_that_is_tried(hers: make.Person, tmp_path: Path) -> None:
    file = tmp_path / "rules.json"
    for given in ({"name": NAME, "mode": HOSTILE}, {"name": NAME}, {"name": HOSTILE}, {HOSTILE: ""}):
        file.write_text(json.dumps({"rules": [given]}))
        assert not moved(channel("rules", "test", str(file)))


def test_nor_does_why_an_accepted_firing_failed(hers: make.Person, monkeypatch: pytest.MonkeyPatch) -> None:
    failed = Firing(number=1, state=Firing.FAILED, detail=HOSTILE)
    monkeypatch.setattr("triggers.command_verbs.deciding.one", lambda actor, number: failed)
    assert "it failed" in (told := channel("confirm", "1")) and not moved(told)


def channel(*words: str) -> str:
    """All that it prints, of a refusal too."""
    out, err = io.StringIO(), io.StringIO()
    try:
        call_command("channel", *words, stdout=out, stderr=err)
    except CommandError as refusal:
        err.write(str(refusal))
    return out.getvalue() + err.getvalue()


def moved(text: str) -> list[str]:
    """What in it would move a cursor, or turn what stands beside it."""
    return [each for each in text if category(each) in MOVES and each not in "\n\t"] + ["FORGED"] * ("\nFORGED" in text)
