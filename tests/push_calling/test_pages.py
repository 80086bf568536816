"""The pages by which an owner signs the hub in."""

from typing import Any
from urllib.parse import urlencode

import pytest
from django.test import Client
from django.urls import reverse

from tests import make
from tests.push_calling.services import SignedService
from tests.pushing import server
from triggers.calling import actions
from triggers.models import PushServer
from triggers.servers.actions import connect_again


@pytest.fixture
def held(alice: make.Person, service: SignedService) -> PushServer:
    return server(alice, "lights", url=f"{service.url}/mcp")


def there(held: PushServer) -> str:
    return reverse("admin:push-server-sign-in", args=[held.pk])


def gone_to(answer: Any) -> str:
    """Where the owner is shown the way to."""
    address: str = answer.context["begun"].address
    return address


def come_back(who: Client, service: SignedService, address: str, **more: str) -> list[str]:
    answer = who.get(f"{reverse('admin:push-server-signed-in')}?{urlencode(service.allow(address, **more))}")
    assert (answer.status_code, answer["location"]) == (302, reverse("admin:push-servers"))
    return [str(each) for each in answer.wsgi_request._messages][-1:]


def test_an_owner_goes_there_and_comes_back_signed_in(as_alice: Client, held: PushServer, service: SignedService) -> None:
    asked = as_alice.get(there(held))
    assert asked.status_code == 200 and b"Sign the hub in to lights?" in asked.content and not service.asked
    shown = as_alice.post(there(held))
    assert f'href="{gone_to(shown).replace("&", "&amp;")}"' in shown.content.decode()
    assert "<code>push</code>" in shown.content.decode()
    assert come_back(as_alice, service, gone_to(shown)) == ["The hub is signed in to lights."]
    held.refresh_from_db()
    assert held.sign_in_encrypted


def test_an_answer_counts_once(as_alice: Client, held: PushServer, service: SignedService) -> None:
    address = gone_to(as_alice.post(there(held)))
    come_back(as_alice, service, address)
    assert "begin it again" in come_back(as_alice, service, address)[0]
    assert len(service.forms("/token")) == 1


def test_an_answer_in_another_browser_counts_for_nothing(
    as_alice: Client, as_charlie: Client, alice: make.Person, held: PushServer, service: SignedService
) -> None:
    address = gone_to(as_alice.post(there(held)))
    other = Client()
    other.force_login(alice.user)
    for who in (other, as_charlie):
        assert "another browser" in come_back(who, service, address)[0]
    assert not service.forms("/token")


def test_sign_ins_in_two_tabs_do_not_disturb_each_other(as_alice: Client, held: PushServer, service: SignedService) -> None:
    first, second = gone_to(as_alice.post(there(held))), gone_to(as_alice.post(there(held)))
    assert come_back(as_alice, service, first) == come_back(as_alice, service, second) == ["The hub is signed in to lights."]


def test_what_hinders_is_said_on_the_page(as_alice: Client, held: PushServer, service: SignedService) -> None:
    service.answers["/register"] = (403, {}, {})
    shown = as_alice.post(there(held)).content.decode()
    assert "give the client id" in shown and "<details" in shown and " open>" in shown


def test_what_the_service_says_is_shown_as_text(as_alice: Client, held: PushServer, service: SignedService) -> None:
    address = gone_to(as_alice.post(there(held)))
    told = come_back(as_alice, service, address, code="", error="x", error_description="<b>no</b>")
    assert told == ["The sign-in service refused: <b>no</b>"]


def test_strangers_get_the_same_answer_for_foreign_and_unknown(as_charlie: Client, held: PushServer) -> None:
    for address in (there(held), reverse("admin:push-server-sign-in", args=[999_999])):
        assert as_charlie.get(address).status_code == as_charlie.post(address).status_code == 404


def test_nobody_who_is_not_signed_in_gets_there(client: Client, held: PushServer) -> None:
    for address in (there(held), reverse("admin:push-server-signed-in")):
        assert client.get(address)["location"].startswith(reverse("sign-in"))


def test_a_post_from_elsewhere_is_refused(alice: make.Person, held: PushServer, service: SignedService) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(alice.user)
    assert strict.post(there(held)).status_code == 403 and not service.asked


def test_nothing_secret_stands_in_the_session_in_clear(as_alice: Client, held: PushServer) -> None:
    as_alice.post(there(held))
    [[_state, sealed]] = as_alice.session["push_sign_ins"]
    assert "verifier" not in sealed and "hub-1" not in sealed


def test_the_document_about_the_hub_names_its_own_address(client: Client, settings: Any) -> None:
    settings.TERTULIA_URL = "https://hub.example.org"
    settings.ALLOWED_HOSTS = ["*"]
    said = client.get("/client-metadata.json").json()
    assert said["client_id"] == "https://hub.example.org/client-metadata.json"
    assert said["redirect_uris"] == ["https://hub.example.org/admin/push-servers/signed-in/"]
    assert (said["token_endpoint_auth_method"], said["application_type"]) == ("none", "web")


def test_a_server_that_refused_a_call_has_the_button_too(as_alice: Client, held: PushServer) -> None:
    pages = [reverse("admin:push-servers"), reverse("admin:push-server", args=[held.pk])]
    assert not [each for each in pages if there(held) in as_alice.get(each).content.decode()]
    actions.note_challenge(held, 'Bearer error="insufficient_scope"')
    assert [each for each in pages if there(held) in as_alice.get(each).content.decode()] == pages


def test_how_it_refused_counts_no_more_once_its_owner_changed_something(alice: make.Person, held: PushServer) -> None:
    actions.note_challenge(held, "Bearer")
    connect_again(alice.actor, held.name)
    held.refresh_from_db()
    assert held.challenge == ""
