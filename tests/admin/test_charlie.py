"""Charlie at every admin door: nothing of alice's is shown or changed, and a foreign id answers as an unknown one."""

import re
from dataclasses import dataclass

import pytest
from django.contrib.messages import get_messages
from django.db.models import Model
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from accounts.models import Account, Application, Connection, User
from audit.actions import record
from audit.models import Entry
from chat.cursors.actions import mark_read
from chat.models import Attendance, ChatSettings, Counter, Cursor, Grant, Mention, Message, Wake
from chat.topics_owned.actions import open_topic
from tests import make

SECRET = "alice's own words"
OWNED = {
    "message": ("chat_message", 999_999),
    "connection": ("accounts_connection", "c-0000000000000000"),
    "chat settings": ("chat_chatsettings", 999_999),
    "account": ("accounts_account", 999_999),
    "audit entry": ("audit_entry", 999_999),
    "grant": ("chat_grant", 999_999),
    "topic": ("chat_topic", 999_999),
    "mention": ("chat_mention", 999_999),
    "wake": ("chat_wake", 999_999),
}
STAFF_ONLY = {
    "user": "accounts_user",
    "client": "accounts_application",
    "counter": "chat_counter",
    "cursor": "chat_cursor",
    "attendance": "chat_attendance",
}


@dataclass
class Hers:
    """What alice has, by the noun of the tables above."""

    rows: dict[str, Model]

    def pk(self, noun: str) -> object:
        return self.rows[noun].pk


@pytest.fixture
def hers(alice: make.Person, charlie: make.Person) -> Hers:
    agent = make.agent(alice)
    make.message(alice, SECRET, session_name="alices-agent", by=agent)
    connection = Connection.objects.get(pk=agent.connection_id)
    Connection.objects.filter(pk=connection.pk).update(client_name=SECRET)
    entry = record(alice.actor, "alice.deed", target_label=SECRET, label=SECRET)
    lead = make.granted(alice, "alice-lead", wake=True)
    seq = make.message(alice, "look @alice-lead", topic="alices", by=agent)
    mark_read(lead, {"alices": seq})
    return Hers(
        {
            "message": Message.objects.get(body=SECRET),
            "connection": connection,
            "chat settings": ChatSettings.objects.get(account=alice.account),
            "account": alice.account,
            "audit entry": entry,
            "user": alice.user,
            "client": connection.application,
            "counter": Counter.objects.get(account=alice.account),
            "grant": Grant.objects.get(launch=lead.launch_id),
            "topic": open_topic(alice.actor, name="alices"),
            "mention": Mention.objects.get(account=alice.account),
            "wake": Wake.objects.get(account=alice.account),
            "cursor": Cursor.objects.get(account=alice.account),
            "attendance": Attendance.objects.create(account=alice.account, launch_id=lead.launch_id),
        }
    )


def told(answer: HttpResponse) -> tuple[int, str, list[str]]:
    """Status, address and what is said."""
    said = [str(message) for message in get_messages(answer.wsgi_request)]  # type: ignore[attr-defined]
    return answer.status_code, answer.headers.get("Location", ""), said[-1:]


@pytest.mark.parametrize("page", ["change", "history", "delete"])
@pytest.mark.parametrize("noun", OWNED)
def test_a_foreign_id_answers_as_an_unknown_one(noun: str, page: str, hers: Hers, as_charlie: Client) -> None:
    model, unknown = OWNED[noun]
    ids = (hers.pk(noun), unknown)
    foreign, strange = (as_charlie.get(reverse(f"admin:{model}_{page}", args=[pk])) for pk in ids)
    assert told(foreign) == told(strange)
    assert foreign.status_code in {302, 403}
    assert SECRET not in foreign.content.decode() + str(told(foreign))


@pytest.mark.parametrize("noun", OWNED)
def test_a_forged_post_to_a_foreign_id_answers_as_to_an_unknown_one(noun: str, hers: Hers, as_charlie: Client) -> None:
    model, unknown = OWNED[noun]
    form = {"keep_thread_openers": "on", "retention_days": "1", "_save": "Save", "body": "changed", "email": "alice@example.org"}
    before = snapshot(hers)
    for page in ("change", "delete"):
        ids = (hers.pk(noun), unknown)
        foreign, strange = (as_charlie.post(reverse(f"admin:{model}_{page}", args=[pk]), form) for pk in ids)
        assert told(foreign) == told(strange)
    assert snapshot(hers) == before


