"""`manage.py sessions`, and what an owner says to the hub itself."""

import io
import json

import pytest
from django.core.management import CommandError, call_command

from audit.models import Entry as AuditEntry
from core.errors import Conflict, Forbidden, Invalid, NotFound
from sessions_app.keeping.actions import open_session, patch
from sessions_app.keeping.values import Place
from sessions_app.keeping.words import owner_message, policy_in
from sessions_app.models import Run, Session, Spawn
from sessions_app.transcripts.actions import append
from tests import make, play


def sessions(*arguments: str) -> str:
    out = io.StringIO()
    call_command("sessions", *arguments, stdout=out)
    return out.getvalue()


def test_the_list_shows_keys_kinds_and_ids(alice: make.Person) -> None:
    held = make.session(alice)
    make.session(alice, "hook:deploys", display_name="Deploys \u202efdp.exe")
    shown = sessions("list")
    assert f"agent:main:main  main  {held.session_id}\n" in shown
    assert "hook:deploys  hook" in shown and "\u202e" not in shown and shown.endswith("2 sessions\n")
    assert "hook:deploys" not in sessions("list", "--kind", "main")


def test_the_list_as_json_is_what_an_agent_gets(alice: make.Person) -> None:
    append(make.session(alice), {"role": "assistant", "content": "hi"})
    answer = json.loads(sessions("list", "--messages", "1", "--json"))
    assert answer["hasMore"] is False
    assert [each["content"] for each in answer["sessions"][0]["messages"]] == ["hi"]


def test_the_history_masks_secrets_and_shows_what_turns_text_by_its_number(alice: make.Person) -> None:
    held = make.session(alice)
    append(held, {"role": "user", "content": "the key is sk-abcdefghijklmnopqrst \u202egnp"})
    append(held, {"role": "toolResult", "content": "42"})
    append(held, {"role": "assistant", "content": [{"type": "text", "text": "kept"}, {"type": "toolCall", "name": "x"}]})
    shown = sessions("history", "main")
    assert "sk-abc…qrst ⟨U+202E⟩gnp" in shown and "    kept\n" in shown and "42" not in shown
    assert "42" in sessions("history", str(held.session_id), "--tools")
    assert json.loads(sessions("history", "main", "--json"))["sessionKey"] == held.key


def test_a_message_is_queued_as_the_owners(alice: make.Person) -> None:
    make.hub_agent(alice)
    held = make.session(alice)
    told = json.loads(sessions("send", "look at it", "--to", "main", "--json"))
    run = Run.objects.get(run_id=told["runId"])
    assert (run.session, run.message, run.purpose, told["status"]) == (held, "look at it", Run.OWNER, "accepted")


def test_the_first_message_opens_the_main_session(alice: make.Person) -> None:
    sessions("send", "hello", "--to", "main")
    assert Run.objects.get().session.key == "agent:main:main"


def test_a_dash_reads_the_message_from_standard_input(alice: make.Person, monkeypatch: pytest.MonkeyPatch) -> None:
    make.session(alice)
    monkeypatch.setattr("sys.stdin", io.StringIO("from a pipe\n"))
    sessions("send", "-", "--to", "main")
    assert Run.objects.get().message == "from a pipe"


@pytest.mark.parametrize(
    ("text", "kept"), [("/send off", "deny"), ("  /SEND  On\n", "allow"), ("/send inherit", "")], ids=["off", "on", "inherit"]
)
def test_send_alone_changes_the_policy_and_starts_nothing(alice: make.Person, text: str, kept: str) -> None:
    held = make.session(alice, send_policy="deny" if kept != "deny" else "allow")
    assert "the send policy of agent:main:main is" in sessions("send", text, "--to", "main")
    held.refresh_from_db()
    assert held.send_policy == kept and not Run.objects.exists()
    entry = AuditEntry.objects.get(deed="session.patched")
    assert entry.details == {"changed": {"send_policy": kept or "inherit"}}


@pytest.mark.parametrize("text", ["please /send off", "/send off now", "/send", "/send maybe", "/sendoff", "/send off\n/send on"])
def test_any_other_text_is_for_the_agent(alice: make.Person, text: str) -> None:
    assert policy_in(text) is None
    assert owner_message(alice.actor, make.session(alice), text) is False


def test_an_agent_may_not_say_it(alice: make.Person) -> None:
    held = make.session(alice, send_policy="deny")
    with pytest.raises(Forbidden):
        owner_message(make.in_session(alice, held), held, "/send on")
    held.refresh_from_db()
    assert held.send_policy == "deny"


def test_charlie_may_not_say_it_in_alices(alice: make.Person, charlie: make.Person) -> None:
    held = make.session(alice)
    with pytest.raises(NotFound):
        owner_message(charlie.actor, held, "/send off")
    with pytest.raises(NotFound):
        patch(charlie.actor, held, label="mine")
    with pytest.raises(NotFound):
        open_session(charlie.actor, account_id=alice.account.pk, key="hook:x")


def test_patch_changes_what_is_given_and_writes_it_down_once(alice: make.Person) -> None:
    make.session(alice, thinking_level="high")
    change = ("patch", "main", "--new-label", "boss", "--name", "The boss", "--send", "off", "--thinking", "")
    assert sessions(*change) == "agent:main:main is patched\n"
    sessions(*change)
    held = Session.objects.get()
    assert (held.label, held.display_name, held.send_policy, held.thinking_level) == ("boss", "The boss", "deny", "")
    assert AuditEntry.objects.filter(deed="session.patched").count() == 1
    assert "patched" in sessions("patch", "--label", "boss", "--new-label", "")


