"""Agents, scripts and logs read English, whatever their user's browser or library asks for."""

from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from accounts.language import is_for_programs
from tests import make
from tests.asgi import client, hub, run
from tests.languages.words import PORTUGUESE
from tests.mcp import wire
from tests.oauth import driver

PROGRAMS = (
    ("GET", "/.well-known/oauth-authorization-server", {}),
    ("GET", "/.well-known/oauth-protected-resource/mcp", {}),
    ("GET", "/.well-known/nothing", {}),
    ("POST", "/oauth/token", {"grant_type": "authorization_code", "code": "x", "client_id": "nobody"}),
    ("POST", "/token", {}),
    ("POST", "/oauth/revoke", {"token": "x"}),
    ("POST", "/oauth/device-authorization", {"client_id": "nobody"}),
    ("POST", "/oauth/register", {}),
    ("POST", "/register", {}),
    ("GET", "/oauth/register/x", {}),
    ("GET", "/api/me/", {}),
    ("GET", "/api/nowhere/", {}),
    ("GET", "/api/messages/?topic=Docs", {}),
    ("GET", "/api/schema/", {}),
)


@pytest.mark.parametrize(("method", "address", "form"), PROGRAMS, ids=[f"{each[0]} {each[1]}" for each in PROGRAMS])
def test_a_programs_answer_is_the_same_in_every_language(
    method: str, address: str, form: dict[str, str], alice: make.Person
) -> None:
    answers = []
    for asked in ({}, PORTUGUESE):
        caller = Client(headers=asked)
        caller.force_login(alice.user)
        answer = caller.post(address, form) if method == "POST" else caller.get(address)
        answers.append((answer.status_code, answer.content, answer.headers.get("Content-Language")))
    assert answers[0] == answers[1]
    assert is_for_programs(address.partition("?")[0])


def test_the_api_answers_a_person_who_chose_portuguese_in_english(as_alice: Client, alice: make.Person) -> None:
    alice.user.language = "pt-br"
    alice.user.save()
    answer = as_alice.get("/api/messages/?topic=Docs")
    assert answer.status_code == 400 and "a topic is 1 to 100 characters" in answer.content.decode()


def test_a_client_that_is_refused_by_redirect_reads_english(alice: make.Person) -> None:
    browser = Client(headers={**PORTUGUESE, "host": settings.TERTULIA_URL.partition("//")[2]})
    browser.force_login(alice.user)
    held = make.application()
    query = {"client_id": held.client_id, "response_type": "code", "redirect_uri": "http://127.0.0.1/callback"}
    answer = browser.get("/oauth/authorize", {**query, "code_challenge": "x", "code_challenge_method": "S256"})
    assert "Give%20code_challenge%20as%2043" in answer.headers["Location"]


def test_the_consent_page_is_for_a_person(alice: make.Person) -> None:
    browser = Client(headers={**PORTUGUESE, "host": settings.TERTULIA_URL.partition("//")[2]})
    browser.force_login(alice.user)
    held = make.application("Ferramenta")
    query = {"client_id": held.client_id, "response_type": "code", "redirect_uri": "http://127.0.0.1/callback"}
    page = browser.get(
        "/oauth/authorize", {**query, "code_challenge": driver.pkce().challenge, "code_challenge_method": "S256"}
    ).content.decode()
    assert "Permitir Ferramenta?" in page and "Ele vai poder" in page and "Usar todas as ferramentas deste hub" in page


async def _mcp(http: Any, **arguments: Any) -> str:
    await wire.post(http, wire.initialize())
    answer = await wire.post(http, wire.call("chat_post", arguments), accept="application/json, text/event-stream")
    return answer.text


def test_mcp_and_the_reader_answer_english_in_the_middle_of_a_portuguese_day(alice: make.Person) -> None:
    token = make.token(alice)
    browser = Client(headers=PORTUGUESE)
    browser.force_login(alice.user)

    async def story() -> tuple[str, str]:
        async with hub() as app, client(app, token, **PORTUGUESE) as http:
            read = await http.get("/chat?exclude_topic=Docs")
            return read.text, await _mcp(http, body="x", session_name="a", topic="Docs")

    browser.get("/admin/chat/")
    read, posted = run(story())
    assert "a topic is 1 to 100 characters" in read
    assert "a topic is 1 to 100 characters" in posted


@pytest.mark.django_db(transaction=True)
def test_real_threads_keep_no_language_of_the_request_before(threaded: None) -> None:
    person = make.person("alice@example.org")
    token = make.token(person)
    signed_in = Client()
    signed_in.force_login(person.user)
    cookie = f"{settings.SESSION_COOKIE_NAME}={signed_in.cookies[settings.SESSION_COOKIE_NAME].value}"

    async def story() -> list[str]:
        said = []
        async with hub() as app, client(app, token, **PORTUGUESE) as agent, client(app, cookie=cookie) as page:
            for asked in ("pt-BR", "en", "pt-BR"):
                said.append((await page.get("/admin/profile/", headers={"accept-language": asked})).text)
                said.append(await _mcp(agent, body="x", session_name="a", topic="Docs"))
                said.append((await agent.get("/chat?exclude_topic=Docs")).text)
        return said

    said = run(story())
    assert ["Seu perfil" in said[0], "Your profile" in said[3], "Seu perfil" in said[6]] == [True] * 3
    assert all("a topic is 1 to 100 characters" in said[place] for place in (1, 2, 4, 5, 7, 8))
