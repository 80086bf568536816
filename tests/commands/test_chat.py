import io
import json

import pytest
from django.core.management import CommandError, call_command

from chat.models import Message
from tests import make


def chat(*arguments: str) -> str:
    out = io.StringIO()
    call_command("chat", *arguments, stdout=out)
    return out.getvalue()


def test_staff_post_and_read_from_the_shell(alice: make.Person) -> None:
    assert chat("post", "hello", "--topic", "docs/review") == "stored as #1 in docs/review\n"
    shown = chat("read")
    assert "#1 docs/review" in shown and "    hello\n" in shown and "1 messages; go on after 1" in shown


def test_json_is_what_the_reader_answers(alice: make.Person) -> None:
    make.message(alice, "one", topic="a")
    make.message(alice, "two", topic="b")
    answer = json.loads(chat("read", "--exclude-topic", "a", "--json"))
    assert [each["body"] for each in answer["messages"]] == ["two"] and answer["last_seq"] == 2


def test_what_turns_the_direction_of_text_is_shown_by_its_number(alice: make.Person) -> None:
    make.message(alice, "run \u202egnp.exe")
    assert "    run ⟨U+202E⟩gnp.exe\n" in chat("read")


def test_a_dash_reads_the_body_from_standard_input(alice: make.Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("from a pipe\nsecond line\n"))
    chat("post", "-")
    assert Message.objects.get().body == "from a pipe\nsecond line"


def test_a_wait_answers_what_is_there_and_says_when_time_is_up(alice: make.Person) -> None:
    assert "no messages; go on after 0" in chat("wait", "--after", "0", "--timeout", "0")
    make.message(alice, "now")
    assert "    now\n" in chat("wait", "--after", "0")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("post", ""), "empty"),
        (("post", "x", "--topic", "Docs"), "a-z 0-9"),
        (("post", "x", "--session-name", "maintainer"), "maintainer"),
        (("post", "x", "--reply-to", "9"), "#9"),
        (("read", "--after", "5"), "#0"),
        (("read", "--limit", "99"), "1 to 50"),
        (("wait", "--after", "0", "--timeout", "300"), "0 to 240"),
        (("read", "--account", "nobody@example.org"), "nobody@example.org"),
    ],
)
def test_a_wrong_call_is_one_sentence(alice: make.Person, arguments: tuple[str, ...], said: str) -> None:
    with pytest.raises(CommandError) as refusal:
        chat(*arguments)
    assert said in str(refusal.value) and "\n" not in str(refusal.value)


def test_with_two_accounts_one_must_be_named(alice: make.Person, bob: make.Person) -> None:
    with pytest.raises(CommandError, match="--account"):
        chat("read")
    make.message(bob, "mine")
    assert "mine" in chat("read", "--account", "bob@example.org") and "mine" not in chat("read", "--account", "alice@example.org")


def test_staff_too_are_refused_while_the_owners_switch_is_off(alice: make.Person) -> None:
    from chat.actions import update_settings

    update_settings(alice.actor, account_id=alice.account.pk, allowed=False)
    with pytest.raises(CommandError, match="switched agent chat off"):
        chat("post", "x")


def test_no_command_turns_the_owners_switch(alice: make.Person) -> None:
    with pytest.raises(CommandError):
        call_command("chat", "settings", "--off")


def test_on_a_hub_without_an_account_it_says_what_to_do(db: None) -> None:
    with pytest.raises(CommandError, match="create_owner"):
        chat("read")
