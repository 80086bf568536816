"""The lists of the push inbox in the admin: read-only, secrets masked, shut to others, cheap."""

import pytest
from django.contrib import admin
from django.contrib.messages import get_messages
from django.db import connection
from django.db.models import Model
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from core import clock
from core.sealing import seal
from sessions_app.models import Run
from sessions_app.runs.actions import begin
from sessions_app.values import Asked
from tests import make, pushing
from triggers.models import (
    DedupSeen,
    Firing,
    Listener,
    PushMessage,
    Rule,
    RuleState,
    ServerLine,
    ToolCall,
    TriggerSettings,
    Webhook,
    WebhookDelivery,
)

KEY = "sk-" + "abcdefghij0123456789" * 2
WORDS = "alices-words"
HOSTILE = f"<script>alert('{WORDS}')</script> {{{{ 7*7 }}}} \u202e {KEY}"
NAME = "h-alices"
UNKNOWN = 999_999
QUERIES = 7
NOBODYS = {"listener"}


def rows_of(who: make.Person) -> dict[str, Model]:
    """One row of every model, with text of a hostile server and secrets in it."""
    account, now = who.account, clock.now()
    run = begin(who.actor, make.session(who), Asked(message="x", purpose=Run.OWNER))
    held = pushing.server(
        who,
        NAME,
        url=f"https://push.example.org/mcp?token={KEY}",
        headers_encrypted=seal(KEY),
        sign_in_encrypted=seal(KEY),
        reason=HOSTILE[:300],
        tools=[{"name": HOSTILE}],
    )
    hook = Webhook.objects.create(
        account=account,
        name=f"w-{NAME}",
        digest=f"digest-{account.pk}",
        prefix="tw-12",
        secret_encrypted=seal(KEY),
        created_at=now,
    )
    message = {"server": NAME, "channel": HOSTILE, "content": HOSTILE}
    return {
        "pushserver": held,
        "serverline": ServerLine.objects.create(account=account, server=held, at=now, state="failed", said=HOSTILE[:300]),
        "toolcall": ToolCall.objects.create(account=account, server=held, run=run, chain=run.chain, began_at=now),
        "listener": Listener.objects.get_or_create(name="one", defaults={"beat_at": now})[0],
        "webhook": hook,
        "webhookdelivery": WebhookDelivery.objects.create(webhook=hook, digest="d", received_at=now),
        "pushmessage": PushMessage.objects.create(account=account, seq=1, received_at=now, **message),
        "rule": Rule.objects.create(
            account=account, position=0, name=NAME, content_regex=HOSTILE[:100], prompt=HOSTILE, created_at=now
        ),
        "rulestate": RuleState.objects.create(account=account, rule=NAME, last_error=HOSTILE[:300]),
        "dedupseen": DedupSeen.objects.create(account=account, rule=NAME, digest="d", fired_at=now),
        "firing": Firing.objects.create(
            account=account,
            number=1,
            rule=NAME,
            mode="auto",
            seq=1,
            prompt=HOSTILE,
            detail=HOSTILE[:300],
            fired_at=now,
            **message,
        ),
        "triggersettings": TriggerSettings.objects.get(account=account),
    }


ALL = (
    *("pushserver", "serverline", "toolcall", "listener", "webhook", "webhookdelivery", "pushmessage"),
    *("rule", "rulestate", "dedupseen", "firing", "triggersettings"),
)
FORM = {"name": "changed", "state": "done", "content": "changed", "enabled": "", "_save": "Save"}


@pytest.fixture
def hers(alice: make.Person) -> dict[str, Model]:
    return rows_of(alice)


def address(model: str, page: str = "changelist", *args: object) -> str:
    return reverse(f"admin:triggers_{model}_{page}", args=args)


def told(answer: HttpResponse) -> tuple[int, str, list[str]]:
    said = [str(message) for message in get_messages(answer.wsgi_request)]  # type: ignore[attr-defined]
    return answer.status_code, answer.headers.get("Location", ""), said[-1:]


