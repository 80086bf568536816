"""The net beneath the hints about push servers and webhooks."""

from typing import Any

import pytest

from tests import make, pushing
from tests.clock import Clock
from triggers.models import PushServer, Webhook
from triggers.news import server_versions
from triggers.servers import actions


@pytest.mark.parametrize(
    "change",
    [
        lambda who, now: actions.set_enabled(who.actor, "ci", False),
        lambda who, now: actions.request_refresh(who.actor, "ci"),
        lambda who, now: actions.remove_server(who.actor, "ci"),
        lambda who, now: PushServer.objects.update(state="listening", state_at=now),
        lambda who, now: PushServer.objects.update(tools_at=now),
        lambda who, now: Webhook.objects.update(used_at=now),
        lambda who, now: Webhook.objects.all().delete(),
    ],
)
def test_whatever_a_page_shows_changes_the_version_of_its_account_alone(
    change: Any, alice: make.Person, bob: make.Person, clock: Clock
) -> None:
    ids = [str(alice.account.pk), str(bob.account.pk)]
    pushing.server(alice, "ci")
    Webhook.objects.create(account=alice.account, name="w", digest="d", secret_encrypted=b"", created_at=clock())
    before = server_versions(ids)
    change(alice, clock())
    after = server_versions(ids)
    assert after[ids[0]] != before[ids[0]] and after[ids[1]] == before[ids[1]] == ()
