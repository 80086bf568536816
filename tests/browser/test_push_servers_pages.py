"""Push servers, webhooks and rules in a real browser: live, at both widths and in both schemes."""

import os
import shutil
import subprocess
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from django.urls import reverse

from core import clock, news
from tests import make, pushing
from tests.browser.conftest import elsewhere
from tests.browser.looks import check_looks, in_every_look
from triggers.models import Listener, PushMessage, PushServer, Rule, ServerLine, Webhook
from triggers.news import servers_key
from triggers.rules import actions as rules
from triggers.values import RuleDraft
from triggers.webhooks import actions as webhooks

if TYPE_CHECKING:
    from playwright.sync_api import Page

    OpenPage = Callable[..., Page]

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
LIVE = "html[data-live=on]"
LONG = "a-rather-long-name.of-some-company.example.org/mcp/" + "with/a/long/path/" * 6


@pytest.fixture
def scene(alice: make.Person, hub: str) -> list[str]:
    """Everything that these pages show; answers their addresses."""
    now = clock.now()
    alice.user.may_run_commands = True
    alice.user.save()
    for state, _words in PushServer.STATES:
        pushing.server(alice, f"s-{state}", state=state, url=f"https://{LONG}", reason=f"It said {LONG}", shed=120_000)
    held = pushing.server(alice, "local", transport="stdio", url="", argv=[f"/usr/local/bin/{'x' * 90}", "--token"], tools_at=now)
    PushServer.objects.filter(pk=held.pk).update(tools=[{"name": "t" * 90, "description": "d " * 200}, {"name": "bare"}])
    ServerLine.objects.create(account=alice.account, server=held, at=now, state="failed", said=LONG)
    for kind in ("github", "generic"):
        webhooks.make_webhook(alice.actor, name=f"w-{kind}", kind=kind, channel="c" * 90 if kind == "generic" else "")
    Webhook.objects.filter(kind="github").update(used_at=now, refused_at=now, refused_why="bad_signature")
    for number in range(14):
        pushing.pushed(alice, f"db down on host {number} {LONG}", channel="alerts/" + "x" * 60)
    rules.save(alice.actor, RuleDraft(name="n" * 64, mode="auto", prompt=LONG, tools=("chat_*", "t" * 90)), was=None)
    rules.save(alice.actor, RuleDraft(name="quiet", enabled=False, content_regex="(?i)down|" + "x" * 200), was=None)
    rule, hook = Rule.objects.get(name="quiet"), Webhook.objects.get(kind="generic")
    named = ("push-servers", "push-server-add", "push-servers-import", "webhook-add", "rules", "rule-add", "rules-import")
    return [
        *(reverse(f"admin:{name}") for name in (*named, "rules-reload")),
        *(reverse(f"admin:{name}", args=[held.pk]) for name in ("push-server", "push-server-edit", "push-server-remove")),
        *(reverse(f"admin:{name}", args=[hook.pk]) for name in ("webhook", "webhook-rotate")),
        reverse("admin:rule", args=[rule.pk]),
    ]


@in_every_look
def test_pages_fit_their_window_and_axe_finds_nothing_serious(
    width: int, scheme: str, alice: make.Person, scene: list[str], open_page: "OpenPage"
) -> None:
    check_looks(open_page(width=width, color_scheme=scheme, who=alice), scene, f"{width}-{scheme}")


def test_a_servers_state_changes_on_the_page_as_its_listener_says_it(alice: make.Person, hub: str, open_page: "OpenPage") -> None:
    held = elsewhere(lambda: pushing.server(alice, "ci"))

    def says(state: str, reason: str) -> None:
        Listener.objects.update_or_create(name="one", defaults={"beat_at": clock.now()})
        PushServer.objects.filter(pk=held.pk).update(state=state, reason=reason)
        news.publish([servers_key(alice.account.pk)])

    pages = [open_page(who=alice) for _ in range(2)]
    for page, address in zip(pages, (reverse("admin:push-servers"), reverse("admin:push-server", args=[held.pk])), strict=True):
        page.goto(address)
        page.locator(LIVE).wait_for(state="attached")
        page.get_by_text("No listener runs").wait_for()
    elsewhere(lambda: says("failed", "The server answered 500."))
    for page in pages:
        page.get_by_text("The server answered 500.").wait_for()
        assert not page.get_by_text("No listener runs").count()
    elsewhere(lambda: says("silent", "The server does not support push."))
    for page in pages:
        page.get_by_text("does not push").wait_for()


def test_fields_of_the_other_transport_are_out_of_the_way(alice: make.Person, scene: list[str], open_page: "OpenPage") -> None:
    page = open_page(who=alice)
    page.goto(reverse("admin:push-server-add"))
    assert page.get_by_label("Address").is_visible() and not page.get_by_label("Command").is_visible()
    page.get_by_label("Transport").select_option("stdio")
    assert page.get_by_label("Command").is_visible() and not page.get_by_label("Address").is_visible()


def test_what_a_rule_would_match_is_told_while_it_is_written_and_saved_by_no_look(
    alice: make.Person, scene: list[str], open_page: "OpenPage"
) -> None:
    page = open_page(who=alice)
    page.goto(reverse("admin:rule-add"))
    would = page.locator("#would-match")
    would.get_by_text("Of the newest 14 messages it matches 14").wait_for()
    page.get_by_label("Content matches").fill("host 1[0-3] ")
    would.get_by_text("it matches 4").wait_for()
    page.get_by_label("Content matches").fill("host (")
    would.get_by_text("invalid contentRegex").wait_for()
    page.get_by_label("Content matches").fill("")
    page.get_by_label("What then").select_option("auto")
    would.get_by_text("runs an agent at every message").wait_for()
    assert elsewhere(Rule.objects.count) == 2


def test_a_rule_is_moved_switched_and_removed_with_the_keyboard(
    alice: make.Person, scene: list[str], open_page: "OpenPage"
) -> None:
    page = open_page(who=alice)
    page.goto(reverse("admin:rules"))
    quiet = elsewhere(lambda: Rule.objects.get(name="quiet").pk)
    page.locator(f"#up-{quiet}").press("Enter")
    page.wait_for_url(f"**/rules/#rule-{quiet}")
    assert elsewhere(lambda: Rule.objects.get(name="quiet").position) == 0
    page.locator(f"#remove-rule-{quiet}").press("Enter")
    page.locator("dialog[open]").get_by_role("button", name="Remove").press("Enter")
    page.get_by_text("quiet is removed.").wait_for()
    assert elsewhere(Rule.objects.count) == 1


@pytest.mark.skipif(not (shutil.which("curl") and shutil.which("openssl")), reason="curl and openssl are not installed")
def test_the_lines_that_the_page_gives_post_a_message_from_a_shell(alice: make.Person, hub: str, open_page: "OpenPage") -> None:
    page = open_page(who=alice)
    page.goto(reverse("admin:webhook-add"))
    page.get_by_label("Its name").fill("ci")
    page.get_by_label("Who posts").select_option("generic")
    page.get_by_role("button", name="Save").click()
    secret, lines = page.locator("#webhook-secret").inner_text(), page.locator(".hub-lines").inner_text()
    posted = subprocess.run(
        ["sh", "-c", lines], env={**os.environ, "SECRET": secret}, capture_output=True, text=True, timeout=30, check=False
    )
    assert posted.stdout == '{"seq": 1}', posted
    told = elsewhere(PushMessage.objects.get)
    assert (told.server, told.channel, told.content) == ("ci", "builds", "Build 12 failed.")
