"""`/api/schema/` says what the doors do: schemathesis calls each as described and otherwise, and compares the answers."""

import json
import os
import re
from typing import Any

import httpx2
import pytest
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from accounts.launches.credentials import digest_of
from accounts.models import Connection, Launch
from chat.tickets.actions import issue_ticket
from project.api_docs import described
from tests import make
from tests.api.driver import Caller, agent, person
from tests.asgi import client, hub, run
from tests.pushing import pushed, server

DOCUMENT = json.loads(described())
EXAMPLES = int(os.environ.get("TERTULIA_TEST_API_EXAMPLES", "6"))
"""Calls of each kind at each address; by hand 200 and more."""
OPERATIONS = [(path, method) for path, methods in DOCUMENT["paths"].items() for method in methods]
PLACE = re.compile(r"<\w+:(\w+)>")
CALLERS = ("token", "session")
CREDENTIAL = "c" * 43
CHECKS = ("not_a_server_error", "status_code_conformance", "content_type_conformance", "response_schema_conformance")


def answer_to(caller: Caller, case: Any) -> Any:
    """The hub's answer to a generated call."""
    import requests
    from schemathesis.core.transport import Response

    sent = requests.Request(**{**case.as_transport_kwargs(base_url="http://hub"), "cookies": None}).prepare()
    method, target = sent.method or "GET", sent.path_url or ""
    raw = sent.body.encode() if isinstance(sent.body, str) else sent.body or b""
    kind = sent.headers.get("Content-Type", "")
    path, _, query = target.partition("?")
    waits = path == "/api/wait/"
    launch = {"tertulia_launch": sent.headers["Tertulia-Launch"]} if "Tertulia-Launch" in sent.headers else {}
    answer: Any = waited(caller, method, query) if waits else caller.ask(method, target, raw=raw, content_type=kind, **launch)
    headers = {name.lower(): [value] for name, value in answer.headers.items()}
    return Response(
        status_code=answer.status_code, headers=headers, content=answer.content, request=sent, elapsed=0.0, verify=False
    )


def things_of(who: make.Person, kept: Connection, names: set[str]) -> dict[str, Any]:
    """What there is, by the name its address calls it."""
    real = {
        "seq": lambda: 1,
        "connection_id": lambda: make.connection(who).pk,
        "ticket_id": lambda: issue_ticket(make.agent(who, connection_=kept), session_name="me").ticket.pk,
        "key": lambda: launched(who, kept),
        "number": lambda: 1,
        "name": lambda: "ci",
        "approval_id": lambda: 1,
    }
    return {name: real[name]() for name in names}


def launched(who: make.Person, kept: Connection) -> str:
    """The key of the one launch that CREDENTIAL proves."""
    Launch.objects.filter(credential=digest_of(CREDENTIAL)).delete()
    return make.launch(who, connection_=kept, credential=digest_of(CREDENTIAL)).key


def waited(caller: Caller, method: str, query: str) -> httpx2.Response:
    headers = {"cookie": caller.cookie()} if caller.browser.cookies else {}

    async def story() -> httpx2.Response:
        async with hub() as app, client(app, caller.token, **headers) as http:
            return await http.request(method, f"/api/wait/?{query}")

    return run(story())


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wait of any length ends at once; its time is looked at all the same."""
    from chat.api import wait

    whole = wait.wait
    monkeypatch.setattr(wait, "wait", lambda actor, **given_: whole(actor, **{**given_, "timeout_seconds": 0}))


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("caller", CALLERS)
@pytest.mark.parametrize(("path", "method"), OPERATIONS)
def test_no_call_that_fits_the_schema_or_does_not_makes_the_hub_fail(
    alice: make.Person, settings: Any, path: str, method: str, caller: str
) -> None:
    schemathesis = pytest.importorskip("schemathesis", reason="needs schemathesis: uv sync --all-groups")
    settings.API_PER_MINUTE = settings.CHAT_POSTS_PER_MINUTE = 0
    for topic in ("general", "docs/review"):
        make.message(alice, topic=topic)
    pushed(alice)
    server(alice, "ci")
    kept = make.connection(alice)
    who = agent(alice, connection_=kept) if caller == "token" else person(alice)
    operation = schemathesis.openapi.from_dict(DOCUMENT)[path][method]
    checks = [getattr(schemathesis.checks, name, None) or schemathesis.checks.CHECKS.get_one(name) for name in CHECKS]
    modes = schemathesis.GenerationMode
    names = [each["name"] for each in DOCUMENT["paths"][path][method].get("parameters", []) if each["in"] == "query"]
    cases = st.one_of(*(operation.as_strategy(generation_mode=mode) for mode in (modes.POSITIVE, modes.NEGATIVE)))

    @hypothesis_settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=cases, alone=st.none() | st.sampled_from(["", *names]), is_real=st.booleans())
    def every(case: Any, alone: str | None, is_real: bool) -> None:
        if alone is not None:  # parameters that exclude each other are asked too
            case.query = {name: value for name, value in case.query.items() if name in {alone, "after"}}
        if is_real:
            case.path_parameters.update(things_of(alice, kept, set(case.path_parameters)))
            if isinstance(case.body, dict) and caller == "token":
                case.body.setdefault("session_name", "me")
            if "Tertulia-Launch" in (case.headers or {}):
                case.headers["Tertulia-Launch"] = CREDENTIAL
        case.validate_response(answer_to(who, case), checks=checks)

    every()


def test_the_document_is_open_to_everybody_and_stays_the_same(db: None) -> None:
    answer = Caller().get("/api/schema/")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")
    assert answer.json() == DOCUMENT
    assert answer.json()["openapi"] == "3.1.0"


@pytest.mark.parametrize(("path", "method"), OPERATIONS)
def test_every_operation_is_told_to_a_newcomer(path: str, method: str) -> None:
    told = DOCUMENT["paths"][path][method]
    assert told["summary"] and told["operationId"] and told["tags"]
    assert all(each.get("description") for each in told.get("parameters", []))
    assert {"400", "401", "429", "500"} <= set(told["responses"])
    refusals = {code: told["responses"][code] for code in told["responses"] if int(code) >= 400}
    assert all(list(each["content"]) == ["application/problem+json"] and each["description"] for each in refusals.values())


def test_every_address_is_described_and_documented() -> None:
    from project.api_urls import urlpatterns
    from tests.running.hub import ROOT

    routes = {"/api/" + PLACE.sub(r"{\1}", str(each.pattern)) for each in urlpatterns[:-1]}
    assert routes - {"/api/schema/", "/api/docs/"} == set(DOCUMENT["paths"])
    page = (ROOT / "docs" / "api.md").read_text()
    assert all(path.split("{")[0] in page for path in DOCUMENT["paths"])


def test_names_of_schemas_are_plain() -> None:
    assert all(name.isalnum() for name in DOCUMENT["components"]["schemas"])
    assert "$defs" not in json.dumps(DOCUMENT)
