"""What is shown to a push server: its owner's headers and the token of his sign-in."""

import json
from typing import Any

import pytest
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken

from core import clock as hub_clock
from core.errors import Invalid
from core.sealing import seal
from tests import make
from tests.asgi import run
from tests.clock import Clock
from tests.push_calling.services import SignedService
from tests.pushing import server
from triggers.calling import credentials
from triggers.calling.credentials import headers_for
from triggers.calling.signing.keeping import SignIn, opened
from triggers.models import PushServer


def signed(who: make.Person, service: SignedService, *, seconds: int | None = 3600, refresh: str | None = "r-1") -> PushServer:
    token = OAuthToken(access_token="old", expires_in=seconds, refresh_token=refresh)
    client = OAuthClientInformationFull(client_id="hub-1", token_endpoint_auth_method="none")
    now = hub_clock.now()
    url = f"{service.url}/mcp"
    held = SignIn(server_url=url, token_endpoint=f"{service.url}/token", resource=url, client=client, issued_at=now)
    return server(who, "lights", url=url, sign_in_encrypted=held.renewed(token, now).sealed())


def kept(held: PushServer) -> SignIn:
    held.refresh_from_db()
    found = opened(held.sign_in_encrypted)
    assert found is not None
    return found


def test_a_server_without_secrets_is_shown_nothing(alice: make.Person) -> None:
    assert run(headers_for(server(alice, "lights"))) == {}


def test_the_owners_headers_are_shown(alice: make.Person) -> None:
    held = server(alice, "lights", headers_encrypted=seal(json.dumps({"X-Key": "secret"})))
    assert run(headers_for(held)) == {"X-Key": "secret"}


def test_headers_that_another_key_sealed_are_refused_with_a_sentence(alice: make.Person) -> None:
    with pytest.raises(Invalid, match="save its headers again"):
        run(headers_for(server(alice, "lights", headers_encrypted=b"nonsense")))


def test_a_sign_in_stands_in_the_place_of_an_authorization_header(alice: make.Person, service: SignedService) -> None:
    held = signed(alice, service)
    PushServer.objects.filter(pk=held.pk).update(headers_encrypted=seal(json.dumps({"authorization": "Basic x", "A": "b"})))
    assert run(headers_for(held)) == {"A": "b", "Authorization": "Bearer old"}
    assert not service.asked


def test_a_token_goes_to_no_other_address_than_it_is_for(alice: make.Person, service: SignedService) -> None:
    held = signed(alice, service)
    PushServer.objects.filter(pk=held.pk).update(url="https://elsewhere.example.org/mcp")
    assert run(headers_for(held)) == run(headers_for(held, renew=True)) == {} and not service.asked


def test_a_token_near_its_end_is_renewed_and_kept(alice: make.Person, service: SignedService, clock: Clock) -> None:
    held = signed(alice, service)
    clock.forward(minutes=59, seconds=31)
    assert run(headers_for(held)) == {"Authorization": "Bearer token-1"}
    assert service.forms("/token") == [
        {"grant_type": "refresh_token", "refresh_token": "r-1", "client_id": "hub-1", "resource": f"{service.url}/mcp"}
    ]
    assert run(headers_for(held)) == {"Authorization": "Bearer token-1"} and len(service.asked) == 1
    assert kept(held).token == OAuthToken(access_token="token-1", expires_in=3600, refresh_token="refresh-2")


def test_a_token_that_the_server_refused_is_renewed_once(alice: make.Person, service: SignedService, clock: Clock) -> None:
    held = signed(alice, service)
    clock.forward(minutes=1)
    assert run(headers_for(held, renew=True)) == {"Authorization": "Bearer token-1"}
    assert run(headers_for(held, renew=True)) == {"Authorization": "Bearer token-1"}
    assert len(service.asked) == 1


def test_a_token_without_an_end_is_used_until_it_is_refused(alice: make.Person, service: SignedService, clock: Clock) -> None:
    held = signed(alice, service, seconds=None)
    clock.forward(days=900)
    assert run(headers_for(held)) == {"Authorization": "Bearer old"} and not service.asked


