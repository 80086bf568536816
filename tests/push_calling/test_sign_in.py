"""An owner signs the hub in to a push server: found, registered, asked, exchanged."""

from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from audit.models import Entry
from core.errors import Conflict, DomainError, Forbidden, Gone, Invalid, NotFound
from tests import make
from tests.asgi import run
from tests.clock import Clock
from tests.push_calling.services import SignedService, signed_service
from tests.pushing import server
from triggers.calling import actions
from triggers.calling.credentials import headers_for
from triggers.calling.signing import exchange
from triggers.calling.signing.flow import Begun, Returned
from triggers.calling.signing.keeping import opened
from triggers.models import PushServer

CALLBACK = "/admin/push-servers/signed-in/"


def behind(who: make.Person, service: SignedService, **more: Any) -> PushServer:
    return server(who, "lights", url=f"{service.url}/mcp", **more)


def finished(who: make.Person, service: SignedService, begun: Begun, **more: str) -> PushServer:
    return actions.finish_sign_in(who.actor, begun.pending.sealed(), Returned(**service.allow(begun.address, **more)))


def query(begun: Begun) -> dict[str, str]:
    return dict(parse_qsl(urlsplit(begun.address).query))


def test_the_hub_is_signed_in(alice: make.Person, service: SignedService) -> None:
    held = behind(alice, service, challenge="")
    kept = finished(alice, service, actions.begin_sign_in(alice.actor, held.pk))
    assert run(headers_for(kept)) == {"Authorization": "Bearer token-1"}
    assert kept.version == held.version + 1
    registered, asked = service.forms("/register")[0], service.forms("/token")[0]
    assert registered["client_name"] == "Tertulia" and registered["grant_types"] == ["authorization_code", "refresh_token"]
    assert (asked["resource"], asked["client_id"], asked["code"]) == (f"{service.url}/mcp", "hub-1", "code-1")
    assert asked["redirect_uri"].endswith(CALLBACK) and registered["redirect_uris"] == [asked["redirect_uri"]]


def test_a_server_that_waited_for_it_waits_for_its_listener_now(alice: make.Person, service: SignedService) -> None:
    held = behind(alice, service, state=PushServer.SIGN_IN, reason="The server wants you to sign in.")
    kept = finished(alice, service, actions.begin_sign_in(alice.actor, held.pk))
    assert (kept.state, kept.reason) == (PushServer.WAITING, "")


def test_the_service_is_asked_with_proof_state_resource_and_scope(alice: make.Person, service: SignedService) -> None:
    begun = actions.begin_sign_in(alice.actor, behind(alice, service).pk)
    asked = query(begun)
    assert (asked["response_type"], asked["code_challenge_method"], asked["scope"]) == ("code", "S256", "push")
    assert asked["resource"] == f"{service.url}/mcp" and len(asked["state"]) > 40 and len(asked["code_challenge"]) == 43
    assert begun.host == urlsplit(service.url).netloc and begun.scopes == ["push"]


def test_what_the_server_said_when_it_refused_leads_the_way(alice: make.Person, service: SignedService) -> None:
    service.answers["/elsewhere"] = service._well_known_oauth_protected_resource_mcp({}, {})
    held = behind(alice, service, challenge=f'Bearer scope="a b", resource_metadata="{service.url}/elsewhere"')
    assert query(actions.begin_sign_in(alice.actor, held.pk))["scope"] == "a b"
    assert service.paths()[0] == "/elsewhere"


def test_more_is_asked_for_on_top_of_what_was_granted(alice: make.Person, service: SignedService) -> None:
    kept = finished(alice, service, actions.begin_sign_in(alice.actor, behind(alice, service).pk))
    actions.note_challenge(kept, 'Bearer error="insufficient_scope", scope="write"')
    begun = actions.begin_sign_in(alice.actor, kept.pk)
    assert query(begun)["scope"] == "push write"
    assert finished(alice, service, begun).challenge == ""


def test_a_client_that_was_registered_by_hand_is_used_and_remembered(alice: make.Person, service: SignedService) -> None:
    service.metadata = {"registration_endpoint": None, "token_endpoint_auth_methods_supported": ["client_secret_basic"]}
    held = behind(alice, service)
    with pytest.raises(Invalid, match="give the client id"):
        actions.begin_sign_in(alice.actor, held.pk)
    finished(alice, service, actions.begin_sign_in(alice.actor, held.pk, client_id=" mine ", client_secret="s"))
    again = actions.begin_sign_in(alice.actor, held.pk)
    assert query(again)["client_id"] == "mine"
    finished(alice, service, again)
    assert [each[3]["authorization"] for each in service.asked if each[1] == "/token"] == ["Basic bWluZTpz"] * 2


