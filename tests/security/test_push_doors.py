"""Every door of the push inbox, those that are added too: what an agent's token opens, and what another owner learns."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.messages import get_messages
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from audit.models import Entry
from sessions_app.models import ToolApproval
from tests import make
from tests.admin.conftest import as_charlie, as_staff
from tests.api.driver import agent, is_problem, person
from tests.push_servers.test_admin import WORDS, rows_of
from tests.push_verbs.test_approving import asked
from triggers.models import Firing, PushMessage, PushServer, Rule, TriggerSettings, Webhook

__all__ = ["as_charlie", "as_staff", "asked"]
REST = ("api/channel/", "api/approvals/")
PAGES = ("admin/inbox/", "admin/rules/", "admin/push-servers/", "admin/settings/push/", "admin/sessions/approvals/")
AGENTS = {
    ("GET", "api/channel/"),
    ("GET", "api/channel/messages/"),
    ("GET", "api/channel/messages/<number:seq>/"),
    ("POST", "api/channel/ack/"),
}
"""What a token with `channels.read` may."""
BODIES: dict[str, Any] = {
    "api/approvals/<number:approval_id>/": {"allow": True},
    "api/channel/clear/": {"all": True},
    "api/channel/firings/<number:number>/confirm/": {"answer": "yes"},
    "api/channel/inject/": {},
    "api/channel/rules/test/": {"rules": []},
}
METHODS = ("GET", "POST", "DELETE")
NONE: dict[str, object] = {
    **dict.fromkeys(("seq", "number", "server_id", "webhook_id", "rule_id", "approval_id"), 987_654),
    "name": "nobody",
}
SIGN_IN = "/sign-in/"
EACH_TIME = re.compile(r'nonce="[^"]*"|value="[A-Za-z0-9]{64}"|[0-9]+')
PARAMETER = re.compile(r"<\w+:(\w+)>")


def addresses(*beneath: str) -> list[str]:
    """The addresses beneath these, as they are declared."""
    return sorted({each for each in _walk(get_resolver(), "") if each.startswith(beneath)})


def _walk(resolver: URLResolver, before: str) -> Iterator[str]:
    for each in resolver.url_patterns:
        here = before + str(each.pattern)
        if isinstance(each, URLPattern):
            yield here
        else:
            yield from _walk(each, here)


@pytest.fixture
def hers(alice: make.Person, asked: ToolApproval) -> dict[str, object]:
    """What the parameters of addresses stand for, in alice's account; one of everything."""
    rows: dict[str, Any] = rows_of(alice)
    PushMessage.objects.update(seq=41)
    Firing.objects.update(number=42, state=Firing.ASKED)
    TriggerSettings.objects.update(last_seq=41, last_firing=42)
    return {
        "seq": 41,
        "number": 42,
        "name": rows["pushserver"].name,
        "server_id": rows["pushserver"].pk,
        "webhook_id": rows["webhook"].pk,
        "rule_id": rows["rule"].pk,
        "approval_id": asked.pk,
    }


def filled(address: str, values: dict[str, object]) -> str:
    return "/" + PARAMETER.sub(lambda found: str(values[found[1]]), address)


def kept(who: make.Person) -> list[object]:
    """What of hers no stranger may change."""
    models = (PushMessage, PushServer, Firing, Rule, TriggerSettings, Webhook, ToolApproval, Entry)
    return [list(model.objects.filter(account_id=who.account.pk).order_by("pk").values()) for model in models]


@pytest.mark.parametrize("address", addresses(*REST))
@pytest.mark.parametrize("method", METHODS)
def test_a_token_with_every_scope_opens_of_the_rest_doors_the_four_of_agents(
    method: str, address: str, hers: dict[str, object], alice: make.Person
) -> None:
    before, may = kept(alice), (method, address) in AGENTS
    answer = agent(alice).ask(method, filled(address, hers), BODIES.get(address) if method == "POST" else None)
    if may:
        assert answer.status_code == 200
    else:
        assert answer.status_code == 405 or is_problem(answer, 403, "owner_only")
        assert kept(alice) == before


@pytest.mark.parametrize("address", addresses(*PAGES))
def test_a_token_opens_no_page(address: str, hers: dict[str, object], alice: make.Person) -> None:
    before = kept(alice)
    for method in METHODS:
        answer = agent(alice).ask(method, filled(address, hers))
        assert answer.status_code in {302, 403, 405} and WORDS.encode() not in answer.content
        assert answer.status_code != 302 or SIGN_IN in answer["Location"]
    assert kept(alice) == before


@pytest.mark.parametrize("address", [each for each in addresses(*REST) if PARAMETER.search(each)])
def test_another_owner_gets_by_rest_for_hers_what_he_gets_for_none(
    address: str, hers: dict[str, object], alice: make.Person, charlie: make.Person, staff: make.Person
) -> None:
    before = kept(alice)
    for caller in (person(charlie), person(staff)):
        for method in METHODS:
            for body in (None, {}, {"answer": "no"}, {"allow": True}):
                answers = [caller.ask(method, filled(address, values), body) for values in (hers, NONE)]
                assert told(answers[0], hers) == told(answers[1], NONE) and answers[0].status_code >= 400
    assert kept(alice) == before


@pytest.mark.parametrize("address", addresses(*PAGES))
def test_another_owner_gets_by_the_pages_for_hers_what_he_gets_for_none(
    address: str, hers: dict[str, object], alice: make.Person, as_charlie: Client, as_staff: Client
) -> None:
    before = kept(alice)
    for browser in (as_charlie, as_staff):
        for method, data in (("get", {}), ("post", {}), ("post", {"answer": "yes", "allow": "yes", "do": "remove"})):
            answers = [getattr(browser, method)(filled(address, values), data) for values in (hers, NONE)]
            assert WORDS not in content_of(answers[0])
            if PARAMETER.search(address):
                assert told(answers[0], hers) == told(answers[1], NONE) and answers[0].status_code != 200
    assert kept(alice) == before


def told(answer: Any, values: dict[str, object]) -> tuple[int, str, str, list[str]]:
    """All that an answer says, without what is another each time and without what was asked for."""
    said = [str(each) for each in get_messages(answer.wsgi_request)][-1:]
    told = (EACH_TIME.sub("", text).replace(str(values["name"]), "") for text in (answer.get("Location", ""), content_of(answer)))
    return answer.status_code, *told, said


def content_of(answer: Any) -> str:
    return "" if answer.streaming else answer.content.decode()
