"""What an owner does about webhooks."""

import hashlib

import pytest

from audit.models import Entry
from core.actor import system
from core.errors import Conflict, DomainError, Invalid, NotFound, StorageFull
from core.registry import prunings
from core.sealing import unseal
from tests import make, pushing
from tests.push_webhooks.conftest import Service, path_of
from triggers.models import PushMessage, Webhook, WebhookDelivery
from triggers.webhooks import actions
from triggers.webhooks.pruning import forget_account


def token_of(service: Service) -> str:
    return service.shown.address.rpartition("/")[2]


def test_of_an_address_the_hub_keeps_a_digest_and_of_a_secret_what_opens_it(generic: Service) -> None:
    held = Webhook.objects.get()
    token = token_of(generic)
    assert held.digest == hashlib.sha256(token.encode()).hexdigest() and held.prefix == token[:9]
    assert unseal(held.secret_encrypted) == generic.shown.secret
    kept = str(Webhook.objects.values_list()[0])
    assert token not in kept and generic.shown.secret not in kept


def test_a_new_address_and_secret_end_the_ones_before(generic: Service, alice: make.Person) -> None:
    before = generic.shown
    generic.shown = actions.rotate_webhook(alice.actor, "ci")
    assert generic.generic({"content": "new"}).status_code == 202
    assert generic.generic({"content": "x"}, path=path_of(before)).status_code == 404
    assert generic.generic({"content": "x"}, secret=before.secret).status_code == 404


def test_a_webhook_that_was_removed_takes_nothing_and_what_it_told_stays(generic: Service, alice: make.Person) -> None:
    generic.generic({"content": "x"})
    actions.remove_webhook(alice.actor, "ci")
    assert generic.generic({"content": "y"}).status_code == 404
    assert PushMessage.objects.count() == 1 and not Webhook.objects.exists()


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        ({"name": "a b"}, Invalid),
        ({"name": ""}, Invalid),
        ({"kind": "carrier pigeon"}, Invalid),
        ({"channel": "x" * 201}, Invalid),
        ({"channel": "a\nb"}, Invalid),
        ({"name": "ci"}, Conflict),
        ({"name": "listened"}, Conflict),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_made(
    given: dict[str, str], kind: type[DomainError], generic: Service, alice: make.Person
) -> None:
    pushing.server(alice, "listened")
    with pytest.raises(kind):
        actions.make_webhook(alice.actor, **{"name": "new", "kind": "generic", **given})
    assert Webhook.objects.count() == 1


def test_an_account_has_so_many_and_no_more(generic: Service, alice: make.Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(actions, "MOST_WEBHOOKS", 1)
    with pytest.raises(StorageFull):
        actions.make_webhook(alice.actor, name="another", kind="generic")


def test_everything_is_audited_and_nothing_secret_is_in_it(generic: Service, alice: make.Person) -> None:
    actions.change_webhook(alice.actor, "ci", channel="c", enabled=True)
    rotated = actions.rotate_webhook(alice.actor, "ci")
    actions.remove_webhook(alice.actor, "ci")
    entries = list(Entry.objects.filter(target="webhook:ci").order_by("pk"))
    assert [each.deed for each in entries] == ["webhook.added", "webhook.changed", "webhook.rotated", "webhook.removed"]
    kept = str(list(Entry.objects.values()))
    for secret in (generic.shown.secret, rotated.secret, token_of(generic), rotated.address):
        assert secret not in kept


DEEDS = {
    "change": lambda actor: actions.change_webhook(actor, "ci", channel="stolen", enabled=False),
    "rotate": lambda actor: actions.rotate_webhook(actor, "ci"),
    "remove": lambda actor: actions.remove_webhook(actor, "ci"),
}


@pytest.mark.parametrize("deed", DEEDS.values(), ids=DEEDS)
def test_charlie_gets_the_same_answer_to_a_foreign_and_an_unknown_webhook(
    deed: object, generic: Service, charlie: make.Person, alice: make.Person
) -> None:
    with pytest.raises(NotFound) as foreign:
        deed(charlie.actor)  # type: ignore[operator]
    assert generic.generic({"content": "still"}).status_code == 202
    actions.remove_webhook(alice.actor, "ci")
    with pytest.raises(NotFound) as unknown:
        deed(charlie.actor)  # type: ignore[operator]
    assert foreign.value.detail == unknown.value.detail


@pytest.mark.parametrize("deed", [*DEEDS.values(), lambda actor: actions.make_webhook(actor, name="x", kind="generic")])
def test_an_agents_token_decides_nothing_about_webhooks(deed: object, generic: Service, alice: make.Person) -> None:
    with pytest.raises(DomainError) as refused:
        deed(make.agent(alice))  # type: ignore[operator]
    assert refused.value.code == "owner_only" and Webhook.objects.count() == 1
    assert not Webhook.objects.visible_to(make.agent(alice)).exists()


def test_deliveries_are_remembered_as_long_as_they_could_be_sent_again(generic: Service, github: Service) -> None:
    def prune() -> int:
        return prunings.get("deliveries of webhooks")(actor=system(), dry_run=False, progress=lambda _: None)  # type: ignore[misc]

    generic.generic({"content": "x"})
    github.github({"a": 1})
    generic.clock.forward(minutes=61)
    assert prune() == 1 and github.github({"a": 1}).status_code == 409
    generic.clock.forward(days=91)
    assert prune() == 1 and not WebhookDelivery.objects.exists()


def test_an_account_that_goes_takes_its_deliveries_along(generic: Service, alice: make.Person, bob: make.Person) -> None:
    generic.generic({"content": "x"})
    forget_account(bob.account.pk)
    assert WebhookDelivery.objects.count() == 1
    forget_account(alice.account.pk)
    assert not WebhookDelivery.objects.exists()
