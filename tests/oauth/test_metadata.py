"""The well-known documents clients find the authorization server by (clients.md §0.8, replay rows 1–3, 20)."""

import pytest
from django.conf import settings
from django.test import Client

from tests.oauth import driver

pytestmark = pytest.mark.django_db
WELL_KNOWN = "/.well-known/oauth-protected-resource"


def members(value: object) -> list[object]:
    """Every value within a document."""
    if isinstance(value, dict):
        return [each for inner in value.values() for each in members(inner)]
    if isinstance(value, list):
        return [each for inner in value for each in members(inner)]
    return [value]


@pytest.mark.parametrize("slash", ["", "/"])
def test_row_1_each_spelling_of_the_address_has_a_document_that_names_that_spelling(browser: Client, slash: str) -> None:
    answer = browser.get(f"{WELL_KNOWN}/mcp{slash}")
    assert answer.status_code == 200
    assert answer.json()["resource"] == f"{settings.TERTULIA_URL}/mcp{slash}"


def test_row_2_the_document_at_the_root_names_the_whole_endpoint(browser: Client) -> None:
    assert browser.get(WELL_KNOWN).json()["resource"] == f"{settings.TERTULIA_URL}/mcp"


def test_row_3_another_path_has_no_document(browser: Client) -> None:
    answer = browser.get(f"{WELL_KNOWN}/other")
    assert answer.status_code == 404
    assert answer.json()["error"] == "not_found"


@pytest.mark.parametrize("path", [WELL_KNOWN, f"{WELL_KNOWN}/mcp", "/.well-known/oauth-authorization-server"])
def test_row_20_no_member_is_null(browser: Client, path: str) -> None:
    document = browser.get(path).json()
    assert document
    assert None not in members(document)


def test_the_issuer_is_the_same_bytes_everywhere_and_ends_without_a_slash(browser: Client) -> None:
    issuer = driver.metadata(browser)["issuer"]
    assert issuer == settings.TERTULIA_URL
    assert not issuer.endswith("/")
    assert browser.get(f"{WELL_KNOWN}/mcp").json()["authorization_servers"] == [issuer]


def test_the_documents_do_not_follow_the_host_that_was_asked() -> None:
    document = Client(headers={"host": "127.0.0.1"}).get("/.well-known/oauth-authorization-server").json()
    addresses = [each for each in members(document) if isinstance(each, str) and each.startswith("http")]
    assert len(addresses) >= 6
    assert all(each.startswith(settings.TERTULIA_URL) for each in addresses)


def test_the_metadata_offers_what_clients_look_for(browser: Client) -> None:
    document = driver.metadata(browser)
    assert document["code_challenge_methods_supported"] == ["S256"]
    assert document["response_types_supported"] == ["code"]
    assert "none" in document["token_endpoint_auth_methods_supported"]
    assert document["client_id_metadata_document_supported"] is True
    assert document["authorization_response_iss_parameter_supported"] is True
    assert document["grant_types_supported"] == [
        "authorization_code",
        "refresh_token",
        "urn:ietf:params:oauth:grant-type:device_code",
    ]


@pytest.mark.parametrize(
    "name",
    ["authorization_endpoint", "token_endpoint", "registration_endpoint", "revocation_endpoint", "device_authorization_endpoint"],
)
def test_every_endpoint_in_the_metadata_answers(browser: Client, name: str) -> None:
    address = driver.metadata(browser)[name]
    answer = browser.get(address.removeprefix(settings.TERTULIA_URL))
    assert answer.status_code in {400, 405}


def test_introspection_is_not_offered(browser: Client) -> None:
    assert not [name for name in driver.metadata(browser) if name.startswith("introspection")]


def test_scopes_are_the_registered_ones_and_offline_access_is_none_of_them(browser: Client) -> None:
    from core.registry import scopes

    for document in (driver.metadata(browser), browser.get(WELL_KNOWN).json()):
        assert document["scopes_supported"] == sorted(scopes.names())
        assert "mcp" in document["scopes_supported"]
        assert "offline_access" not in document["scopes_supported"]


def test_tokens_go_in_the_header_only(browser: Client) -> None:
    assert browser.get(WELL_KNOWN).json()["bearer_methods_supported"] == ["header"]


@pytest.mark.parametrize(
    "path",
    [
        "/.well-known/oauth-authorization-server/mcp",
        "/.well-known/openid-configuration",
        "/.well-known/openid-configuration/mcp",
        "/.well-known/jwks.json",
    ],
)
def test_a_document_we_do_not_have_is_a_plain_json_404(browser: Client, path: str) -> None:
    answer = browser.get(path)
    assert answer.status_code == 404
    assert answer["Content-Type"] == "application/json"
    assert "oauth-authorization-server" in answer.json()["error_description"]


@pytest.mark.parametrize("path", [WELL_KNOWN, "/.well-known/oauth-authorization-server", "/oauth/token", "/oauth/register"])
def test_pages_of_other_origins_may_call_what_programs_call(browser: Client, path: str) -> None:
    preflight = browser.options(path, headers={"origin": "http://localhost:6274", "access-control-request-method": "POST"})
    assert preflight.status_code == 204
    assert preflight["Access-Control-Allow-Origin"] == "*"
    assert "MCP-Protocol-Version" in preflight["Access-Control-Allow-Headers"]
    assert browser.get(path)["Access-Control-Allow-Origin"] == "*"


@pytest.mark.parametrize("path", ["/sign-in/", "/oauth/authorize", "/oauth/device"])
def test_pages_for_people_are_closed_to_other_origins(browser: Client, path: str) -> None:
    assert "Access-Control-Allow-Origin" not in browser.get(path, headers={"origin": "https://evil.example"}).headers
