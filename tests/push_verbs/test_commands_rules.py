"""`manage.py channel rules`: shown, exported, tried and reloaded."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError

from tests import make
from tests.push_verbs.commanding import channel
from tests.push_verbs.firing import notify_rule
from tests.pushing import push_many, pushed, rule
from triggers.models import Rule


def test_rules_show_what_they_say_and_did(alice: make.Person) -> None:
    assert channel("rules") == "no rules\n"
    notify_rule(alice, channel="alerts", content_regex="hel+o", rate_limit="5m")
    pushed(alice)
    assert channel("rules") == ("seen: notify\n    channel: alerts\n    content: hel+o\n    at most one each: 5m\n    fired 1\n")
    assert json.loads(channel("rules", "--json"))["results"][0]["rateLimit"] == "5m"


def test_a_name_of_a_rule_turns_nothing_around(alice: make.Person) -> None:
    rule(alice, "fix\u202e", mode="auto", prompt="go", tools=("chat_post",))
    assert channel("rules").count("fix?") == 2 and "\u202e" not in channel("rules")


def test_c_96_reload_of_a_file_that_is_gone_names_it_ends_with_1_and_leaves_the_rules(alice: make.Person) -> None:
    notify_rule(alice)
    with pytest.raises(CommandError, match=f"rules/{alice.account.pk}.json") as refusal:
        channel("rules", "reload")
    assert refusal.value.returncode == 1 and Rule.objects.get().name == "seen"


def test_exported_rules_are_reloaded(alice: make.Person, settings: Any, tmp_path: Path) -> None:
    settings.TERTULIA_HOME = tmp_path
    notify_rule(alice)
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / f"{alice.account.pk}.json").write_text(channel("rules", "export"))
    assert channel("rules", "reload") == "1 rule is in force\n"


def test_a_file_of_rules_is_tried_and_changes_nothing(alice: make.Person, tmp_path: Path) -> None:
    push_many(alice, 12)
    file = tmp_path / "rules.json"
    file.write_text('{"rules": [{"name": "r", "mode": "notify", "rateLimit": "1h"}]}')
    shown = channel("rules", "test", str(file))
    assert shown.startswith("r: matches 12 of the newest 12 messages, would fire 1 time\n    #12 prom/alerts 12\n")
    assert shown.endswith("    … and 2 more\n") and not Rule.objects.exists()


def test_c_95_a_file_is_tried_and_reloaded_with_the_mark_that_an_editor_put_before_it(
    alice: make.Person, settings: Any, tmp_path: Path
) -> None:
    settings.TERTULIA_HOME = tmp_path
    file = tmp_path / "rules" / f"{alice.account.pk}.json"
    file.parent.mkdir()
    file.write_text('{"rules": [{"name": "r"}]}', encoding="utf-8-sig")
    assert channel("rules", "test", str(file)).startswith("r: ") and channel("rules", "reload") == "1 rule is in force\n"


def test_c_95_a_file_that_is_too_long_is_told_so_whatever_it_holds(alice: make.Person, settings: Any, tmp_path: Path) -> None:
    settings.TERTULIA_HOME = tmp_path
    notify_rule(alice)
    file = tmp_path / "rules" / f"{alice.account.pk}.json"
    file.parent.mkdir()
    file.write_text('{"rules": [{"name": "r", "prompt": "' + "\N{EURO SIGN}" * 3_500_000 + '"}]}')
    for arguments in (("rules", "reload"), ("rules", "test", str(file))):
        with pytest.raises(CommandError, match="more than 1048576 bytes"):
            channel(*arguments)
    assert Rule.objects.get().name == "seen"


@pytest.mark.parametrize("content", [None, b"\xff", b"[]", b'{"rules": [{"name": "x", "mode": "Notify"}]}'])
def test_a_file_that_holds_no_good_rules_is_one_sentence(alice: make.Person, tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "rules.json"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(CommandError) as refusal:
        channel("rules", "test", str(file))
    assert "\n" not in str(refusal.value) and "Traceback" not in str(refusal.value)
