"""The form of a rule, and what it would match while it is written."""

import pytest
from django.test import Client
from django.urls import reverse

from audit.models import Entry
from tests import make, pushing
from tests.clock import Clock
from tests.push_rules_pages.conftest import kept
from triggers.models import Firing, PushMessage, Rule

LIST, ADD, MATCH = reverse("admin:rules"), reverse("admin:rule-add"), reverse("admin:rule-match")


def edit(rule: Rule) -> str:
    return reverse("admin:rule", args=[rule.pk])


def form(**more: str) -> dict[str, str]:
    return {"name": "alerts", "enabled": "on", "mode": "notify", **more}


def matched(browser: Client, **more: str) -> str:
    answer = browser.post(MATCH, form(**more))
    assert answer.status_code == 200 and "<html" not in answer.content.decode()
    return answer.content.decode()


def test_a_rule_is_made_and_changed_in_its_place(alice: make.Person, as_alice: Client) -> None:
    kept(alice, "first")
    answer = as_alice.post(ADD, form(server="prom", channel="alerts/*", content_regex="(?i) down ", rate_limit="5m"), follow=True)
    held = Rule.objects.get(name="alerts")
    assert (held.position, held.content_regex, held.rate_limit) == (1, "(?i) down ", "5m")
    assert "alerts is saved." in answer.content.decode()
    as_alice.post(edit(held), form(name="renamed", enabled="", dedup_window="1h", tools="chat_*\nsessions_list"))
    (held,) = Rule.objects.exclude(name="first")
    assert (held.name, held.enabled, held.dedup_window, held.tools) == ("renamed", False, "1h", ["chat_*", "sessions_list"])
    assert {"rule.added", "rule.changed"} <= set(Entry.objects.values_list("deed", flat=True))


def test_what_is_kept_stands_in_the_form(alice: make.Person, as_alice: Client) -> None:
    given = {"server": "prom", "channel": "alerts", "content_regex": "down", "mode": "auto", "prompt": "Look {{content}}"}
    held = kept(alice, "alerts", **given, tools=("chat_*",), rate_limit="5m", dedup_window="1h", enabled=False)
    shown = as_alice.get(edit(held)).context["form"]
    assert {name: shown[name].value() for name in given} == given
    assert (shown["tools"].value(), shown["enabled"].value()) == ("chat_*", False)


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"name": ""}, "name"),
        ({"mode": "Notify"}, "mode"),
        ({"content_regex": "("}, "content_regex"),
        ({"content_regex": "(?=x)"}, "content_regex"),
        ({"rate_limit": "5min"}, "rate_limit"),
        ({"dedup_window": "1d"}, "dedup_window"),
        ({"mode": "confirm"}, "prompt"),
        ({"mode": "auto", "prompt": "x"}, "tools"),
        ({"mode": "auto", "tools": "x"}, "prompt"),
        ({"tools": "a*b"}, "tools"),
        ({"name": "taken"}, "name"),
    ],
)
def test_what_is_wrong_is_said_beside_its_field_and_nothing_is_kept(
    given: dict[str, str], field: str, alice: make.Person, as_alice: Client
) -> None:
    kept(alice, "taken")
    page = as_alice.post(ADD, form(**given))
    assert page.status_code == 200 and list(page.context["form"].errors) == [field]
    assert Rule.objects.count() == 1


def test_c_86_the_form_refuses_another_mode_in_the_words_of_the_file(alice: make.Person, as_alice: Client) -> None:
    page = as_alice.post(ADD, form(mode="Notify"))
    assert page.context["form"].errors["mode"] == ['invalid mode "Notify"'] and not Rule.objects.exists()


def test_all_that_is_wrong_with_a_rule_is_said_at_once(alice: make.Person, as_alice: Client) -> None:
    kept(alice, "taken")
    page = as_alice.post(ADD, form(name="taken", mode="auto", content_regex="(", rate_limit="5min"))
    assert set(page.context["form"].errors) == {"name", "prompt", "tools", "content_regex", "rate_limit"}


