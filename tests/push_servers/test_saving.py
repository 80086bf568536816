"""Making, changing and removing push servers."""

import json
from dataclasses import replace

import pytest
from django.db.models import Model

from accounts.models import User
from audit.models import Entry
from core.errors import Conflict, DomainError, Forbidden, Invalid, NotFound, StorageFull
from core.sealing import unseal
from tests import make, pushing
from tests.clock import Clock
from triggers.models import PushServer, Webhook
from triggers.servers import actions, reading
from triggers.servers.drafts import ServerDraft

SECRET = "Bearer abcdefghijklmnop0123456789"
DRAFT = ServerDraft(name="ci", url="https://ci.example.org/mcp", headers={"Authorization": SECRET}, channels=("alerts",))
COMMAND = ServerDraft(name="local", transport="stdio", argv=("/usr/bin/server", "--quiet"), environment={"API_KEY": "k-123456"})


def held(who: make.Person, name: str = "ci") -> PushServer:
    return PushServer.objects.get(account=who.account, name=name)


def allow_commands(who: make.Person) -> None:
    User.objects.filter(pk=who.user.pk).update(may_run_commands=True)


def opened(sealed: bytes | None) -> object:
    return None if sealed is None else json.loads(unseal(sealed))


def test_a_server_is_made_with_its_headers_sealed(alice: make.Person, asked: list[str]) -> None:
    made = actions.save_server(alice.actor, DRAFT)
    assert asked == [DRAFT.url]
    assert (made.state, made.version, made.channels, made.enabled) == ("waiting", 1, ["alerts"], True)
    assert opened(made.headers_encrypted) == {"Authorization": SECRET}
    assert SECRET.encode() not in bytes(made.headers_encrypted)


def test_every_change_raises_the_version_a_listener_goes_by(alice: make.Person) -> None:
    actions.save_server(alice.actor, DRAFT)
    actions.save_server(alice.actor, replace(DRAFT, channels=(" a ", "", "a", "*")))
    assert (held(alice).version, held(alice).channels) == (2, ["a", "*"])
    actions.set_enabled(alice.actor, "ci", False)
    assert (held(alice).version, held(alice).state) == (3, "off")
    actions.set_enabled(alice.actor, "ci", True)
    actions.connect_again(alice.actor, "ci")
    assert (held(alice).version, held(alice).state) == (5, "waiting")


def test_headers_that_are_not_given_stay_and_empty_ones_go(alice: make.Person) -> None:
    actions.save_server(alice.actor, DRAFT)
    actions.save_server(alice.actor, replace(DRAFT, headers=None, url="https://ci.example.org/other"))
    assert opened(held(alice).headers_encrypted) == {"Authorization": SECRET}
    actions.save_server(alice.actor, replace(DRAFT, headers={}))
    assert held(alice).headers_encrypted is None


def test_another_origin_is_not_told_what_the_one_before_was(alice: make.Person) -> None:
    made = actions.save_server(alice.actor, DRAFT)
    PushServer.objects.filter(pk=made.pk).update(
        sign_in_encrypted=b"tokens", session_id="s-1", last_event_id="9", tools=[{"name": "x"}]
    )
    actions.save_server(alice.actor, replace(DRAFT, headers=None, url="https://elsewhere.example.org/mcp"))
    now = held(alice)
    assert (now.headers_encrypted, now.sign_in_encrypted) == (None, None)
    assert (now.session_id, now.last_event_id, now.tools) == ("", "", [])


def test_the_same_address_keeps_the_sign_in_and_the_place_in_the_stream(alice: make.Person) -> None:
    made = actions.save_server(alice.actor, DRAFT)
    PushServer.objects.filter(pk=made.pk).update(sign_in_encrypted=b"tokens", session_id="s-1", last_event_id="9")
    actions.save_server(alice.actor, replace(DRAFT, headers=None, channels=()))
    now = held(alice)
    assert (bytes(now.sign_in_encrypted), now.session_id, now.last_event_id) == (b"tokens", "s-1", "9")


