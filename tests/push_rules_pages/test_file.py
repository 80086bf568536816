"""Rules as a file: dry run, import, export, reload."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from audit.models import Entry
from tests import make, pushing
from tests.push_rules_pages.conftest import kept, names
from triggers.models import Rule

LIST, IMPORT = reverse("admin:rules"), reverse("admin:rules-import")
EXPORT, RELOAD = reverse("admin:rules-export"), reverse("admin:rules-reload")
AUTO = {"name": "auto", "mode": "auto", "prompt": "Look.", "tools": ["chat_*"], "contentRegex": "down"}


def told(*rules: dict[str, Any]) -> str:
    return json.dumps({"rules": rules})


def test_what_is_exported_is_imported_again(alice: make.Person, as_alice: Client, as_charlie: Client) -> None:
    kept(alice, "first", server="prom", rate_limit="5m")
    kept(alice, "second", mode="confirm", prompt="Ask", enabled=False)
    answer = as_alice.get(EXPORT)
    assert "attachment" in answer.headers["Content-Disposition"] and "no-store" in answer.headers["Cache-Control"]
    page = as_charlie.post(IMPORT, {"text": answer.content.decode()}, follow=True)
    assert "2 rules are in force." in page.content.decode()
    assert as_charlie.get(EXPORT).content == answer.content


def test_a_dry_run_tells_what_each_rule_would_do_and_changes_nothing(alice: make.Person, as_alice: Client) -> None:
    kept(alice, "stays")
    pushing.pushed(alice, "db down")
    pushing.pushed(alice, "all well")
    page = as_alice.post(IMPORT, {"text": told(AUTO), "try": "1"}).content.decode()
    assert "matches 1 of 2 stored messages, fires on 1" in page and "runs an agent at every message" in page
    assert "&quot;contentRegex&quot;" in page and names(alice) == ["stays"]


def test_a_dry_run_of_a_file_leaves_its_text_to_be_imported(alice: make.Person, as_alice: Client) -> None:
    file = SimpleUploadedFile("rules.json", told({"name": "one"}).encode())
    page = as_alice.post(IMPORT, {"file": file, "try": "1"})
    as_alice.post(IMPORT, {"text": page.context["form"]["text"].value()})
    assert names(alice) == ["one"]


def test_warnings_are_said_when_the_rules_are_in_force(alice: make.Person, as_alice: Client) -> None:
    answer = as_alice.post(IMPORT, {"text": told(AUTO)}, follow=True)
    assert any("runs an agent at every message" in str(each) for each in answer.context["messages"])


@pytest.mark.parametrize(
    "text",
    ["", "{", '{"rules": 3}', told({"name": "a"}, {"name": "a"}), told({"name": "a"}, {"name": "b", "mode": "Notify"})],
)
@pytest.mark.parametrize("tried", [{}, {"try": "1"}])
def test_all_rules_go_in_or_none(text: str, tried: dict[str, str], alice: make.Person, as_alice: Client) -> None:
    kept(alice, "stays")
    page = as_alice.post(IMPORT, {"text": text, **tried})
    assert page.status_code == 200 and page.context["form"].errors and names(alice) == ["stays"]


def test_what_is_wrong_names_rule_and_value(as_alice: Client) -> None:
    page = as_alice.post(IMPORT, {"text": told({"name": "b", "mode": "Notify"})}).content.decode()
    assert "rule &quot;b&quot;: invalid mode &quot;Notify&quot;" in page


def test_reloading_asks_and_takes_the_accounts_own_file(
    alice: make.Person, as_alice: Client, tmp_path: Path, settings: Any
) -> None:
    settings.TERTULIA_HOME = tmp_path
    kept(alice, "before")
    asked = as_alice.get(RELOAD, headers={"HX-Request": "true"}).content.decode()
    assert f"rules/{alice.account.pk}.json" in asked and "<html" not in asked
    answer = as_alice.post(RELOAD, follow=True)
    assert "There is no file" in answer.content.decode() and names(alice) == ["before"]
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / f"{alice.account.pk}.json").write_text(told({"name": "after"}))
    answer = as_alice.post(RELOAD, headers={"HX-Request": "true"})
    assert answer.headers["HX-Redirect"] == LIST and names(alice) == ["after"]
    assert Entry.objects.filter(deed="rules.replaced", who=alice.user.email, door="page").exists()


def test_a_file_of_another_account_is_nobody_elses(
    alice: make.Person, charlie: make.Person, as_charlie: Client, tmp_path: Path, settings: Any
) -> None:
    settings.TERTULIA_HOME = tmp_path
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / f"{alice.account.pk}.json").write_text(told({"name": "alices"}))
    as_charlie.post(RELOAD)
    assert not Rule.objects.exists()
