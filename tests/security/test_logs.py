"""The log at DEBUG over everything a client and its owner do: no secret in any line, and no line that somebody else wrote."""

import io
import json
import logging
from collections.abc import Iterator

import pytest
from django.test import Client

from project.logging import _loggers, formatter
from tests import make
from tests.api import driver as rest
from tests.asgi import client, hub, run
from tests.launches.launcher import registered
from tests.mcp import wire
from tests.oauth import driver

DEVICE = "urn:ietf:params:oauth:grant-type:device_code"
MESSAGE = "chat-text-canary-5081"


@pytest.fixture(params=[False, True], ids=["text", "json"])
def written(request: pytest.FixtureRequest) -> Iterator[io.StringIO]:
    """What a hub with TERTULIA_LOG_LEVEL=DEBUG writes."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(formatter(request.param))
    names = [None, *_loggers("DEBUG")]
    before = {name: logging.getLogger(name).level for name in names}
    for name in names:
        if name != "oauth2_provider":  # the app itself keeps it at INFO, whatever the setting
            logging.getLogger(name).setLevel(logging.DEBUG)
    logging.getLogger().addHandler(handler)
    yield stream
    logging.getLogger().removeHandler(handler)
    for name, level in before.items():
        logging.getLogger(name).setLevel(level)


def the_whole_way(browser: Client, alice: make.Person) -> set[str]:
    """A client registers, is allowed, exchanges, refreshes, calls, and gives up; every secret on the way."""
    told = driver.register(browser, token_endpoint_auth_method="client_secret_post").json()
    pair, public = driver.pkce(), driver.register(browser).json()
    code = driver.code_for(browser, alice, public["client_id"], pair.challenge, state="state-canary-77")
    tokens = driver.tokens_of(driver.exchange(browser, code, public["client_id"], pair.verifier), public["client_id"])
    fresh = driver.tokens_of(driver.refresh(browser, tokens), tokens.client_id)
    secrets = {code, pair.verifier, tokens.access, tokens.refresh, fresh.access, fresh.refresh, make.PASSWORD, MESSAGE}
    secrets |= {told["client_secret"], told["registration_access_token"], browser.cookies["tertulia_session"].value}
    driver.exchange(browser, code, public["client_id"], "wrong" + pair.verifier)
    driver.sign_in(driver.browser(), alice, password="a-wrong-password-canary")
    secrets |= {"a-wrong-password-canary", "wrong" + pair.verifier}
    return secrets | device(browser, alice) | calls(fresh) | in_person(alice) | launched(alice)


def device(browser: Client, alice: make.Person) -> set[str]:
    client_id = driver.register(browser, grant_types=[DEVICE], redirect_uris=[]).json()["client_id"]
    begun = driver.post_form(browser, "/oauth/device-authorization", {"client_id": client_id}).json()
    page = browser.get(f"/oauth/device?user_code={begun['user_code']}").content.decode()
    browser.post("/oauth/device", {**driver.fields(page), "user_code": begun["user_code"], "decision": "allow"})
    form = {"grant_type": DEVICE, "device_code": begun["device_code"], "client_id": client_id}
    tokens = driver.tokens_of(driver.post_form(browser, "/oauth/token", form), client_id)
    driver.revoke(browser, tokens.refresh, client_id)
    return {begun["user_code"], begun["device_code"], tokens.access, tokens.refresh}


def in_person(alice: make.Person) -> set[str]:
    """The owner proves himself at a terminal, in each way."""
    caller = rest.agent(alice)
    given = caller.post("/api/proof/", {"password": make.PASSWORD}).json()["token"]
    caller.post("/api/proof/", {"password": "another-wrong-password-canary"})
    rest.Caller(token=given).get("/api/me/")
    asked = caller.post("/api/proof/approvals/").json()
    caller.post("/api/proof/approvals/token/", {"secret": asked["secret"]})
    return {given, asked["secret"], "another-wrong-password-canary"}


def launched(alice: make.Person) -> set[str]:
    """A launcher registers, calls, holds its line and tells its end."""
    launcher = registered(alice)
    credential = {"tertulia-launch": launcher.body["credential"]}

    async def story() -> None:
        async with hub() as app, launcher.line(app) as line, client(app, launcher.caller.token, **credential) as http:
            await line.hear()
            line.say(launcher.body["credential"])
            await line.hear()
            await wire.post(http, wire.request("tools/list"))

    run(story())
    launcher.end()
    return {launcher.body["credential"], str(launcher.caller.token)}


def calls(tokens: driver.Tokens) -> set[str]:
    async def story() -> None:
        post = {"body": MESSAGE, "session_name": "a", "client_key": "key-canary-901"}
        modern, headers = wire.modern("tools/call", {"name": "chat_read", "arguments": {}})
        async with hub() as app, client(app, tokens.access) as http:
            await wire.post(http, wire.initialize())
            await wire.post(http, wire.call("chat_post", post))
            await wire.post(http, wire.call("chat_wait", {"after": 0, "timeout_seconds": 0}))
            await wire.post(http, modern, **headers)
            await http.get("/chat")
            await wire.post(http, wire.call("chat_post", {"body": MESSAGE}))
            await http.get("/chat", headers={"authorization": f"Bearer {tokens.refresh}"})

    run(story())
    return {"key-canary-901"}


def test_no_secret_and_no_message_stands_in_the_log(alice: make.Person, browser: Client, written: io.StringIO) -> None:
    secrets = the_whole_way(browser, alice)
    assert "Bad Request" in written.getvalue()
    assert [secret for secret in secrets if secret in written.getvalue()] == []


def test_not_even_where_the_hub_fails(
    alice: make.Person, browser: Client, written: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    from chat import actions

    def fail(*args: object, **kwargs: object) -> None:
        raise RuntimeError("broken within")

    monkeypatch.setattr(actions.store, "take_number", fail)
    monkeypatch.setattr("accounts.oauth.validator.HubValidator.revoke_token", fail)
    secrets = the_whole_way(browser, alice)
    assert written.getvalue().count("broken within") >= 2
    assert [secret for secret in secrets if secret in written.getvalue()] == []


FORGED = 'x\n2026-01-01T00:00:00Z [error] forged by a stranger\r\x1b[2J\u2028\x85{"event": "forged"}'


def test_nobody_writes_a_line_of_his_own(alice: make.Person, browser: Client, written: io.StringIO) -> None:
    stranger = driver.browser()
    agent = {"user-agent": FORGED.encode("ascii", "ignore").decode().replace("\n", " "), "x-request-id": "forged"}
    for path in ("/nothing\n[error] forged", "/oauth/register/x%0a[error]%20forged", "/admin/%1b[2J"):
        stranger.get(path, headers=agent)
    driver.register(stranger, client_name=FORGED)
    logging.getLogger("tests").warning("a client called %s", FORGED)
    logging.getLogger("tests").warning("seen", extra={"client": FORGED})
    for line in written.getvalue().splitlines():
        assert "\x1b" not in line and not line.startswith("2026-01-01T00:00:00Z [error] forged"), line


def test_a_traceback_holds_no_line_at_the_margin_and_no_control_character(written: io.StringIO) -> None:
    """An exception's own text may come from a stranger: it is set in, so that no line of it looks like an event."""
    try:
        raise ValueError(FORGED)
    except ValueError:
        logging.getLogger("tests").exception("it failed")
    text = written.getvalue()
    assert "it failed" in text and "ValueError" in text and "\x1b" not in text
    first, *rest = text.splitlines()
    if first.startswith("{"):
        assert json.loads(first)["event"] == "it failed" and not rest
    else:
        assert rest and all(line.startswith("    ") or not line.strip() for line in rest), rest