@pytest.mark.parametrize(("way", "told"), [("client_secret_basic", "authorization"), ("client_secret_post", "client_secret")])
def test_a_secret_is_shown_as_the_service_wants_it(alice: make.Person, service: SignedService, way: str, told: str) -> None:
    service.metadata = {"token_endpoint_auth_methods_supported": [way]}
    service.answers["/register"] = lambda form: (201, {}, {**form, "client_id": "c", "client_secret": "s"})
    finished(alice, service, actions.begin_sign_in(alice.actor, behind(alice, service).pk))
    _method, _path, form, headers = service.asked[-1]
    assert told in (headers if told == "authorization" else form)


def test_a_hub_on_https_is_known_by_its_document(alice: make.Person, service: SignedService, settings: Any) -> None:
    settings.TERTULIA_URL = "https://hub.example.org"
    service.metadata = {"client_id_metadata_document_supported": True}
    asked = query(actions.begin_sign_in(alice.actor, behind(alice, service).pk))
    assert asked["client_id"] == "https://hub.example.org/client-metadata.json"
    assert asked["redirect_uri"] == f"https://hub.example.org{CALLBACK}" and "/register" not in service.paths()


def test_an_old_server_without_metadata_has_its_places_beside_it(alice: make.Person, service: SignedService) -> None:
    for path in ("/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-authorization-server"):
        service.answers[path] = (404, {}, {})
    begun = actions.begin_sign_in(alice.actor, behind(alice, service).pk)
    assert begun.address.startswith(f"{service.url}/authorize?") and "resource" not in query(begun)
    assert run(headers_for(finished(alice, service, begun))) == {"Authorization": "Bearer token-1"}


def test_an_old_server_may_call_its_service_by_a_path_of_its_own(alice: make.Person, service: SignedService) -> None:
    service.answers[RESOURCE] = (404, {}, {})
    service.metadata = {"issuer": f"{service.url}/oauth"}
    begun = actions.begin_sign_in(alice.actor, behind(alice, service).pk)
    assert begun.pending.signing.issuer == f"{service.url}/oauth"


RESOURCE, ISSUER = "/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-authorization-server"


EVIL = "https://evil.example"
OTHER = {"issuer": EVIL, "authorization_endpoint": f"{EVIL}/a", "token_endpoint": f"{EVIL}/t"}


@pytest.mark.parametrize(
    ("path", "answer", "said"),
    [
        pytest.param(RESOURCE, {"resource": EVIL, "authorization_servers": [EVIL]}, "another one", id="another resource"),
        pytest.param(ISSUER, OTHER, "another one", id="another issuer"),
        pytest.param(ISSUER, {}, "does not say how", id="empty"),
        pytest.param(ISSUER, b"<html>hello</html>", "does not say how", id="html"),
    ],
)
def test_what_cannot_be_trusted_ends_it_before_anybody_is_sent_there(
    alice: make.Person, service: SignedService, path: str, answer: Any, said: str
) -> None:
    service.answers[path] = (200, {}, answer)
    with pytest.raises(Invalid, match=said):
        actions.begin_sign_in(alice.actor, behind(alice, service).pk)
    assert "/register" not in service.paths()


def test_a_service_without_proof_of_codes_is_refused(alice: make.Person) -> None:
    with signed_service(code_challenge_methods_supported=["plain"]) as service, pytest.raises(Invalid, match="PKCE"):
        actions.begin_sign_in(alice.actor, behind(alice, service).pk)


