"""No export but `chat export` holds a message, its topic or its author's name."""

import io
from asyncio import run
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.management import call_command, get_commands
from django.test import Client
from django.urls import get_resolver

from core.actor import operator
from core.errors import Invalid
from tests import make

OURS = ("core", "audit", "accounts", "chat", "project")
PUSHED = {"push-servers-export", "rules-export", "push-journal-export"}
"""Of the push inbox: they hold servers, rules and push messages, and no message of the chat."""


@pytest.fixture
def spoken(alice: make.Person, tmp_path: object) -> make.Person:
    """An owner whose chat went through all that is written down of it."""
    from chat.actions import update_settings
    from chat.grants.actions import grant
    from chat.transfer.exporting import export

    agent = make.agent(alice)
    make.message(alice, "secretbody", topic="secrettopic", session_name="secretname", by=agent, client_key="secretkey")
    update_settings(alice.actor, account_id=alice.account.pk, allowed=False, access="granted")
    launch = make.launch(alice)
    with pytest.raises(Invalid):
        grant(alice.actor, launch_key=launch.key, typed="secret")
    grant(alice.actor, launch_key=launch.key, typed="lead")
    export(operator(alice.account.pk), io.StringIO(), account_id=alice.account.pk, email="", to="x", progress=lambda more: None)
    return alice


def test_every_command_that_exports_is_looked_at() -> None:
    ours = {name for name, app in get_commands().items() if app in OURS}
    assert {name for name in ours if "export" in name or "dump" in name} == {"export_audit"}


@pytest.mark.parametrize("form", ["--json", "--csv"])
def test_the_audit_log_holds_no_message(form: str, spoken: make.Person) -> None:
    out = io.StringIO()
    call_command("export_audit", form, stdout=out)
    assert "chat.exported" in out.getvalue() and "secret" not in out.getvalue()


DOORS = ("/api/audit/", "/api/me/", "/api/connections/", "/api/tickets/", "/admin/audit-log/", "/admin/connections/")
EXPORT = "/admin/audit-log/export/"


@pytest.mark.parametrize("path", DOORS)
def test_no_other_door_answers_with_a_message(path: str, spoken: make.Person) -> None:
    answer = signed_in(spoken).get(path)
    assert answer.status_code == 200 and b"secret" not in answer.content


CONFIGURED = (
    "/api/launches/",
    "/api/grants/",
    "/admin/launches/",
    "/admin/settings/",
    "/admin/chat/grant/",
    "/admin/chat/chatsettings/",
)


@pytest.mark.parametrize("path", CONFIGURED)
def test_t_74_what_tells_of_settings_and_grants_holds_no_message(path: str, spoken: make.Person) -> None:
    answer = signed_in(spoken).get(path)
    assert answer.status_code == 200 and b"secret" not in answer.content


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_the_audit_log_that_the_page_gives_holds_no_message(form: str, spoken: make.Person) -> None:
    answer = signed_in(spoken).get(EXPORT, {"as": form})

    async def read() -> bytes:
        return b"".join([piece async for piece in answer.streaming_content])  # type: ignore[attr-defined]

    said = run(read())
    assert answer.status_code == 200 and b"chat.exported" in said and b"secret" not in said


def test_every_address_that_exports_is_looked_at() -> None:
    named = {name for name in _addresses(get_resolver()) if "export" in name or "download" in name}
    assert named - PUSHED == {"audit-export"}


def _addresses(patterns: Any) -> Iterator[str]:
    for each in patterns.url_patterns:
        if hasattr(each, "url_patterns"):
            yield from _addresses(each)
        elif each.name:
            yield each.name


def signed_in(who: make.Person) -> Client:
    client = Client()
    client.force_login(who.user)
    return client
