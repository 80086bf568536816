"""The door `POST /in/<token>`: who is let in, and what everybody else is told."""

import json
from typing import Any

import pytest
from django.test import Client

from tests import make
from tests.asgi import client, hub, run
from tests.push_webhooks.conftest import Service, path_of
from triggers.models import PushMessage, Webhook, WebhookDelivery
from triggers.webhooks import actions, door
from triggers.webhooks.values import MOST_BYTES

NOBODY = {"error": "not_found", "detail": actions.NOBODY}


def only() -> PushMessage:
    return PushMessage.objects.get()


def test_what_a_service_posts_becomes_a_push_message(generic: Service, alice: make.Person) -> None:
    answer = generic.generic({"channel": "builds", "content": "Build 12 failed."})
    assert answer.status_code == 202 and answer.json() == {"seq": 1}
    told = only()
    assert (told.account_id, told.server, told.channel, told.content) == (alice.account.pk, "ci", "builds", "Build 12 failed.")
    assert (told.unread, told.handled, told.received_at) == (True, False, generic.clock())


def test_an_event_of_github_is_summed_up_in_its_first_line(github: Service) -> None:
    event = {"action": "opened", "repository": {"full_name": "acme/site"}, "sender": {"login": "ann"}}
    github.github({**event, "pull_request": {"number": 7, "title": "Mend\nit"}}, "pull_request")
    headline, body = only().content.split("\n")
    assert headline == "pull_request opened acme/site #7 Mend it by ann" and json.loads(body)["action"] == "opened"
    assert only().channel == "pull_request"


def test_github_may_send_its_event_as_a_form(github: Service) -> None:
    from urllib.parse import urlencode

    body = urlencode({"payload": json.dumps({"ref": "refs/heads/main"})}).encode()
    assert github.github(body, kind="application/x-www-form-urlencoded").status_code == 202
    assert only().content.startswith("push refs/heads/main\n")


def test_the_owner_may_name_the_channel_for_all_that_comes(github: Service, alice: make.Person) -> None:
    actions.change_webhook(alice.actor, "hub", channel=" code ", enabled=True)
    github.github({}, "push")
    assert only().channel == "code"


@pytest.mark.parametrize(
    ("said", "channel", "content"),
    [
        ({"text": "t", "channel": ""}, "webhook", "t"),
        ({"message": "m", "channel": 3}, "webhook", "m"),
        ({"a": 1}, "webhook", '{"a":1}'),
        ({"content": {"a": 1}}, "webhook", '{"content":{"a":1}}'),
        ({"channel": "x" * 201, "text": "t"}, "webhook", "t"),
        ("just a text", "webhook", "just a text"),
        ([1, "é"], "webhook", '[1,"é"]'),
        (None, "webhook", "null"),
    ],
)
def test_any_json_is_taken(said: Any, channel: str, content: str, generic: Service) -> None:
    generic.generic(said)
    assert (only().channel, only().content) == (channel, content)


def test_what_is_no_json_is_said_to_whom_knows_the_secret(generic: Service, github: Service) -> None:
    for answer in (
        generic.generic(b"not json"),
        generic.generic(b"\xff\xfe"),
        generic.generic(b'"\\ud800"'),
        generic.generic(b"[" * 100_000),
        github.github(b"[]"),
        github.github(b"payload=x", kind="application/x-www-form-urlencoded"),
        github.github(b"other=x", kind="application/x-www-form-urlencoded"),
    ):
        assert answer.status_code == 400 and "no JSON" in answer.json()["detail"]
    assert not PushMessage.objects.exists() and not WebhookDelivery.objects.exists()
    assert set(Webhook.objects.values_list("refused_why", flat=True)) == {"not_json"}


def refusals(service: Service) -> dict[str, Any]:
    """What a stranger gets, by what he tried."""
    say, there = {"content": "x"}, path_of(service.shown)
    plain = {"content_type": "application/json", "data": b"{}"}
    return {
        "unknown address": service.generic(say, path="/in/tw-unknown"),
        "no signature": service.client.post(there, **plain),
        "wrong secret": service.generic(say, secret="guessed"),
        "no hexadecimal": service.generic(say, **{"X-Tertulia-Signature": "sha256=zz"}),
        "another digest": service.generic(say, **{"X-Tertulia-Signature": "sha1=" + "0" * 64}),
        "no time": service.generic(say, **{"X-Tertulia-Timestamp": ""}),
        "odd time": service.generic(say, **{"X-Tertulia-Timestamp": "١٢٣"}),
        "another time": service.generic(say, **{"X-Tertulia-Timestamp": "1"}),
        "too old": service.generic(say, age=301),
        "too new": service.generic(say, age=-301),
        "github's signature": service.github({"a": 1}),
    }


def test_a_stranger_is_told_the_same_whatever_he_tries(generic: Service) -> None:
    for tried, answer in refusals(generic).items():
        assert (answer.status_code, answer.json()) == (404, NOBODY), tried
    assert not PushMessage.objects.exists() and not WebhookDelivery.objects.exists()


