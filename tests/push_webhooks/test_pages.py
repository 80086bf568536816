"""Webhooks on the page Push servers."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from tests.clock import Clock
from tests.push_webhooks.conftest import Service
from triggers.models import Webhook
from triggers.webhooks.values import Shown

LIST, ADD = reverse("admin:push-servers"), reverse("admin:webhook-add")
UNKNOWN = 10**9


def at(page: str, pk: int) -> str:
    return reverse(f"admin:webhook{page}", args=[pk])


def text_of(page: str, code: str) -> str:
    found = re.search(rf'id="{code}" class="hub-code">([^<]+)<', page)
    assert found is not None
    return found.group(1)


def shown_in(page: str, name: str = "hook") -> Shown:
    return Shown(name=name, address=text_of(page, "webhook-address"), secret=text_of(page, "webhook-secret"))


@pytest.mark.parametrize("kind", ["github", "generic"])
def test_what_is_shown_once_opens_the_door_and_is_shown_nowhere_after(kind: str, as_alice: Client, clock: Clock) -> None:
    answer = as_alice.post(ADD, {"name": "hook", "kind": kind})
    shown = shown_in(answer.content.decode())
    service = Service(shown, clock)
    post = service.github if kind == "github" else service.generic
    assert post({"a": 1}).status_code == 202 and "no-store" in answer.headers["Cache-Control"]
    held = Webhook.objects.get()
    for address in (LIST, at("", held.pk), at("-rotate", held.pk), at("-remove", held.pk)):
        page = as_alice.get(address).content.decode()
        assert shown.secret not in page and shown.address not in page


def test_a_new_address_is_asked_for_and_shown_once(generic: Service, as_alice: Client) -> None:
    held = Webhook.objects.get()
    part = as_alice.get(at("-rotate", held.pk), headers={"HX-Request": "true"}).content.decode()
    assert 'id="asked"' in part and generic.generic({"content": "still"}).status_code == 202
    generic.shown = shown_in(as_alice.post(at("-rotate", held.pk)).content.decode(), "ci")
    assert generic.generic({"content": "new"}).status_code == 202


def test_channel_and_switch_are_changed_and_name_and_kind_stay(generic: Service, as_alice: Client) -> None:
    held = Webhook.objects.get()
    as_alice.post(at("", held.pk), {"name": "other", "kind": "github", "channel": "builds"})
    held.refresh_from_db()
    assert (held.name, held.kind, held.channel, held.enabled) == ("ci", "generic", "builds", False)
    assert ">ci</a>" in as_alice.get(LIST).content.decode()


def test_a_channel_that_is_none_is_said_on_the_form_and_nothing_is_changed(generic: Service, as_alice: Client) -> None:
    page = as_alice.post(at("", Webhook.objects.get().pk), {"channel": "a\u202eb", "enabled": "on"})
    assert page.status_code == 200 and page.context["form"].errors and Webhook.objects.get().channel == ""


def test_why_a_delivery_was_refused_is_on_the_page(generic: Service, as_alice: Client) -> None:
    generic.generic({}, secret="guessed")
    assert "the signature does not fit" in as_alice.get(LIST).content.decode()


@pytest.mark.parametrize("given", [{"name": ""}, {"name": "a b"}, {"name": "ci"}, {"kind": "x"}, {"channel": "x" * 201}])
def test_what_is_wrong_is_said_on_the_form_and_nothing_is_made(given: dict[str, str], generic: Service, as_alice: Client) -> None:
    page = as_alice.post(ADD, {"name": "hook", "kind": "generic", **given})
    assert page.status_code == 200 and page.context["form"].errors and Webhook.objects.count() == 1


def test_removing_asks_first(generic: Service, as_alice: Client) -> None:
    held = Webhook.objects.get()
    assert "Remove the webhook ci?" in as_alice.get(at("-remove", held.pk)).content.decode() and Webhook.objects.exists()
    assert as_alice.post(at("-remove", held.pk)).status_code == 302 and not Webhook.objects.exists()


def test_a_foreign_and_an_unknown_webhook_answer_alike(generic: Service, as_charlie: Client, as_staff: Client) -> None:
    held = Webhook.objects.get()
    for browser in (as_charlie, as_staff):
        for page in ("", "-rotate", "-remove"):
            told = []
            for pk in (held.pk, UNKNOWN):
                form = {"channel": "stolen"}
                answers = browser.get(at(page, pk), follow=True), browser.post(at(page, pk), form, follow=True)
                told.append([[str(each) for each in answer.context["messages"]] for answer in answers])
            assert told[0] == told[1] and "That is not there" in told[0][0][0], page
        assert ">ci</a>" not in browser.get(LIST).content.decode()
    assert generic.generic({"content": "still"}).status_code == 202
