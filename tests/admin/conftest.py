"""Signed-in browsers without a browser."""

import pytest
from django.test import Client

from tests import make


def signed_in(who: make.Person) -> Client:
    """A client with a session of `who` that checks CSRF as a browser would meet it only where a test asks."""
    client = Client()
    client.force_login(who.user)
    return client


@pytest.fixture
def as_alice(alice: make.Person) -> Client:
    return signed_in(alice)


@pytest.fixture
def as_charlie(charlie: make.Person) -> Client:
    return signed_in(charlie)


@pytest.fixture
def as_staff(staff: make.Person) -> Client:
    return signed_in(staff)