def test_a_webhook_that_is_off_answers_as_one_that_is_not_there(generic: Service, alice: make.Person) -> None:
    actions.change_webhook(alice.actor, "ci", channel="", enabled=False)
    answer = generic.generic({"content": "x"})
    assert (answer.status_code, answer.json()) == (404, NOBODY)
    assert Webhook.objects.get().refused_why == "off"


def test_a_signed_time_is_good_for_five_minutes_either_way(generic: Service) -> None:
    assert generic.generic({"content": "old"}, age=300).status_code == 202
    assert generic.generic({"content": "new"}, age=-300).status_code == 202
    generic.generic({"content": "older"}, age=301)
    assert Webhook.objects.get().refused_why == "too_old"


def test_a_delivery_is_taken_once(generic: Service, github: Service) -> None:
    for post in (lambda: generic.generic({"content": "x"}), lambda: github.github({"a": 1})):
        assert post().status_code == 202
        again = post()
        assert again.status_code == 409 and "taken before" in again.json()["detail"]
    assert PushMessage.objects.count() == 2


def test_github_s_delivery_is_known_by_what_is_signed_not_by_its_headers(github: Service) -> None:
    github.github({"a": 1}, **{"X-GitHub-Delivery": "one"})
    assert github.github({"a": 1}, "issues", **{"X-GitHub-Delivery": "two"}).status_code == 409


def test_the_same_words_at_another_time_are_another_delivery(generic: Service) -> None:
    generic.generic({"content": "x"})
    generic.clock.forward(seconds=1)
    assert generic.generic({"content": "x"}).status_code == 202


def test_a_delivery_that_was_not_stored_may_be_sent_again(generic: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    from core.errors import Busy

    def busy(*args: object, **kwargs: object) -> None:
        raise Busy("The hub is busy.")

    with monkeypatch.context() as patched:
        patched.setattr(actions, "store", busy)
        answer = generic.generic({"content": "x"})
    assert answer.status_code == 503 and answer.headers["Retry-After"] and not WebhookDelivery.objects.exists()
    assert generic.generic({"content": "x"}).status_code == 202


def test_too_large_a_body_is_refused(generic: Service) -> None:
    assert generic.generic("x" * (MOST_BYTES - 2)).status_code == 202
    assert generic.generic("x" * (MOST_BYTES - 1)).status_code == 413
    assert generic.generic("x" * 4_000_000).status_code == 413


def test_a_body_is_not_read_beyond_what_a_webhook_takes(db: None) -> None:
    async def post() -> int:
        async with hub() as app, client(app) as http:
            answer = await http.post("/in/tw-x", content=b"." * (MOST_BYTES + 1))
            return int(answer.status_code)

    assert run(post()) == 413


def test_nothing_but_post_is_taken(generic: Service) -> None:
    for method in ("get", "put", "delete", "options"):
        assert getattr(Client(), method)(path_of(generic.shown)).status_code == 405


def test_it_is_slowed_down_by_address_and_by_machine(generic: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door, "DELIVERIES", door.Throttle("webhook", limit=2, seconds=60, clock=lambda: 0))
    for number in (1, 2):
        assert generic.generic({"content": number}).status_code == 202
    slowed = generic.generic({"content": 3})
    assert slowed.status_code == 429 and int(slowed.headers["Retry-After"]) > 0
    monkeypatch.setattr(door, "STRANGERS", door.Throttle("webhook-strangers", limit=2, seconds=60, clock=lambda: 0))
    tried = [Client().post(f"/in/tw-{each}", b"{}", content_type="application/json").status_code for each in range(3)]
    assert tried == [404, 404, 429]


def test_what_was_taken_does_not_count_against_its_machine(generic: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door, "STRANGERS", door.Throttle("webhook-strangers", limit=1, seconds=60, clock=lambda: 0))
    assert [generic.generic({"content": str(each)}).status_code for each in range(3)] == [202] * 3


def test_no_cookie_counts_and_none_is_set(generic: Service, alice: make.Person) -> None:
    generic.client.force_login(alice.user)
    answer = generic.client.post(path_of(generic.shown), b"{}", content_type="application/json")
    assert answer.status_code == 404 and not answer.cookies


def test_a_refusal_for_the_same_reason_is_noted_once_a_minute(generic: Service) -> None:
    began = generic.clock()
    for _ in range(3):
        generic.generic({}, secret="guessed")
        generic.clock.forward(seconds=20)
    assert Webhook.objects.get().refused_at == began
    generic.clock.forward(seconds=10)
    generic.generic({}, secret="guessed")
    assert Webhook.objects.get().refused_at == generic.clock()


def test_the_log_holds_no_address_of_a_webhook(generic: Service) -> None:
    from project.logging import without_secrets
    from sessions_app.redaction import redact

    for secret in (generic.shown.address, f"POST {path_of(generic.shown)} 404", f'secret "{generic.shown.secret}"'):
        assert "[removed]" in without_secrets(secret) and generic.shown.address[-20:] not in without_secrets(secret)
        assert redact(secret)[1]
