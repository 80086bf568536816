"""`tertulia login`: by a browser on this machine; and what a hub may not talk the client into."""

import base64
import hashlib
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from tertulia.store.credentials import Credentials
from tertulia.store.marks import Marks
from tertulia.store.topics import known_topics, remember
from tertulia.surroundings import world

from tests.client.conftest import Cli, Owner
from tests.client.stub import HUB, Stub, answer, bearers, html, metadata, refused, signed_in

RESOURCE = "/.well-known/oauth-protected-resource/mcp"
SERVER = "/.well-known/oauth-authorization-server"


def test_the_browser_way_asks_for_this_hub_alone_with_pkce(hub: Stub, cli: Cli, owner: Owner) -> None:
    hub.signs_in()
    said = cli("login", f"{HUB}/mcp")
    assert (said.code, said.out) == (0, "Signed in to http://hub.test as alice@example.org.\n")
    form = hub.forms("/oauth/token")[0]
    challenge = base64.urlsafe_b64encode(hashlib.sha256(form["code_verifier"].encode()).digest()).rstrip(b"=").decode()
    assert (owner.asked["code_challenge"], owner.asked["code_challenge_method"]) == (challenge, "S256")
    assert owner.asked["resource"] == form["resource"] == f"{HUB}/mcp"
    assert (form["code"], form["redirect_uri"]) == ("code-1", owner.asked["redirect_uri"])
    assert urlsplit(form["redirect_uri"]).hostname == "127.0.0.1" and len(owner.asked["state"]) >= 32