def test_signing_out_drops_the_tokens(alice: make.Person) -> None:
    made = actions.save_server(alice.actor, DRAFT)
    PushServer.objects.filter(pk=made.pk).update(sign_in_encrypted=b"tokens")
    actions.forget_sign_in(alice.actor, "ci")
    assert (held(alice).sign_in_encrypted, held(alice).version) == (None, 2)


def test_a_command_needs_leave_to_run_commands(alice: make.Person, asked: list[str]) -> None:
    with pytest.raises(Forbidden, match="may not run commands"):
        actions.save_server(alice.actor, COMMAND)
    allow_commands(alice)
    made = actions.save_server(alice.actor, COMMAND)
    assert opened(made.environment_encrypted) == {"API_KEY": "k-123456"} and asked == []
    actions.set_enabled(alice.actor, "local", False)
    User.objects.filter(pk=alice.user.pk).update(may_run_commands=False)
    with pytest.raises(Forbidden):
        actions.set_enabled(alice.actor, "local", True)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"name": ""}, "A name is"),
        ({"name": "a b"}, "A name is"),
        ({"name": "a__b"}, "A name is"),
        ({"name": "ci\n"}, "A name is"),
        ({"name": "x" * 65}, "A name is"),
        ({"transport": "carrier pigeon"}, "The transport is"),
        ({"url": ""}, "Give the server's address"),
        ({"url": "https://a b/"}, "without blanks"),
        ({"url": "https://e.org/" + "x" * 1000}, "1,000 characters"),
        ({"argv": ("x",)}, "no command"),
        ({"headers": {"Host": "x"}}, "writes the header Host itself"),
        ({"headers": {"X: y": "x"}}, "Name: value"),
        ({"headers": {"X\n": "x"}}, "Name: value"),
        ({"headers": {"X-A": "a\r\nB: c"}}, "printable"),
        ({"headers": {f"X-{each}": "v" for each in range(21)}}, "at most 20"),
        ({"channels": ("x" * 201,)}, "A channel"),
        ({"channels": ("a\nb",)}, "A channel"),
        ({"channels": tuple(map(str, range(101)))}, "at most 100"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_kept(given: dict[str, object], said: str, alice: make.Person) -> None:
    with pytest.raises(Invalid, match=said):
        actions.save_server(alice.actor, replace(DRAFT, **given))  # type: ignore[arg-type]
    assert not PushServer.objects.exists()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"argv": ()}, "Give the command"),
        ({"argv": ("a\x00b",)}, "control characters"),
        ({"url": "https://ci.example.org"}, "no address"),
        ({"environment": {"1A": "x"}}, "NAME=value"),
        ({"environment": {"A\n": "x"}}, "NAME=value"),
        ({"environment": {"LD_PRELOAD": "x"}}, "does not set"),
        ({"environment": {"DATABASE_URL": "x"}}, "does not set"),
        ({"environment": {"A": "x\x00"}}, "control characters"),
        ({"headers": {"X-A": "b"}}, "sent no headers"),
    ],
)
def test_what_is_wrong_with_a_command_is_said(given: dict[str, object], said: str, alice: make.Person) -> None:
    allow_commands(alice)
    with pytest.raises(Invalid, match=said):
        actions.save_server(alice.actor, replace(COMMAND, **given))  # type: ignore[arg-type]


def test_a_webhook_and_a_server_do_not_share_a_name(alice: make.Person, clock: Clock) -> None:
    Webhook.objects.create(account=alice.account, name="ci", digest="d", secret_encrypted=b"", created_at=clock())
    with pytest.raises(Conflict, match="A webhook has this name"):
        actions.save_server(alice.actor, DRAFT)