def test_what_is_wrong_with_another_rule_then_is_said_with_its_name(
    alice: make.Person, as_alice: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = kept(alice, "first")
    kept(alice, "second", content_regex="down")
    monkeypatch.setattr("triggers.rules.checking.REGEX_SIZES", 20)
    page = as_alice.post(edit(first), form(name="first", content_regex="up and away"))
    (told,) = page.context["form"].non_field_errors()
    assert told.startswith('rule "second": invalid contentRegex') and list(page.context["form"].errors) == ["__all__"]


def test_a_rule_that_runs_at_every_message_is_saved_with_a_warning(alice: make.Person, as_alice: Client) -> None:
    given = form(mode="auto", prompt="Look.", tools="chat_*")
    answer = as_alice.post(ADD, given, follow=True)
    assert any("runs an agent at every message" in str(each) for each in answer.context["messages"])
    assert "runs an agent at every message" in as_alice.get(LIST).content.decode()
    told = as_alice.post(edit(Rule.objects.get()), {**given, "rate_limit": "5m"}, follow=True)
    assert [str(each) for each in told.context["messages"]] == ["alerts is saved."]


def test_the_warning_stands_there_before_it_is_saved(as_alice: Client) -> None:
    assert "runs an agent at every message" in matched(as_alice, mode="auto")
    assert "runs an agent" not in matched(as_alice, mode="auto", dedup_window="1h")
    assert "runs an agent" not in matched(as_alice, mode="confirm")


@pytest.mark.parametrize(
    ("mode", "runner", "warned"), [("confirm", "connected", True), ("confirm", "model", False), ("notify", "connected", False)]
)
def test_a_rule_that_no_agent_could_run_is_warned_of_while_it_is_written(
    mode: str, runner: str, warned: bool, alice: make.Person, as_alice: Client
) -> None:
    make.hub_agent(alice, runner=runner)
    shown = as_alice.post(reverse("admin:rule-match"), {"name": "ci", "mode": mode, "prompt": "Look."}).content.decode()
    assert ("cannot run agent" in shown) is warned


def test_while_it_is_written_the_form_tells_what_it_would_match(alice: make.Person, as_alice: Client, clock: Clock) -> None:
    for content in ("all well", "db down", "web down"):
        pushing.pushed(alice, content)
    page = matched(as_alice, content_regex="down")
    assert "Of the newest 3 messages it matches 2, and fires on 2." in page
    assert "db down" in page and "all well" not in page and page.index("web down") < page.index("db down")
    page = matched(as_alice, content_regex="down", rate_limit="5m")
    assert "it matches 2, and fires on 1." in page and "too soon" in page
    assert "it matches 0." in matched(as_alice, server="elsewhere")


def test_a_rule_that_is_not_finished_matches_all_the_same(alice: make.Person, as_alice: Client) -> None:
    pushing.pushed(alice, "db down")
    assert "it matches 1" in matched(as_alice, name="", mode="auto", channel="alerts")


def test_what_is_wrong_with_an_expression_is_said_while_it_is_written(alice: make.Person, as_alice: Client) -> None:
    pushing.pushed(alice)
    assert "invalid contentRegex" in matched(as_alice, content_regex="(")
    assert "invalid rateLimit" in matched(as_alice, rate_limit="soon")


def test_looking_writes_nothing(alice: make.Person, as_alice: Client) -> None:
    pushing.pushed(alice, "db down")
    before = list(PushMessage.objects.values())
    matched(as_alice, content_regex="down")
    as_alice.post(ADD, form(preview="1", content_regex="down"))
    assert not Rule.objects.exists() and not Firing.objects.exists() and list(PushMessage.objects.values()) == before


def test_without_a_script_the_page_shows_the_same(alice: make.Person, as_alice: Client) -> None:
    pushing.pushed(alice, "db down")
    page = as_alice.post(ADD, form(preview="1", content_regex="down")).content.decode()
    assert "it matches 1" in page and 'value="down"' in page


def test_messages_in_the_preview_are_shown_harmless_and_no_more_than_ten(alice: make.Person, as_alice: Client) -> None:
    for each in range(12):
        pushing.pushed(alice, f"<script>{each}</script> \u202e turned")
    page = matched(as_alice)
    assert "<script>" not in page and "\u202e" not in page and page.count("&lt;script&gt;") == 10 and "And 2 more." in page


def test_no_message_of_another_owner_is_matched(alice: make.Person, as_charlie: Client) -> None:
    pushing.pushed(alice, "alices words")
    page = matched(as_charlie)
    assert "alices words" not in page and "No message is stored yet" in page
    assert "alerts" not in as_charlie.get(ADD).context["channels"]


def test_the_form_offers_servers_and_channels_there_are(alice: make.Person, as_alice: Client) -> None:
    pushing.server(alice, "prom")
    pushing.pushed(alice, channel="builds")
    shown = as_alice.get(ADD).context
    assert (shown["servers"], shown["channels"]) == (["prom"], ["builds"])