@pytest.mark.parametrize("noun", [*OWNED, *STAFF_ONLY])
def test_lists_and_searches_show_nothing_of_hers(noun: str, hers: Hers, as_charlie: Client) -> None:
    model = OWNED[noun][0] if noun in OWNED else STAFF_ONLY[noun]
    for query in ({}, {"q": "alice"}, {"all": ""}):
        answer = as_charlie.get(reverse(f"admin:{model}_changelist"), query)
        assert answer.status_code == (403 if noun in STAFF_ONLY else 200)
        page = answer.content.decode()
        assert "alice" not in re.sub(r'value="alice"|q=alice', "", page)


@pytest.mark.parametrize("page", ["change", "history", "delete"])
@pytest.mark.parametrize("noun", STAFF_ONLY)
def test_lists_of_staff_are_shut_to_owners_whatever_the_id(noun: str, page: str, hers: Hers, as_charlie: Client) -> None:
    ids = (hers.pk(noun), 999_999)
    foreign, strange = (as_charlie.get(reverse(f"admin:{STAFF_ONLY[noun]}_{page}", args=[pk])) for pk in ids)
    assert foreign.status_code in {302, 403}
    assert told(foreign) == told(strange)


@pytest.mark.parametrize(
    "model", ["accounts_user", "accounts_application", "accounts_account", "accounts_connection", "chat_message", "audit_entry"]
)
def test_an_owner_adds_nothing(model: str, as_charlie: Client) -> None:
    form = {"email": "new@example.org", "password_once": make.PASSWORD, "is_staff": "on", "name": "x", "client_type": "public"}
    counts = [kind.objects.count() for kind in (User, Application, Account, Connection, Message, Entry)]
    assert as_charlie.get(reverse(f"admin:{model}_add")).status_code == 403
    assert as_charlie.post(reverse(f"admin:{model}_add"), form).status_code == 403
    assert [kind.objects.count() for kind in (User, Application, Account, Connection, Message, Entry)] == counts


@pytest.mark.parametrize("everything", ["0", "1"])
def test_a_bulk_revocation_does_not_reach_her_connection(everything: str, hers: Hers, as_charlie: Client) -> None:
    form = {"action": "revoke", "confirmed": "yes", "_selected_action": str(hers.pk("connection")), "select_across": everything}
    as_charlie.post(reverse("admin:accounts_connection_changelist"), form)
    assert Connection.objects.get(pk=hers.pk("connection")).is_active


@pytest.mark.parametrize(
    "lookup",
    ["account=1", "account__owner__email=alice@example.org", "account_id__gte=0", "id__startswith=c", "client_name__contains=a"],
)
def test_the_address_cannot_filter_by_what_the_list_does_not_offer(lookup: str, hers: Hers, as_charlie: Client) -> None:
    answer = as_charlie.get(f"{reverse('admin:accounts_connection_changelist')}?{lookup}")
    assert answer.status_code == 400


@pytest.mark.parametrize(
    ("app", "model", "field"),
    [
        ("accounts", "account", "owner"),
        ("accounts", "connection", "account"),
        ("accounts", "connection", "user"),
        ("accounts", "connection", "application"),
        ("chat", "message", "account"),
        ("oauth2_provider", "refreshtoken", "access_token"),
    ],
)
def test_autocomplete_tells_charlie_nothing_of_others(app: str, model: str, field: str, hers: Hers, as_charlie: Client) -> None:
    query = {"app_label": app, "model_name": model, "field_name": field, "term": ""}
    answer = as_charlie.get(reverse("admin:autocomplete"), query)
    assert answer.status_code in {200, 403, 404}
    assert "alice" not in answer.content.decode()


def test_the_search_for_lists_and_the_index_of_an_app_name_only_what_an_owner_may_open(
    as_charlie: Client, as_staff: Client
) -> None:
    for address in ("/admin/search/?s=user&extended=1", "/admin/accounts/"):
        assert reverse("admin:accounts_user_changelist") in as_staff.get(address).content.decode()
        assert reverse("admin:accounts_user_changelist") not in as_charlie.get(address).content.decode()
    assert as_charlie.get("/admin/oauth2_provider/").status_code == 404


@pytest.mark.parametrize("page", ["password", "delete-account"])
def test_pages_that_staff_work_on_are_shut_to_owners(page: str, hers: Hers, as_charlie: Client) -> None:
    noun = "user" if page == "password" else "account"
    for pk in (hers.pk(noun), 999_999):
        address = f"/admin/accounts/{noun}/{pk}/{page}/"
        form = {"password": "a better one, longer", "again": "a better one, longer", "email": "alice@example.org"}
        assert as_charlie.get(address).status_code == as_charlie.post(address, form).status_code == 403
    user = User.objects.get(pk=hers.pk("user"))
    assert user.check_password(make.PASSWORD)


def snapshot(hers: Hers) -> list[dict[str, object]]:
    """Every value of every row of hers."""
    return [type(row)._default_manager.filter(pk=row.pk).values().get() for row in hers.rows.values()]
