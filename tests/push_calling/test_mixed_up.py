"""A sign-in service that sends owners to another one, and wants what that one gives them."""

from urllib.parse import urlsplit

from django.test import Client
from django.urls import reverse

from tests import make
from tests.push_calling.services import SignedService
from tests.pushing import server


def shown(who: make.Person, browser: Client, service: SignedService) -> str:
    held = server(who, "lights", url=f"{service.url}/mcp")
    return browser.post(reverse("admin:push-server-sign-in", args=[held.pk])).content.decode()


def test_the_owner_is_told_where_what_he_allows_goes(alice: make.Person, as_alice: Client, service: SignedService) -> None:
    service.metadata = {"authorization_endpoint": "https://trusted.example.org/authorize"}
    page = shown(alice, as_alice, service)
    assert "Go on at trusted.example.org" in page
    assert f"is handed to {urlsplit(service.url).netloc}, which is not trusted.example.org." in page


def test_where_both_are_one_there_is_nothing_to_tell(alice: make.Person, as_alice: Client, service: SignedService) -> None:
    assert "is handed to" not in shown(alice, as_alice, service)