def test_an_account_has_so_many_servers_and_no_more(alice: make.Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(actions, "MOST_SERVERS", 1)
    actions.save_server(alice.actor, DRAFT)
    actions.save_server(alice.actor, replace(DRAFT, channels=()))
    with pytest.raises(StorageFull):
        actions.save_server(alice.actor, replace(DRAFT, name="other"))


def test_removing_forgets_it_and_another_owners_of_that_name_stays(alice: make.Person, bob: make.Person) -> None:
    pushing.server(bob, "ci")
    actions.save_server(alice.actor, DRAFT)
    actions.remove_server(alice.actor, "ci")
    assert [each.account_id for each in PushServer.objects.all()] == [bob.account.pk]


def test_c_28_a_refresh_of_an_unknown_server_is_an_error_that_says_where_to_look(alice: make.Person) -> None:
    with pytest.raises(NotFound, match="No such push server; look it up"):
        actions.request_refresh(alice.actor, "nobody")


def test_a_refresh_is_asked_for_and_not_of_a_server_that_is_off(alice: make.Person, clock: Clock) -> None:
    actions.save_server(alice.actor, DRAFT)
    actions.request_refresh(alice.actor, "ci")
    assert (held(alice).refresh_asked_at, held(alice).version) == (clock(), 1)
    actions.set_enabled(alice.actor, "ci", False)
    with pytest.raises(Conflict, match="switched off"):
        actions.request_refresh(alice.actor, "ci")


def test_everything_is_audited_without_a_secret(alice: make.Person) -> None:
    actions.save_server(alice.actor, replace(DRAFT, url="https://ci.example.org/mcp?key=abcdef0123456789"))
    actions.set_enabled(alice.actor, "ci", False)
    actions.set_enabled(alice.actor, "ci", False)
    actions.set_enabled(alice.actor, "ci", True)
    actions.request_refresh(alice.actor, "ci")
    actions.remove_server(alice.actor, "ci")
    entries = list(Entry.objects.filter(target="push_server:ci").order_by("pk"))
    assert [each.deed.partition(".")[2] for each in entries] == [
        "added",
        "switched_off",
        "switched_on",
        "refresh_asked",
        "removed",
    ]
    assert {each.door for each in entries} == {"page"} and {each.who for each in entries} == {alice.user.email}
    assert SECRET not in str([each.details for each in entries]) and "abcdef" not in str([each.details for each in entries])


DEEDS = {
    "remove": lambda actor: actions.remove_server(actor, "ci"),
    "switch": lambda actor: actions.set_enabled(actor, "ci", False),
    "refresh": lambda actor: actions.request_refresh(actor, "ci"),
    "connect": lambda actor: actions.connect_again(actor, "ci"),
    "sign out": lambda actor: actions.forget_sign_in(actor, "ci"),
}


@pytest.mark.parametrize("deed", DEEDS.values(), ids=DEEDS)
def test_charlie_gets_the_same_answer_to_a_foreign_and_an_unknown_server(
    deed: object, alice: make.Person, charlie: make.Person
) -> None:
    before = row(pushing.server(alice, "ci"))
    with pytest.raises(NotFound) as foreign:
        deed(charlie.actor)  # type: ignore[operator]
    PushServer.objects.all().update(name="other")
    with pytest.raises(NotFound) as unknown:
        deed(charlie.actor)  # type: ignore[operator]
    assert foreign.value.detail == unknown.value.detail
    assert row(PushServer.objects.get()) == {**before, "name": "other"}


@pytest.mark.parametrize("deed", DEEDS.values(), ids=DEEDS)
def test_an_agents_token_decides_nothing_about_servers(deed: object, alice: make.Person) -> None:
    before = row(pushing.server(alice, "ci"))
    agent = make.agent(alice)
    for refused in (deed, lambda actor: actions.save_server(actor, DRAFT), actions.export_servers):
        with pytest.raises(DomainError) as error:
            refused(agent)  # type: ignore[operator]
        assert error.value.code == "owner_only"
    assert row(PushServer.objects.get()) == before and not reading.servers(agent).exists()


def row(held: Model) -> dict[str, object]:
    return {each.name: getattr(held, each.attname) for each in held._meta.concrete_fields}