def assert_read(model: str, hers: dict[str, Model], reader: Client) -> None:
    for at in (address(model), address(model, "change", hers[model].pk)):
        answer = reader.get(at)
        page = answer.content.decode()
        assert answer.status_code == 200
        assert KEY not in page and f"<script>alert('{WORDS}')" not in page and "\u202e" not in page


def test_every_table_of_the_push_inbox_is_listed(hers: dict[str, Model]) -> None:
    listed = {model._meta.model_name for model in admin.site._registry if model._meta.app_label == "triggers"}
    assert listed == set(ALL) == set(hers)


@pytest.mark.parametrize("model", sorted(set(ALL) - NOBODYS))
def test_an_owner_reads_his_list_and_row_without_a_secret_in_it(model: str, hers: dict[str, Model], as_alice: Client) -> None:
    assert_read(model, hers, as_alice)


@pytest.mark.parametrize("model", ALL)
def test_staff_read_every_list_and_row_without_a_secret_in_it(model: str, hers: dict[str, Model], as_staff: Client) -> None:
    assert_read(model, hers, as_staff)


def test_who_listens_is_for_staff_alone(hers: dict[str, Model], as_alice: Client) -> None:
    assert as_alice.get(address("listener")).status_code == 403
    assert as_alice.get(address("listener", "change", "one")).status_code in {302, 403}


@pytest.mark.parametrize("model", ALL)
def test_nothing_is_added_or_changed_by_hand_even_by_staff(model: str, hers: dict[str, Model], as_staff: Client) -> None:
    row = hers[model]
    before = type(row)._default_manager.filter(pk=row.pk).values().get()
    count = type(row)._default_manager.count()
    for at in (address(model, "add"), address(model, "change", row.pk), address(model, "delete", row.pk)):
        assert as_staff.post(at, FORM).status_code in {302, 403}
    assert type(row)._default_manager.filter(pk=row.pk).values().get() == before
    assert type(row)._default_manager.count() == count


@pytest.mark.parametrize("model", sorted(set(ALL) - NOBODYS))
def test_charlie_finds_nothing_of_hers(model: str, hers: dict[str, Model], as_charlie: Client) -> None:
    for query in ({}, {"q": "alerts"}, {"all": ""}):
        answer = as_charlie.get(address(model), query)
        page = answer.content.decode()
        assert answer.status_code == 200 and NAME not in page and WORDS not in page and "alice" not in page


@pytest.mark.parametrize("page", ["change", "history", "delete"])
@pytest.mark.parametrize("model", sorted(set(ALL) - NOBODYS))
def test_a_foreign_row_answers_charlie_as_an_unknown_one(
    model: str, page: str, hers: dict[str, Model], as_charlie: Client
) -> None:
    for method in ("get", "post"):
        foreign, strange = (getattr(as_charlie, method)(address(model, page, pk)) for pk in (hers[model].pk, UNKNOWN))
        assert told(foreign) == told(strange) and foreign.status_code in {302, 403}


@pytest.mark.parametrize(
    ("model", "lookup"),
    [
        ("pushserver", "headers_encrypted__contains=a"),
        ("pushserver", "url__contains=token"),
        ("pushserver", "lease__startswith=a"),
        ("webhook", "digest__startswith=a"),
        ("webhook", "secret_encrypted__contains=a"),
        ("firing", "session_key__startswith=a"),
    ],
)
def test_an_address_spells_out_no_column_that_is_not_offered(
    model: str, lookup: str, hers: dict[str, Model], as_alice: Client, as_staff: Client
) -> None:
    for client in (as_alice, as_staff):
        assert client.get(f"{address(model)}?{lookup}").status_code == 400


@pytest.mark.parametrize("model", sorted(set(ALL) - NOBODYS))
def test_more_rows_cost_no_more_queries(model: str, as_staff: Client) -> None:
    def seen() -> int:
        as_staff.get(address(model))
        with CaptureQueriesContext(connection) as captured:
            assert as_staff.get(address(model)).status_code == 200
        return len(captured.captured_queries)

    rows_of(make.person("o0@example.org"))
    few = seen()
    for number in range(1, 6):
        rows_of(make.person(f"o{number}@example.org"))
    assert seen() == few <= QUERIES