def test_nothing_secret_goes_where_there_is_no_https(alice: make.Person, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.PRIVATE_ADDRESSES = False
    monkeypatch.setattr("sessions_app.runners.model.pinned.check_host", lambda host, port: ["127.0.0.1"])
    with signed_service() as service, pytest.raises(Invalid, match="without https"):
        actions.begin_sign_in(alice.actor, behind(alice, service).pk)


def test_private_addresses_are_not_asked(alice: make.Person, service: SignedService, settings: Any) -> None:
    settings.PRIVATE_ADDRESSES = False
    with pytest.raises(Invalid, match="private network"):
        actions.begin_sign_in(alice.actor, behind(alice, service).pk)
    assert not service.asked


@pytest.mark.parametrize("status", [500, 429])
def test_a_server_that_fails_for_now_is_tried_again_later(alice: make.Person, service: SignedService, status: int) -> None:
    service.answers[RESOURCE] = (status, {}, {})
    with pytest.raises(DomainError, match="try again in a while"):
        actions.begin_sign_in(alice.actor, behind(alice, service).pk)


def test_a_registration_that_is_refused_asks_for_a_client_id(alice: make.Person, service: SignedService) -> None:
    service.answers["/register"] = (403, {}, {"error": "no"})
    with pytest.raises(Invalid, match="give the client id"):
        actions.begin_sign_in(alice.actor, behind(alice, service).pk)


@pytest.mark.parametrize(
    ("returned", "said"),
    [
        pytest.param({"error": "access_denied", "code": ""}, "did not allow", id="declined"),
        pytest.param({"error": "server_error", "description": "\x1b[31mboom", "code": ""}, r"refused: \?\[31mboom", id="error"),
        pytest.param({"code": ""}, "refused", id="nothing"),
        pytest.param({"iss": "https://evil.example"}, "another sign-in service", id="another issuer"),
    ],
)
def test_an_answer_that_is_none_signs_nobody_in(
    alice: make.Person, service: SignedService, returned: dict[str, str], said: str
) -> None:
    begun = actions.begin_sign_in(alice.actor, behind(alice, service).pk)
    with pytest.raises(Invalid, match=said):
        finished(alice, service, begun, **returned)
    assert PushServer.objects.get().sign_in_encrypted is None


def test_a_service_that_names_itself_in_answers_must_do_so(alice: make.Person) -> None:
    with signed_service(authorization_response_iss_parameter_supported=True) as service:
        held = behind(alice, service)
        with pytest.raises(Invalid, match="another sign-in service"):
            finished(alice, service, actions.begin_sign_in(alice.actor, held.pk))
        assert finished(alice, service, actions.begin_sign_in(alice.actor, held.pk), iss=service.url).sign_in_encrypted


def test_a_code_that_is_refused_signs_nobody_in(alice: make.Person, service: SignedService) -> None:
    begun = actions.begin_sign_in(alice.actor, behind(alice, service).pk)
    with pytest.raises(exchange.Refused):
        finished(alice, service, begun, code="stolen")


@pytest.mark.parametrize("seal", [None, "", "nonsense"])
def test_an_answer_to_nothing_is_refused(alice: make.Person, seal: str | None) -> None:
    with pytest.raises(Gone, match="begin it again"):
        actions.finish_sign_in(alice.actor, seal, Returned(code="x", state="y"))


def test_an_answer_with_another_state_or_too_late_is_refused(alice: make.Person, service: SignedService, clock: Clock) -> None:
    begun = actions.begin_sign_in(alice.actor, behind(alice, service).pk)
    with pytest.raises(Gone):
        finished(alice, service, begun, state="another")
    clock.forward(minutes=31)
    with pytest.raises(Gone):
        finished(alice, service, begun)
    assert "/token" not in service.paths()


def test_an_address_that_was_changed_meanwhile_gets_no_token(alice: make.Person, service: SignedService) -> None:
    held = behind(alice, service)
    begun = actions.begin_sign_in(alice.actor, held.pk)
    PushServer.objects.filter(pk=held.pk).update(url="https://elsewhere.example.org/mcp")
    with pytest.raises(Conflict):
        finished(alice, service, begun)


def test_foreign_and_unknown_servers_are_answered_alike_and_agents_sign_nothing_in(
    alice: make.Person, charlie: make.Person, service: SignedService
) -> None:
    held = behind(alice, service)
    said = []
    for server_id in (held.pk, 999_999):
        with pytest.raises(NotFound) as refused:
            actions.begin_sign_in(charlie.actor, server_id)
        said.append(refused.value.detail)
    assert said[0] == said[1]
    with pytest.raises(Forbidden):
        actions.begin_sign_in(make.agent(alice), held.pk)
    begun = actions.begin_sign_in(alice.actor, held.pk)
    with pytest.raises(NotFound):
        finished(charlie, service, begun)
    assert not service.forms("/token")


def test_a_program_has_no_sign_in(alice: make.Person) -> None:
    with pytest.raises(NotFound):
        actions.begin_sign_in(alice.actor, server(alice, "tool", transport=PushServer.STDIO, url="", argv=["x"]).pk)


def test_it_is_audited_without_a_secret(alice: make.Person, service: SignedService) -> None:
    held = finished(alice, service, actions.begin_sign_in(alice.actor, behind(alice, service).pk))
    entry = Entry.objects.get(deed="push_server.signed_in")
    assert (entry.target, entry.details) == ("push_server:lights", {"issuer": service.url, "scope": "push"})
    assert opened(held.sign_in_encrypted) is not None and b"token-1" not in bytes(held.sign_in_encrypted or b"")


def test_a_challenge_is_kept_cut_and_clean(alice: make.Person) -> None:
    held = server(alice, "lights")
    actions.note_challenge(held, "Bearer \x00\x1b" + "x" * 2000)
    held.refresh_from_db()
    assert held.challenge.startswith("Bearer x") and len(held.challenge) <= 1000