def test_a_token_that_ended_and_cannot_be_renewed_is_not_shown(alice: make.Person, service: SignedService, clock: Clock) -> None:
    held = signed(alice, service, refresh=None)
    clock.forward(hours=2)
    assert run(headers_for(held)) == {} and not service.asked


def test_a_refresh_token_that_is_not_returned_is_used_again(alice: make.Person, service: SignedService, clock: Clock) -> None:
    service.answers["/token"] = (200, {}, {"access_token": "next", "token_type": "Bearer", "expires_in": 60})
    held = signed(alice, service)
    clock.forward(hours=2)
    run(headers_for(held))
    token = kept(held).token
    assert token is not None and (token.access_token, token.refresh_token) == ("next", "r-1")


def test_a_refused_renewal_is_asked_once_and_the_client_stays(alice: make.Person, service: SignedService, clock: Clock) -> None:
    service.answers["/token"] = (400, {}, {"error": "invalid_grant"})
    held = signed(alice, service)
    clock.forward(hours=2)
    assert run(headers_for(held)) == run(headers_for(held)) == {}
    assert len(service.asked) == 1
    assert kept(held).token is None and kept(held).client.client_id == "hub-1"


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param((503, {}, {}), id="503"),
        pytest.param((200, {}, b"<html>"), id="no JSON"),
        pytest.param((200, {"content-encoding": "gzip"}, b"\x1f\x8b\x08"), id="compressed"),
        pytest.param((200, {}, b"{" + b" " * 300_000 + b"}"), id="long"),
        pytest.param((307, {"location": "/token"}, {}), id="endless redirect"),
        pytest.param((307, {"location": "http://127.0.0.1:9/token"}, {}), id="redirect elsewhere"),
    ],
)
def test_a_service_that_fails_for_now_costs_no_sign_in(
    alice: make.Person, service: SignedService, clock: Clock, answer: Any
) -> None:
    service.answers["/token"] = answer
    held = signed(alice, service)
    clock.forward(hours=2)
    assert run(headers_for(held)) == {}
    del service.answers["/token"]
    assert run(headers_for(held)) == {"Authorization": "Bearer token-1"}


def test_who_finds_it_being_renewed_waits_for_what_comes_of_it(
    alice: make.Person, service: SignedService, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(credentials, "LOOK_SECONDS", 0)
    held = signed(alice, service)
    clock.forward(hours=2)
    claimed = kept(held).claimed(hub_clock.now())
    PushServer.objects.filter(pk=held.pk).update(sign_in_encrypted=claimed.sealed())
    looks: list[int] = []

    def look(server_id: int) -> credentials.Held:
        looks.append(server_id)
        if len(looks) == 4:
            done = claimed.renewed(OAuthToken(access_token="theirs", expires_in=3600), hub_clock.now())
            PushServer.objects.filter(pk=held.pk).update(sign_in_encrypted=done.sealed())
        return read(server_id)

    read = credentials._held
    monkeypatch.setattr(credentials, "_held", look)
    assert run(headers_for(held)) == {"Authorization": "Bearer theirs"} and not service.asked


def test_a_claim_of_a_process_that_died_ends(alice: make.Person, service: SignedService, clock: Clock) -> None:
    held = signed(alice, service)
    clock.forward(hours=2)
    PushServer.objects.filter(pk=held.pk).update(sign_in_encrypted=kept(held).claimed(hub_clock.now()).sealed())
    clock.forward(seconds=41)
    assert run(headers_for(held)) == {"Authorization": "Bearer token-1"}


def test_private_addresses_are_not_called(alice: make.Person, service: SignedService, clock: Clock, settings: Any) -> None:
    settings.PRIVATE_ADDRESSES = False
    held = signed(alice, service)
    clock.forward(hours=2)
    assert run(headers_for(held)) == {} and not service.asked


def test_tokens_stand_in_no_log_and_no_row_in_clear(
    alice: make.Person, service: SignedService, clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    held = signed(alice, service)
    clock.forward(hours=2)
    run(headers_for(held))
    held.refresh_from_db()
    assert b"token-1" not in bytes(held.sign_in_encrypted) and "token-1" not in capsys.readouterr().out
