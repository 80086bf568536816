"""The hub's bare address."""

import json

from django.conf import settings
from django.test import Client


def test_a_person_goes_on_to_his_pages() -> None:
    answer = Client().get("/")
    assert (answer.status_code, answer["Location"]) == (302, "/admin/")


def test_a_client_that_took_it_for_the_mcp_endpoint_is_told_where_that_is() -> None:
    asked = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}
    answer = Client(enforce_csrf_checks=True).post("/", json.dumps(asked), content_type="application/json")
    assert (answer.status_code, answer["Allow"]) == (405, "GET, HEAD")
    assert answer.json()["detail"] == f"MCP is spoken at /mcp of this hub; use {settings.TERTULIA_RESOURCE}."