def test_it_registers_as_a_public_client_named_for_the_machine(
    hub: Stub, cli: Cli, owner: Owner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("platform.node", lambda: "devbox")
    hub.signs_in()
    cli("login", HUB)
    cli("login", HUB, "--name", "My terminal")
    first, second = hub.bodies("/oauth/register")
    assert (first["client_name"], first["token_endpoint_auth_method"]) == ("Tertulia client on devbox", "none")
    assert first["redirect_uris"] == ["http://127.0.0.1/callback"] and second["client_name"] == "My terminal"


def test_no_token_is_shown(hub: Stub, cli: Cli, owner: Owner) -> None:
    hub.signs_in()
    said = cli("login", HUB)
    assert "access-" not in said.out + said.err and "refresh-" not in said.out + said.err
    assert "access-" not in repr(Credentials().find(None))


@pytest.mark.parametrize("changed", [{"iss": "http://evil.test"}, {"iss": None}], ids=["another", "none"])
def test_an_answer_of_another_server_is_not_exchanged(hub: Stub, cli: Cli, owner: Owner, changed: dict[str, Any]) -> None:
    hub.signs_in()
    owner.changed = changed
    said = cli("login", HUB)
    assert said.code == 1 and "not from this hub" in said.err and not hub.to("/oauth/token")


def test_an_answer_with_another_state_is_turned_away_and_the_right_one_still_taken(hub: Stub, cli: Cli, owner: Owner) -> None:
    hub.signs_in()
    owner.before = lambda back: (
        [owner.visit(f"{back}?code=evil&state={guess}") for guess in ("", "guess")] and owner.visit(back[:-9])
    )
    assert cli("login", HUB).code == 0
    assert [status for status, _ in owner.pages][:3] == [400, 400, 404]
    assert hub.forms("/oauth/token")[0]["code"] == "code-1"


def test_the_page_of_the_browser_repeats_nothing_it_was_sent(hub: Stub, cli: Cli, owner: Owner) -> None:
    hub.signs_in()
    owner.changed = {"code": "<script>alert(1)</script>"}
    cli("login", HUB)
    status, shown = owner.pages[0]
    assert status == 200 and "script" not in shown and "go back to the terminal" in shown


def test_a_refusal_in_the_browser_is_said_and_nothing_kept(hub: Stub, cli: Cli, owner: Owner) -> None:
    hub.signs_in()
    owner.changed = {"code": None, "error": "access_denied"}
    said = cli("login", HUB)
    assert said.code == 5 and "You refused" in said.err and Credentials().all() == {}


def test_nobody_at_the_browser_is_said_after_a_while(hub: Stub, cli: Cli, owner: Owner, monkeypatch: pytest.MonkeyPatch) -> None:
    hub.signs_in()
    monkeypatch.setattr("tertulia.oauth.code.PATIENCE", 0.01)
    world.open_browser = lambda address: None
    assert "--no-browser" in cli("login", HUB).err


@pytest.mark.parametrize(
    "changed",
    [
        {"issuer": "http://evil.test"},
        {"token_endpoint": "http://evil.test/oauth/token"},
        {"token_endpoint": "http://hub.test.evil.test/token"},
        {"authorization_endpoint": "file:///etc/passwd"},
        {"registration_endpoint": None},
        {"revocation_endpoint": ["a"]},
        {"code_challenge_methods_supported": ["plain"]},
    ],
    ids=lambda changed: next(iter(changed)),
)
def test_a_sign_in_that_leads_away_from_the_hub_is_refused(hub: Stub, cli: Cli, owner: Owner, changed: dict[str, Any]) -> None:
    hub.signs_in().says(SERVER, answer(200, metadata(**changed)))
    said = cli("login", HUB)
    assert said.code == 1 and said.err.count("tertulia: ") == 1 and len(hub.asked) == 2


def test_a_hub_that_says_it_is_another_is_refused(hub: Stub, cli: Cli) -> None:
    hub.signs_in().says(
        RESOURCE, answer(200, {"resource": "http://evil.test/mcp", "authorization_servers": ["http://evil.test"]})
    )
    assert "says it is another one" in cli("login", HUB).err


def test_a_hub_known_by_another_address_is_named(hub: Stub, cli: Cli) -> None:
    hub.says(RESOURCE, refused(421, "misdirected", "This hub answers at https://hub.example.org; use that address."))
    assert "This hub answers at https://hub.example.org" in cli("login", HUB).err


@pytest.mark.parametrize("path", [RESOURCE, SERVER, "/oauth/register", "/oauth/token"])
@pytest.mark.parametrize(
    "wrong",
    [
        html(200),
        html(404),
        answer(200, []),
        answer(200, {"access_token": 7, "client_id": "a b", "token_type": "bearer"}),
        answer(500, {"error": "server_error"}),
        httpx.Response(200, text="{", headers={"content-type": "application/json"}),
        httpx.Response(200, text="[" * 100_000, headers={"content-type": "application/json"}),
        httpx.Response(302, headers={"location": "http://evil.test/"}),
        httpx.DecodingError("gzip"),
        httpx.ConnectError("refused"),
    ],
    ids=["html", "404", "array", "wrong", "500", "half", "deep", "redirect", "garbled", "away"],
)
def test_what_is_no_hubs_answer_is_one_sentence(hub: Stub, cli: Cli, owner: Owner, path: str, wrong: Any) -> None:
    hub.signs_in().says(path, wrong)
    said = cli("login", HUB)
    assert said.code == 1 and said.out == ""
    last = said.err.splitlines()[-1]
    assert last.startswith("tertulia: ") and "fault of the client" not in last and "PROXY" not in said.err
    assert Credentials().all() == {} and not any(each.url.host == "evil.test" for each in hub.asked)


def test_a_redirect_names_where_it_leads(hub: Stub, cli: Cli) -> None:
    hub.says(RESOURCE, httpx.Response(301, headers={"location": f"https://hub.test{RESOURCE}"}))
    assert "run: tertulia login https://hub.test\n" in cli("login", HUB).err


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("127.0.0.1:8911", "http://127.0.0.1:8911"),
        ("localhost:8911/", "http://localhost:8911"),
        ("hub.example.org", "https://hub.example.org"),
        ("HTTPS://Hub.Example.org:443/mcp/", "https://hub.example.org"),
        ("http://[::1]:8760", "http://[::1]:8760"),
    ],
)
def test_an_address_is_taken_as_it_is_typed(hub: Stub, cli: Cli, typed: str, meant: str) -> None:
    hub.says(RESOURCE, html(404))
    cli("login", typed)
    assert str(hub.asked[0].url) == f"{meant}{RESOURCE}"


@pytest.mark.parametrize(
    "typed",
    [
        "",
        "ftp://hub.test",
        "http://",
        "http://a:b@hub.test",
        "http://hub.test/x",
        "http://hub.test?x",
        "h\x1b[2J",
        "http://hub.test:99999",
        "127.0.0.1.evil\\",
    ],
)
def test_what_is_no_address_is_told_without_being_obeyed(hub: Stub, cli: Cli, typed: str) -> None:
    said = cli("login", typed)
    assert said.code == 1 and "no address of a hub" in said.err and "\x1b" not in said.err and not hub.asked


