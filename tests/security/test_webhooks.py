"""The door of webhooks as an attacker meets it."""

import gzip
import json
from collections.abc import AsyncIterator
from functools import partial
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.actions import update_user
from accounts.models import User
from core.actor import operator, system
from core.sealing import seal
from tests import make
from tests.admin.conftest import as_alice
from tests.asgi import client, hub, run
from tests.push_webhooks.conftest import Service, generic, github, path_of
from tests.pushing import rule
from triggers.models import Firing, PushMessage, Webhook, WebhookDelivery
from triggers.webhooks import actions, pruning, signing

__all__ = ["as_alice", "generic", "github"]
NOBODY = {"error": "not_found", "detail": actions.NOBODY}
BODY = b'{"content": "x"}'
UNKNOWN = "/in/tw-unknown"
KINDS = [
    "",
    "application/json; charset=nonsense",
    "application/octet-stream;;;=",
    "application/x-www-form-urlencoded",
    "multipart/form-data",
    "multipart/form-data; boundary=x",
    "text/plain; charset=utf-16",
    "text/html" * 500,
    "\u00e9/x",
]


def signed(service: Service, body: bytes = BODY) -> dict[str, str]:
    at = str(int(service.clock().timestamp()))
    right = signing.signature(service.shown.secret, signing.timed(at, body))
    return {"X-Tertulia-Timestamp": at, "X-Tertulia-Signature": f"sha256={right}"}


@pytest.mark.parametrize("kind", KINDS)
def test_no_content_type_makes_the_hub_fail_or_lets_anybody_in(kind: str, generic: Service) -> None:
    def post(body: bytes, headers: dict[str, str]) -> Any:
        return generic.client.generic("POST", path_of(generic.shown), body, content_type=kind, headers=headers)

    refused = post(b"--x\r\n", {})
    assert (refused.status_code, refused.json()) == (404, NOBODY)
    assert post(BODY, signed(generic)).status_code == 202


def tricks(given: dict[str, str]) -> dict[str, tuple[list[tuple[str, str]], bytes]]:
    """What is sent with a signature of `BODY` that is right, by what is wrong with it."""
    (_, at), (_, right) = time, signature = list(given.items())
    wrong = ("X-Tertulia-Signature", "sha256=" + "0" * 64)
    return {
        "another body": ([time, signature], BODY + b" "),
        "no body": ([time, signature], b""),
        "packed": ([time, signature, ("Content-Encoding", "gzip")], gzip.compress(BODY)),
        "a wrong signature first": ([time, wrong, signature], BODY),
        "a wrong signature last": ([time, signature, wrong], BODY),
        "two times": ([time, time, signature], BODY),
        "a signature of nothing": ([time, ("X-Tertulia-Signature", "sha256=")], BODY),
        "the signature without its name": ([time, ("X-Tertulia-Signature", right.removeprefix("sha256="))], BODY),
        "the name of an older digest": ([time, ("X-Tertulia-Signature", right.replace("sha256", "sha1"))], BODY),
        "in the header of GitHub": ([time, ("X-Hub-Signature-256", right)], BODY),
        "the time moved into the body": ([("X-Tertulia-Timestamp", ""), signature], f"{at}.".encode() + BODY),
    }


@pytest.mark.django_db(transaction=True)
def test_no_second_header_no_packing_and_no_piece_of_a_signature_lets_anybody_in(generic: Service) -> None:
    async def pieces() -> AsyncIterator[bytes]:
        yield BODY[:3]
        yield BODY[3:]

    async def post() -> None:
        async with hub() as app, client(app) as http:
            for trick, (headers, body) in tricks(signed(generic)).items():
                answer = await http.post(path_of(generic.shown), content=body, headers=headers)
                assert (answer.status_code, answer.json()) == (404, NOBODY), trick
            answer = await http.post(path_of(generic.shown), content=pieces(), headers=signed(generic))
            assert answer.status_code == 202

    run(post())
    assert PushMessage.objects.count() == WebhookDelivery.objects.count() == 1


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND"])
def test_no_other_method_tells_an_address_from_one_that_is_not_there(method: str, generic: Service) -> None:
    answers = [Client().generic(method, path) for path in (path_of(generic.shown), UNKNOWN)]
    assert [each.status_code for each in answers] == [405, 405]
    assert len({(each.content, *sorted((name, value) for name, value in each.items())) for each in answers}) == 1


def test_a_secret_that_no_key_opens_any_more_is_no_answer_of_its_own(generic: Service, as_alice: Client) -> None:
    """It was an error of the hub's, told apart from an unknown address, and nobody was told what to do."""
    Webhook.objects.update(secret_encrypted=seal("x")[:-4] + b"xxxx")
    for answer in (generic.generic({"content": "x"}), generic.client.post(path_of(generic.shown), b"{}", content_type="a/b")):
        assert (answer.status_code, answer.json()) == (404, NOBODY)
    assert "opens its secret no more" in as_alice.get(reverse("admin:push-servers")).content.decode()


def test_a_secret_that_no_key_opens_is_not_the_one_that_stands_in_for_it(
    generic: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(actions, "_NO_SECRET", "known")
    Webhook.objects.update(secret_encrypted=b"nonsense")
    assert generic.generic({"content": "x"}, secret="known").status_code == 404
    assert not PushMessage.objects.exists()


def test_the_webhooks_of_an_owner_who_is_switched_off_take_nothing(generic: Service, github: Service, alice: make.Person) -> None:
    """Their addresses stored on, and set off runs, when all else of the account had ended."""
    rule(alice, channel="*")
    switch(alice, on=False)
    answers = [generic.generic(json.loads(BODY)), github.github({"ref": "x"})]
    assert [(each.status_code, each.json()) for each in answers] == [(404, NOBODY)] * 2
    assert not (PushMessage.objects.exists() or Firing.objects.exists() or WebhookDelivery.objects.exists())
    switch(alice, on=True)
    assert generic.generic(json.loads(BODY)).status_code == 202


def switch(who: make.Person, *, on: bool) -> None:
    update_user(operator(), user_id=who.user.pk, is_active=on)
    assert User.objects.get(pk=who.user.pk).is_active is on


def test_who_knows_a_secret_does_not_fill_the_disk_with_what_is_remembered(
    generic: Service, github: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pruning, "MOST", 2)
    for number in range(4):
        github.github({"number": number})
    generic.generic(json.loads(BODY))
    gone: list[int] = []
    prune = partial(pruning.prune_deliveries, actor=system(), progress=gone.append)
    assert (prune(dry_run=True), gone) == (2, [])
    assert (prune(dry_run=False), gone) == (2, [2])
    assert [github.github({"number": number}).status_code for number in (2, 3)] == [409, 409]
    assert WebhookDelivery.objects.count() == 3