def test_a_label_is_one_sessions(alice: make.Person) -> None:
    make.session(alice, label="boss")
    with pytest.raises(Conflict):
        patch(alice.actor, make.session(alice, "agent:ops:main"), label="boss")


def test_an_unknown_model_is_refused(alice: make.Person) -> None:
    make.hub_agent(alice, runner="command", model_names=["one"])
    held = make.session(alice)
    with pytest.raises(Invalid):
        patch(alice.actor, held, model_override="two")
    assert patch(alice.actor, held, model_override="one").model_override == "one"


def test_an_archived_session_is_not_patched(alice: make.Person) -> None:
    held = make.session(alice)
    sessions("archive", "main")
    with pytest.raises(NotFound):
        patch(alice.actor, held, label="x")


def test_opening_makes_a_session_with_its_place(alice: make.Person) -> None:
    told = json.loads(sessions("open", "agent:main:discord:group:42", "--to", "channel:42", "--label", "team", "--json"))
    held = Session.objects.get(session_id=told["sessionId"])
    assert (held.kind, held.channel, held.chat_type, held.last_to, held.label) == (
        "group",
        "discord",
        "group",
        "channel:42",
        "team",
    )
    assert AuditEntry.objects.filter(deed="session.opened").count() == 1


@pytest.mark.parametrize(
    ("key", "kind"), [("hook:deploys", "hook"), ("node-desk", "node"), ("main", "main"), ("temp:slug", "other")]
)
def test_the_opener_chooses_the_key(alice: make.Person, key: str, kind: str) -> None:
    assert open_session(alice.actor, account_id=alice.account.pk, key=key).kind == kind


@pytest.mark.parametrize("key", ["", "  ", "x" * 257, "a b", "a\nb", "a\u0000b", "global", "UNKNOWN", "a\u202eb"])
def test_what_is_no_key_is_refused(alice: make.Person, key: str) -> None:
    with pytest.raises(Invalid):
        open_session(alice.actor, account_id=alice.account.pk, key=key)


def test_a_key_and_a_label_are_opened_once(alice: make.Person) -> None:
    open_session(alice.actor, account_id=alice.account.pk, key="hook:a", label="a", place=Place(channel="Webchat"))
    assert Session.objects.get().last_channel == "webchat"
    for more in ({"key": "HOOK:A"}, {"key": "hook:b", "label": "a"}):
        with pytest.raises(Conflict):
            open_session(alice.actor, account_id=alice.account.pk, **more)


def test_an_agent_opens_and_patches_nothing(alice: make.Person) -> None:
    held = make.session(alice)
    for deed in (
        lambda actor: open_session(actor, account_id=alice.account.pk, key="hook:x"),
        lambda actor: patch(actor, held, label="x"),
    ):
        with pytest.raises(Forbidden):
            deed(make.agent(alice))


def test_a_sub_agent_is_started_and_stopped(alice: make.Person) -> None:
    make.hub_agent(alice)
    told = json.loads(sessions("spawn", "count the files", "--json"))
    child = Session.objects.get(key=told["childSessionKey"])
    assert Spawn.objects.get(child=child).requester.key == "agent:main:main"
    assert f"stopped in {child.key}" in sessions("stop", child.key)
    assert not play.queued(alice, Run.SPAWN)
    assert "nothing runs in" in sessions("stop", child.key)


def test_archiving_takes_it_off_the_list(alice: make.Person) -> None:
    make.session(alice, "hook:a")
    assert sessions("archive", "hook:a") == "hook:a is archived\n"
    assert sessions("list") == "no sessions\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("history", "agent:main:nowhere"), "no session of that key"),
        (("history",), "Name the session"),
        (("history", "main", "--label", "x"), "Name the session"),
        (("history", "main", "--limit", "0"), "1 to 1000"),
        (("list", "--kind", "bogus"), "main, group, cron, hook, node, other"),
        (("list", "--limit", "201"), "1 to 200"),
        (("send", "hi"), "Name the session"),
        (("send", " ", "--to", "main"), "blank"),
        (("patch", "main"), "Say what to change"),
        (("patch", "main", "--send", "maybe"), "on, off or inherit"),
        (("patch", "main", "--new-label", "x" * 65), "64"),
        (("open", "main"), "already"),
        (("list", "--account", "nobody@example.org"), "nobody@example.org"),
    ],
)
def test_a_wrong_call_is_one_sentence(alice: make.Person, arguments: tuple[str, ...], said: str) -> None:
    make.session(alice)
    with pytest.raises(CommandError) as refusal:
        sessions(*arguments)
    assert said in str(refusal.value) and "\n" not in str(refusal.value)


def test_with_two_accounts_one_must_be_named(alice: make.Person, bob: make.Person) -> None:
    make.session(bob, "hook:bobs")
    with pytest.raises(CommandError, match="--account"):
        sessions("list")
    assert "hook:bobs" in sessions("list", "--account", "bob@example.org")
    assert "hook:bobs" not in sessions("list", "--account", "alice@example.org")
