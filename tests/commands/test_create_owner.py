"""`manage.py create_owner`."""

import io
import re
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from accounts.models import Account, User
from audit.models import Entry
from tests import make

pytestmark = pytest.mark.django_db


def run(*arguments: str) -> str:
    out = io.StringIO()
    call_command("create_owner", *arguments, stdout=out)
    return out.getvalue()


@pytest.fixture
def password(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("TERTULIA_OWNER_PASSWORD", make.PASSWORD)
    return make.PASSWORD


def at_a_terminal(monkeypatch: pytest.MonkeyPatch, *typed: str) -> None:
    answers = iter(typed)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("getpass.getpass", lambda prompt: next(answers))


def test_the_password_comes_from_the_environment_and_is_not_printed(password: str) -> None:
    told = run("ana@example.org")
    user = User.objects.get(email="ana@example.org")
    assert user.check_password(password) and password not in told
    assert (user.is_staff, user.may_run_commands) == (False, False)
    assert Entry.objects.get(deed="account.created").door == "command"


def test_without_a_terminal_one_is_made_and_printed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO())
    told = run("ana@example.org")
    made = re.search(r"shown this once: (\S+)", told)
    assert made and User.objects.get().check_password(made[1])


def test_at_a_terminal_it_is_asked_for_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    at_a_terminal(monkeypatch, make.PASSWORD, make.PASSWORD)
    assert make.PASSWORD not in run("ana@example.org")
    assert User.objects.get().check_password(make.PASSWORD)


def test_two_different_passwords_create_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    at_a_terminal(monkeypatch, make.PASSWORD, "another one entirely")
    with pytest.raises(CommandError, match="The two passwords differ"):
        run("ana@example.org")
    assert not User.objects.exists()


def test_rights_are_given_by_switches(password: str) -> None:
    run("ana@example.org", "--staff", "--may-run-commands")
    user = User.objects.get()
    assert user.is_staff and user.is_superuser and user.may_run_commands


@pytest.mark.parametrize("email", ["ana", "ana@", "", "a b@example.org", "ana@example.org\n"])
def test_what_is_no_address_is_refused_before_a_password_is_asked_for(email: str, monkeypatch: pytest.MonkeyPatch) -> None:
    at_a_terminal(monkeypatch)
    if email.strip() == "ana@example.org":
        monkeypatch.setenv("TERTULIA_OWNER_PASSWORD", make.PASSWORD)
        assert "ana@example.org can sign in" in run(email)
        return
    with pytest.raises(CommandError, match="Give an e-mail address"):
        run(email)
    assert not Account.objects.exists()


def test_a_taken_address_is_refused_in_any_case(password: str) -> None:
    run("ana@example.org")
    with pytest.raises(CommandError, match="signs in here already"):
        run("ANA@example.org")
    assert Account.objects.count() == 1


def test_a_weak_password_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERTULIA_OWNER_PASSWORD", "short")
    with pytest.raises(CommandError, match="too short"):
        run("ana@example.org")
    assert not User.objects.exists()


def test_a_database_that_fails_is_one_sentence(password: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from django.db import OperationalError

    def fail(*arguments: Any, **options: Any) -> None:
        raise OperationalError("no such table: accounts_user")

    monkeypatch.setattr("accounts.management.commands.create_owner.create_owner", fail)
    with pytest.raises(CommandError) as refusal:
        run("ana@example.org")
    assert "manage.py migrate" in str(refusal.value) and "accounts_user" not in str(refusal.value)