def test_signing_in_again_ends_the_earlier_connection(hub: Stub, cli: Cli, owner: Owner) -> None:
    signed_in()
    Marks(HUB, "reader").move(5)
    hub.signs_in()
    assert cli("login", HUB).code == 0
    assert hub.forms("/oauth/revoke")[0]["token"] == "refresh-old" and Marks(HUB, "reader").get() == 5


def test_signing_in_as_somebody_else_begins_the_reading_anew(hub: Stub, cli: Cli, owner: Owner) -> None:
    signed_in()
    Marks(HUB, "reader").move(5)
    hub.signs_in().says("/api/me/", answer(200, {"account": "bob@example.org"}))
    assert cli("login", HUB).code == 0 and Marks(HUB, "reader").get() is None


def test_a_hub_whose_words_can_be_overheard_is_named(hub: Stub, cli: Cli) -> None:
    assert "not encrypted" in cli("login", HUB).err
    assert "not encrypted" not in cli("login", "http://127.0.0.1:8911").err


def test_a_folder_that_cannot_be_written_is_told_before_the_owner_is_bothered(hub: Stub, cli: Cli, home: Path) -> None:
    home.write_text("a file stands where the folder should be")
    said = cli("login", HUB)
    assert said.code == 1 and "TERTULIA_CLIENT_HOME" in said.err and not hub.asked


def test_whoami_asks_the_hub(hub: Stub, cli: Cli) -> None:
    signed_in()
    hub.says(
        "/api/me/", answer(200, {"account": "alice@example.org", "connection_id": "c-1", "client": "x\x1b[2J", "scopes": ["mcp"]})
    )
    said = cli("whoami")
    assert said.out == "account\talice@example.org\nhub\thttp://hub.test\nconnection\tc-1\nclient\tx\\x1b[2J\nscopes\tmcp\n"
    assert bearers(hub.asked) == ["access-old"]


def test_logout_ends_it_at_the_hub_and_forgets(hub: Stub, cli: Cli) -> None:
    signed_in()
    Marks(HUB, "reader").move(5)
    remember(HUB, ["docs/review"])
    hub.says("/oauth/revoke", answer(200, {}))
    assert cli("logout").out == "Signed out of http://hub.test.\n"
    assert hub.forms("/oauth/revoke") == [{"token": "refresh-old", "client_id": "client-0"}]
    assert Credentials().all() == {} and Marks(HUB, "reader").get() is None and known_topics(HUB) == []


def test_logout_keeps_the_sign_in_when_the_hub_is_away_unless_told(hub: Stub, cli: Cli) -> None:
    signed_in()
    hub.says("/oauth/revoke", httpx.ConnectError("refused"))
    said = cli("logout")
    assert said.code == 1 and "tertulia logout --local" in said.err and len(Credentials().all()) == 1
    assert cli("logout", "--local").code == 0 and Credentials().all() == {}


def test_hubs_are_listed_and_chosen_by_name(hub: Stub, cli: Cli) -> None:
    signed_in()
    signed_in("https://other.test")
    assert (
        cli("hubs").out
        == "*\thub.test\thttp://hub.test\talice@example.org\n\tother.test\thttps://other.test\talice@example.org\n"
    )
    assert cli("hubs", "use", "other.test").code == 0 and Credentials().default() == "https://other.test"
    assert "run: tertulia login nowhere.test" in cli("hubs", "use", "nowhere.test").err


def test_the_listener_is_gone_after_the_sign_in(hub: Stub, cli: Cli, owner: Owner) -> None:
    hub.signs_in()
    cli("login", HUB)
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(owner.asked["redirect_uri"], timeout=5)
    assert parse_qs(urlsplit(owner.asked["redirect_uri"]).query) == {}


def test_no_proxy_stands_between_this_machine_and_itself(home: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    from tertulia.wire import Wire

    monkeypatch.setenv("HTTP_PROXY", "http://proxy.test:3128")
    with Wire("http://127.0.0.1:8760") as near, Wire("http://hub.test") as far:
        assert near._http._mounts == {} and far._http._mounts != {}
