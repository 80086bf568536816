"""Routes: what an owner may write down, and that its secret stays one."""

from dataclasses import replace
from typing import Any

import pytest

from audit.models import Entry as Audit
from core.errors import Conflict, Forbidden, Invalid, NotFound
from core.sealing import unseal
from sessions_app.announcing.actions import remove_route, save_route
from sessions_app.models import Route
from tests import make

pytestmark = pytest.mark.django_db
TELEGRAM = "tgram://123456789:abcdefg_hijklmnop/{to}"


def save(who: make.Person, address: str = TELEGRAM, channel: str = "telegram", **more: Any) -> Route:
    return save_route(who.actor, account_id=who.account.pk, channel=channel, address=address, **more)


def test_an_address_is_kept_sealed_and_told_to_nobody(alice: make.Person) -> None:
    route = save(alice)
    assert b"abcdefg" not in bytes(route.address_encrypted) and unseal(route.address_encrypted) == TELEGRAM
    entry = Audit.objects.get(deed="route.saved")
    assert "abcdefg" not in str(entry.details) and entry.details["scheme"] == "tgram"
    assert "abcdefg" not in repr(route) + str(route)


def test_a_blank_address_leaves_the_one_that_is_kept(alice: make.Person) -> None:
    route = save(alice)
    save(alice, "", "telegram", route=route, enabled=False)
    route.refresh_from_db()
    assert not route.enabled and unseal(route.address_encrypted) == TELEGRAM
    with pytest.raises(Invalid):
        save(alice, " ", "slack")


@pytest.mark.parametrize(
    "address",
    [
        "tgram://123456789:abcdefg_hijklmnop/{to}/?thread={thread}",
        "slack://T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ/#{to}",
        "discord://4174216298/JHMHI8qBe7bk2ZwO5U711o3dV_js/",
        "jsons://127.0.0.1:8443/hooks/{to}?+Authorization=Bearer%20x",
        "signal://127.0.0.1:9922/+15551234567/{to}",
        "mmosts://127.0.0.1/token/{to}",
        "ntfys://127.0.0.1/{to}",
        "matrixs://user:pass@127.0.0.1/%23room",
        "rockets://user:pass@127.0.0.1/%23room",
        "nctalks://user:pass@127.0.0.1/{to}",
    ],
)
def test_messengers_that_may_be_kept(alice: make.Person, settings: Any, address: str) -> None:
    settings.PRIVATE_ADDRESSES = True
    assert save(alice, address).scheme == address.partition("://")[0]


@pytest.mark.parametrize(
    "address",
    [
        "", "nonsense", "file:///etc/passwd", "syslog://", "dbus://", "gnome://", "windows://", "macosx://", "smtp://a:b@c.example",
        "mailto://user:pass@gmail.com", "http://example.org", "apprise://localhost/key", "tgram://short", "workflows://h/x/y",
        "tgram://123456789:abcdefg_hijklmnop/{to}\x00", "tgram://123456789:abcdefg_hijklmnop/" + "x" * 1000,
        "slack://T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ/?template=/etc/passwd",
        "discord://4174216298/JHMHI8qBe7bk2ZwO5U711o3dV_js/?avatar_url=http://169.254.169.254/",
        "jsons://127.0.0.1/x?verify=no", "jsons://127.0.0.1/x?redirect=yes", "jsons://127.0.0.1/x?retry=9",
        "matrixs://user:pass@127.0.0.1/%23room?discovery=yes", "ntfys://127.0.0.1/x?attach=file:///etc/passwd",
        "jsons://{to}/x", "jsons://127.0.0.1:80{thread}/x", "jsons://host.invalid/x",
    ],
)  # fmt: skip
def test_addresses_that_may_not_be_kept(alice: make.Person, settings: Any, address: str) -> None:
    settings.PRIVATE_ADDRESSES = True
    with pytest.raises(Invalid) as refusal:
        save(alice, address)
    assert not Route.objects.exists()
    assert not address or address not in refusal.value.detail


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "169.254.169.254", "[::1]", "10.0.0.1"])
@pytest.mark.parametrize("scheme", ["json", "xmls", "form", "mmost", "signal", "matrix", "gotify"])
def test_a_private_address_is_refused_unless_the_server_allows_it(alice: make.Person, scheme: str, host: str) -> None:
    with pytest.raises(Invalid):
        save(alice, f"{scheme}://user:pass@{host}/+15551234567/abcdefghijklmno/{{to}}")


@pytest.mark.parametrize("channel", ["", "webchat", "Internal", "two words", "x" * 33, "a\nb", "é"])
def test_a_channel_is_a_messengers_name(alice: make.Person, channel: str) -> None:
    with pytest.raises(Invalid):
        save(alice, channel=channel)


def test_one_route_a_channel_and_sender(alice: make.Person) -> None:
    save(alice)
    save(alice, to_account="work")
    with pytest.raises(Conflict):
        save(alice)
    with pytest.raises(Invalid):
        save(alice, to_account="x" * 65)


def test_charlie_and_agents_change_no_route(alice: make.Person, charlie: make.Person) -> None:
    route = save(alice)
    with pytest.raises(NotFound):
        save_route(charlie.actor, account_id=alice.account.pk, channel="slack", address=TELEGRAM)
    with pytest.raises(NotFound):
        save_route(charlie.actor, account_id=charlie.account.pk, channel="slack", address=TELEGRAM, route=route)
    with pytest.raises(NotFound):
        remove_route(charlie.actor, route)
    for agent in (make.agent(alice), replace(make.agent(charlie), account_id=alice.account.pk)):
        with pytest.raises(Forbidden):
            save_route(agent, account_id=alice.account.pk, channel="slack", address=TELEGRAM)
        with pytest.raises(Forbidden):
            remove_route(agent, route)
    assert not Route.objects.visible_to(make.agent(alice)).exists()


def test_a_route_that_is_removed_is_gone_and_audited(alice: make.Person) -> None:
    remove_route(alice.actor, save(alice))
    assert not Route.objects.exists() and Audit.objects.filter(deed="route.removed").exists()
