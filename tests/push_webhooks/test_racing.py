"""The same delivery, sent by several at once."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connections

from core.errors import Conflict
from tests import make
from tests.clock import Clock
from triggers.models import PushMessage, WebhookDelivery
from triggers.webhooks import actions, signing
from triggers.webhooks.values import Delivery


@pytest.mark.django_db(transaction=True)
def test_of_one_delivery_that_several_send_at_once_one_is_taken(alice: make.Person, clock: Clock) -> None:
    shown = actions.make_webhook(alice.actor, name="ci", kind="generic")
    timestamp = str(int(clock().timestamp()))
    signed = signing.signature(shown.secret, signing.timed(timestamp, b"{}"))
    delivery = Delivery(body=b"{}", signature=f"sha256={signed}", timestamp=timestamp)

    def post(_number: int) -> str:
        try:
            return str(actions.deliver(shown.address.rpartition("/")[2], delivery))
        except Conflict:
            return "taken"
        finally:
            connections.close_all()

    with ThreadPoolExecutor(6) as several:
        told = sorted(several.map(post, range(6)))
    assert told == ["1"] + ["taken"] * 5
    assert PushMessage.objects.count() == WebhookDelivery.objects.count() == 1
