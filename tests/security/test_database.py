"""What the database itself refuses, and what each kind of asker is shown of another account."""

from typing import Any

import pytest
from django.db import IntegrityError, connection, models, transaction
from django.utils import timezone

from accounts.models import Account, Connection, User
from audit.actions import record
from audit.models import Entry
from chat.models import ChatSettings, Counter, Message, Ticket
from chat.tickets.actions import issue_ticket
from core.actor import Actor, Door
from tests import make

SEEN: list[Any] = [User, Account, Connection, Entry, ChatSettings, Message, Ticket]


def foreign(charlie: make.Person, staff: make.Person) -> dict[str, Actor]:
    """Everybody who must see nothing of alice's."""
    return {
        "another owner": charlie.actor,
        "another owner's agent": make.agent(charlie),
        "an agent of staff": make.agent(staff),
        "an agent without a scope": make.agent(charlie, scopes="nothing"),
        "nobody": Actor(door=Door.PAGE),
        "an agent of no account": Actor(door=Door.MCP, connection_id="c-0000000000000000", scopes=frozenset({"mcp"})),
        "a person of no account": Actor(door=Door.PAGE, user_id=charlie.user.pk),
    }


@pytest.mark.parametrize("model", SEEN, ids=lambda model: model.__name__)
def test_nobody_foreign_sees_a_row_of_hers(model: Any, alice: make.Person, charlie: make.Person, staff: make.Person) -> None:
    hers = make.agent(alice)
    make.message(alice, by=hers)
    issue_ticket(hers, session_name="me")
    record(alice.actor, "a.deed")
    rows = model.objects.filter(**{"pk": alice.user.pk} if model is User else {account_column(model): alice.account.pk})
    assert rows.exists()
    for kind, actor in foreign(charlie, staff).items():
        assert not model.objects.visible_to(actor).filter(pk__in=rows.values("pk")).exists(), kind


def account_column(model: Any) -> str:
    return "pk" if model is Account else "account_id"


@pytest.mark.parametrize("model", [User, Entry], ids=lambda model: model.__name__)
def test_an_agent_sees_neither_people_nor_the_audit_log_of_its_own_account(model: Any, alice: make.Person) -> None:
    record(alice.actor, "a.deed")
    assert not model.objects.visible_to(make.agent(alice)).exists()


def test_an_agent_sees_no_other_connection_of_its_own_account(alice: make.Person) -> None:
    mine, other = make.agent(alice), make.connection(alice)
    assert set(Connection.objects.visible_to(mine).values_list("pk", flat=True)) == {mine.connection_id} != {other.pk}


def test_a_token_of_staff_is_no_more_than_a_token(staff: make.Person, alice: make.Person) -> None:
    """Being staff belongs to the person at a page; what comes with a token acts for one account."""
    from accounts import bearer

    actor = bearer.authenticate(make.token(staff)).actor(Door.MCP)
    assert (actor.is_staff, actor.is_system, actor.account_id) == (False, False, staff.account.pk)


def message(person: make.Person, **columns: Any) -> Message:
    made = {"account": person.account, "seq": 1, "thread": 1, "topic": "a", "body": "b", "body_bytes": 1, "session_name": "s"}
    return Message(**{**made, "author": "x", "created_at": timezone.now(), **columns})


def refused(*rows: models.Model) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        for row in rows:
            row.save(force_insert=True)
        connection.check_constraints()


def test_the_database_refuses_what_would_break_the_order_of_messages(alice: make.Person) -> None:
    refused(message(alice), message(alice))
    refused(message(alice, seq=0, thread=0))
    refused(message(alice, seq=1, thread=2))
    refused(message(alice, client_key="k"), message(alice, seq=2, client_key="k"))
    assert not Message.objects.exists()


def test_the_same_key_of_another_author_or_account_is_another_key(alice: make.Person, bob: make.Person) -> None:
    for row in (message(alice, client_key="k"), message(alice, seq=2, client_key="k", author="y"), message(bob, client_key="k")):
        row.save(force_insert=True)
    assert Message.objects.count() == 3


def test_the_database_refuses_two_spellings_of_one_address_and_two_accounts_of_one_person(alice: make.Person) -> None:
    refused(User(email="ALICE@example.org", password="!"))
    refused(Account(owner=alice.user))


def test_the_database_refuses_a_connection_by_another_name_and_two_of_one_family(alice: make.Person) -> None:
    held = make.connection(alice)
    more = {"account": alice.account, "user": alice.user, "client_name": "x", "scopes": "mcp", "created_at": timezone.now()}
    refused(Connection(id="x-0000000000000000", token_family="00000000-0000-0000-0000-000000000000", **more))
    refused(Connection(id="c-0000000000000001", token_family=held.token_family, **more))


def test_the_database_refuses_settings_that_make_no_sense(alice: make.Person) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        ChatSettings.objects.filter(account=alice.account).update(retention_days=0)
    with pytest.raises(IntegrityError), transaction.atomic():
        Counter.objects.filter(account=alice.account).update(last_seq=-1)


def test_a_row_of_a_person_is_not_taken_from_under_his_account(alice: make.Person) -> None:
    from django.db.models import ProtectedError

    with pytest.raises(ProtectedError):
        alice.user.delete()


def test_no_text_of_a_caller_becomes_part_of_a_statement(alice: make.Person) -> None:
    """Quotes, percent signs and comments are values, in the hot statements too."""
    from chat.reading import read_page
    from chat.values import Exclusions

    actor = make.agent(alice)
    hostile = ["'; DELETE FROM chat_message; --", "%s", "%(x)s", '"', "\\", "?", ":x", "$1", "/* */", "a' OR '1'='1"]
    for number, text in enumerate(hostile):
        make.message(alice, text, session_name=text, client_key=f"{text}{number}", by=actor)
    for text in hostile:
        page = read_page(actor, after=0, exclusions=Exclusions(sessions=(text,)))
        assert [entry.body for entry in page.messages] == [each for each in hostile if each != text]
