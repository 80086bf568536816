"""A browser that asks for Brazilian Portuguese."""

import pytest
from django.test import Client

from tests.admin.conftest import as_alice
from tests.languages.words import PORTUGUESE

__all__ = ["as_alice"]


@pytest.fixture
def brazilian() -> Client:
    return Client(headers=PORTUGUESE)
