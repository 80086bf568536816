"""`manage.py connections list|revoke`."""

import io
import json

import pytest
from django.core.management import CommandError, call_command

from accounts.actions import revoke_connection
from accounts.models import Connection
from audit.models import Entry
from tests import make


def run(*arguments: str) -> str:
    out = io.StringIO()
    call_command("connections", *arguments, stdout=out)
    return out.getvalue()


def listed(*arguments: str) -> set[str]:
    return {row["id"] for row in json.loads(run("list", "--json", *arguments))}


def test_the_list_shows_working_connections_of_every_account(alice: make.Person, bob: make.Person) -> None:
    hers, his, ended = make.connection(alice, name="Claude Code"), make.connection(bob), make.connection(bob)
    revoke_connection(bob.actor, connection_id=ended.pk)
    shown = run("list")
    assert hers.pk in shown and his.pk in shown and ended.pk not in shown
    assert "Claude Code" in shown and "alice@example.org" in shown and "not yet" in shown


def test_json_names_everything_a_program_needs(alice: make.Person) -> None:
    held = make.connection(alice, scopes="chat.read chat.post")
    (row,) = json.loads(run("list", "--json"))
    assert row == {
        "id": held.pk,
        "client": "Test client",
        "account": "alice@example.org",
        "redirect_host": "",
        "scopes": ["chat.read", "chat.post"],
        "created_at": held.created_at.isoformat(),
        "last_used_at": None,
        "revoked_at": None,
    }


def test_the_list_is_narrowed_to_an_account_and_widened_to_the_revoked(alice: make.Person, bob: make.Person) -> None:
    hers, ended, his = make.connection(alice), make.connection(alice), make.connection(bob)
    revoke_connection(alice.actor, connection_id=ended.pk)
    assert listed("--account", "ALICE@example.org") == {hers.pk}
    assert listed("--account", "alice@example.org", "--all") == {hers.pk, ended.pk}
    assert listed("--all") == {hers.pk, ended.pk, his.pk}


def test_an_empty_list_says_so_and_is_an_empty_array(db: None) -> None:
    assert run("list") == "No client is connected.\n"
    assert json.loads(run("list", "--json")) == []


def test_an_unknown_account_is_one_sentence(db: None) -> None:
    with pytest.raises(CommandError, match="No owner signs in with nobody"):
        run("list", "--account", "nobody@example.org")


def test_revoke_ends_a_connection_of_any_account_and_is_recorded(alice: make.Person) -> None:
    held = make.connection(alice)
    assert f"{held.pk} (Test client) is revoked." in run("revoke", held.pk)
    assert not Connection.objects.get(pk=held.pk).is_active
    entry = Entry.objects.get(deed="connection.revoked")
    assert (entry.door, entry.who, entry.account_id) == ("command", "command line", alice.account.pk)


@pytest.mark.parametrize("given", ["c-0000000000000000", "", "x" * 500, "c-%"])
def test_an_unknown_id_is_one_sentence_and_exit_status_one(given: str, alice: make.Person) -> None:
    make.connection(alice)
    with pytest.raises(CommandError, match="No such connection") as refusal:
        run("revoke", given)
    assert refusal.value.returncode == 1


def test_a_client_s_name_cannot_write_to_the_terminal(alice: make.Person) -> None:
    make.connection(alice, name="\x1b[2J[red]evil[/red]\nsecond line")
    shown = run("list")
    assert "\x1b" not in shown and "?[2J[red]evil[/red] second line" in shown
