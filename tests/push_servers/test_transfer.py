"""Push servers as JSON."""

import json

import pytest

from accounts.models import User
from core.errors import Forbidden, Invalid
from core.sealing import unseal
from tests import make, pushing
from triggers.allowing import allowed
from triggers.models import PushServer
from triggers.servers import actions

ALERTS = {"name": "alerts", "transport": "sse", "url": "https://alerts.example.org/sse", "enabled": False, "channels": ["a/b"]}
BUILDS = {"name": "builds", "transport": "http", "url": "https://builds.example.org/mcp", "enabled": True, "channels": []}
TOKEN = "ghp_" + "abcdefghij" * 4


def told(*servers: object) -> str:
    return json.dumps({"servers": servers})


@pytest.mark.parametrize("channels", [[""], [" "], ["", "  ", ""]])
def test_c_41_channels_that_are_nothing_but_blanks_let_none_in_however_they_came(alice: make.Person, channels: list[str]) -> None:
    actions.import_servers(alice.actor, told({**BUILDS, "channels": channels}))
    held = PushServer.objects.get(name="builds")
    assert not allowed(held.channels, "alerts") and not allowed(held.channels, "")
    actions.import_servers(alice.actor, actions.export_servers(alice.actor))
    held.refresh_from_db()
    assert held.channels == [""]


def test_what_is_exported_is_imported_again(alice: make.Person, bob: make.Person) -> None:
    actions.import_servers(alice.actor, told(ALERTS, BUILDS))
    text = actions.export_servers(alice.actor)
    assert json.loads(text) == {"servers": [ALERTS, BUILDS]}
    actions.import_servers(bob.actor, text)
    assert actions.export_servers(bob.actor) == text


def test_no_secret_is_exported_and_importing_that_again_loses_none(alice: make.Person) -> None:
    User.objects.filter(pk=alice.user.pk).update(may_run_commands=True)
    secret = {**BUILDS, "url": f"https://builds.example.org/mcp?token={TOKEN}", "headers": {"Authorization": f"Bearer {TOKEN}"}}
    command = {"name": "local", "transport": "stdio", "command": ["server", f"--token={TOKEN}"], "env": {"KEY": TOKEN}}
    actions.import_servers(alice.actor, told(secret, command))
    text = actions.export_servers(alice.actor)
    assert TOKEN not in text and "headers" not in text and "env" not in text
    actions.import_servers(alice.actor, text)
    builds, local = PushServer.objects.order_by("name")
    assert builds.url.endswith(TOKEN) and local.argv == ["server", f"--token={TOKEN}"]
    assert TOKEN in unseal(builds.headers_encrypted) and TOKEN in unseal(local.environment_encrypted)


def test_what_other_programs_write_is_taken(alice: make.Person) -> None:
    User.objects.filter(pk=alice.user.pk).update(may_run_commands=True)
    given = {
        "mcpServers": {
            "builds": {"type": "streamable-http", "url": "https://builds.example.org/mcp", "headers": {"X-Key": "1"}},
            "local": {"command": "npx", "args": ["-y", "some-server"]},
        }
    }
    actions.import_servers(alice.actor, json.dumps(given))
    found = PushServer.objects.order_by("name").values_list("name", "transport", "argv")
    assert list(found) == [("builds", "http", []), ("local", "stdio", ["npx", "-y", "some-server"])]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nonsense", "This is no JSON"),
        ("[" * 100_000, "This is no JSON"),
        ("3", "a list called servers"),
        ('{"rules": []}', "a list called servers"),
        (told("x"), "a list called servers"),
        (told(BUILDS, {"url": "x"}), "Every server has a name"),
        (told(BUILDS, BUILDS), 'duplicate server name "builds"'),
        (told(BUILDS, {**ALERTS, "transport": "ws"}), 'server "alerts": invalid transport "ws"'),
        (told(BUILDS, {**ALERTS, "chanels": []}), 'server "alerts": unknown field "chanels"'),
        (told(BUILDS, {**ALERTS, "channels": "a"}), 'server "alerts": "channels" is a list of texts'),
        (told(BUILDS, {**ALERTS, "enabled": "yes"}), 'server "alerts": "enabled" is true or false'),
        (told(BUILDS, {**ALERTS, "headers": {"a": 1}}), 'server "alerts": "headers" is an object of texts'),
        (told(BUILDS, {**ALERTS, "name": "a b"}), 'server "a b": A name is'),
        (told(BUILDS, {**ALERTS, "url": ""}), 'server "alerts": Give the server'),
        (told(*[{**BUILDS, "name": f"b{each}"} for each in range(201)]), "at most 200 push servers"),
    ],
)
def test_all_of_a_file_goes_in_or_nothing(text: str, said: str, alice: make.Person) -> None:
    with pytest.raises(Invalid, match=said):
        actions.import_servers(alice.actor, text)
    assert not PushServer.objects.exists()


def test_a_command_in_a_file_needs_leave_too(alice: make.Person) -> None:
    with pytest.raises(Forbidden, match='server "local": You may not run commands'):
        actions.import_servers(alice.actor, told(BUILDS, {"name": "local", "command": "x"}))
    assert not PushServer.objects.exists()


def test_a_file_leaves_the_servers_it_does_not_name(alice: make.Person) -> None:
    pushing.server(alice, "other")
    actions.import_servers(alice.actor, told(BUILDS))
    assert PushServer.objects.count() == 2
