"""Who owns a hub that was just made."""

import pytest

from accounts.models import Account, User
from audit.models import Entry
from core.errors import Invalid
from project.supervisor import owner
from tests import make


class Typist:
    """A person at the terminal who types what was prepared."""

    def __init__(self, *lines: str) -> None:
        self.lines = list(lines)
        self.told: list[str] = []

    def ask(self, question: str) -> str:
        return self.lines.pop(0)

    def ask_secret(self, question: str) -> str:
        return self.lines.pop(0)

    def tell(self, line: str) -> None:
        self.told.append(line)


@pytest.mark.django_db
def test_without_a_terminal_a_password_is_made_and_told_once() -> None:
    made = owner.make_first("ana@example.org", "", None)
    user = User.objects.get(email="ana@example.org")
    assert len(made.password) >= 16
    assert user.check_password(made.password)
    assert (user.may_run_commands, user.is_staff) == (True, False)
    assert not Entry.objects.filter(details__icontains=made.password).exists()


@pytest.mark.django_db
def test_without_a_terminal_and_a_name_the_owner_is_of_this_machine() -> None:
    assert owner.make_first("", make.PASSWORD, None) == owner.Made("owner@localhost", "")
    assert Account.objects.get().owner.check_password(make.PASSWORD)


@pytest.mark.django_db
def test_a_password_from_the_environment_is_not_repeated_and_nothing_is_asked() -> None:
    assert owner.make_first("ana@example.org", make.PASSWORD, Typist()) == owner.Made("ana@example.org", "")


@pytest.mark.django_db
def test_at_a_terminal_e_mail_and_password_are_asked_for_and_confirmed() -> None:
    made = owner.make_first("", "", Typist("ana@example.org", make.PASSWORD, make.PASSWORD))
    assert made == owner.Made("ana@example.org", "")
    assert User.objects.get().check_password(make.PASSWORD)


@pytest.mark.django_db
def test_enter_at_both_questions_takes_what_is_offered() -> None:
    made = owner.make_first("", "", Typist("", ""))
    assert made.email == "owner@localhost"
    assert User.objects.get().check_password(made.password)


@pytest.mark.django_db
def test_a_mistyped_e_mail_is_asked_for_again_before_any_password() -> None:
    typist = Typist("ana", "ana@example.org", make.PASSWORD, make.PASSWORD)
    assert owner.make_first("", "", typist).email == "ana@example.org"
    assert typist.told[1] == "That is no e-mail address; type one such as ana@example.org."


@pytest.mark.django_db
def test_two_different_passwords_and_a_weak_one_are_asked_for_again() -> None:
    typist = Typist(make.PASSWORD, "another one here", "12345", "12345", make.PASSWORD, make.PASSWORD)
    owner.make_first("ana@example.org", "", typist)
    assert typist.told[1] == "The two passwords differ; type the same one twice."
    assert "at least 10 characters" in typist.told[2]
    assert User.objects.get().check_password(make.PASSWORD)


@pytest.mark.django_db
@pytest.mark.parametrize(("email", "password"), [("not an address", make.PASSWORD), ("ana@example.org", "short")])
def test_a_wrong_e_mail_or_password_is_one_sentence_and_makes_nobody(email: str, password: str) -> None:
    with pytest.raises(Invalid) as refusal:
        owner.make_first(email, password, None)
    assert refusal.value.detail.endswith((".", "!"))
    assert not User.objects.exists()
    assert owner.needed()


@pytest.mark.django_db
def test_three_wrong_answers_at_the_terminal_end_the_questions() -> None:
    with pytest.raises(Invalid):
        owner.make_first("ana@example.org", "", Typist(*["a", "b"] * 3))
    assert not User.objects.exists()


def test_a_hub_with_an_owner_needs_no_other(alice: make.Person) -> None:
    assert not owner.needed()
