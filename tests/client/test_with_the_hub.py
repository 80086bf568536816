"""The client and the real hub, over sockets: each way to sign in, the chat, and how a sign-in ends."""

import json
import os
import pty
import re
import subprocess
import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from oauth2_provider.models import get_access_token_model
from tertulia import surroundings
from tertulia.store.credentials import Credentials
from tertulia.surroundings import Surroundings, world

from accounts import bearer
from accounts.actions import revoke_connection
from accounts.models import Connection
from chat.actions import update_settings
from e2e.browser import Owner
from tests import make
from tests.client.conftest import Cli
from tests.client.test_program import program
from tests.live import serving

SECONDS = 20


@pytest.fixture
def address(transactional_db: None, settings: Any) -> Iterator[str]:
    """The hub's address."""
    with serving(settings) as at:
        yield at


@pytest.fixture
def browser(address: str, home: Path) -> Iterator[Callable[[make.Person], None]]:
    """Whom the client's browser belongs to: `browser(alice)`; she allows what it asks."""
    before = vars(world).copy()

    def belongs_to(who: make.Person) -> None:
        owner = Owner(who.user.email, make.PASSWORD, address)
        surroundings.use(
            Surroundings(
                has_browser=lambda: True,
                interactive=lambda: False,
                open_browser=lambda url: threading.Thread(target=owner.authorize, args=(url,), daemon=True).start(),
            )
        )

    yield belongs_to
    vars(world).update(before)


def test_a_newcomer_signs_in_posts_reads_waits_and_signs_out(
    address: str, browser: Callable[[make.Person], None], alice: make.Person, cli: Cli
) -> None:
    browser(alice)
    said = cli("login", address)
    assert said.out == f"Signed in to {address} as alice@example.org.\n"
    assert "client\tTertulia client on " in cli("whoami").out
    assert cli("chat", "post", "please look", "--as", "writer", "--topic", "docs/review").out == "Posted #1 in docs/review.\n"
    assert re.search(r"docs/review c-[0-9a-f]{16} writer\n", cli("chat", "read", "--as", "reader").out)
    assert cli("chat", "wait", "--as", "reader", "--timeout", "0").code == 3
    cli("chat", "post", "-", "--as", "writer", "--reply-to", "1", stdin="olá".encode())
    assert json.loads(cli("chat", "wait", "--as", "reader", "--json").out)["messages"][0]["body"] == "olá"
    assert cli("chat", "wait", "--as", "third", "--timeout", "0", "--exclude-session", "writer").code == 3
    assert cli("chat", "topics").out.startswith("docs/review\t2\t#2\t")
    assert cli("logout").code == 0 and cli("chat", "read").code == 1
    assert Connection.objects.get().revoked_at is not None


def test_a_code_signs_in_where_there_is_no_browser(
    address: str, browser: Callable[[make.Person], None], alice: make.Person, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser(alice)
    owner = Owner(alice.user.email, make.PASSWORD, address)
    shown: list[str] = []
    monkeypatch.setattr("tertulia.oauth.device.tell", shown.append)

    def meanwhile(_: float) -> None:
        code = re.search(r"code (\S+)", shown[0])
        assert code is not None
        with owner.browser() as window:
            asks = owner.signed_in(window, window.open(f"{address}/oauth/device"))
            confirm = window.submit(asks, asks.form_with("user_code"), user_code=code[1])
            window.submit(confirm, confirm.form_with("decision"), decision="allow")

    world.sleep = meanwhile
    assert cli("login", address, "--no-browser").code == 0
    assert "alice@example.org" in cli("whoami").out


def test_a_token_that_ran_out_is_refreshed_on_the_way(
    address: str, browser: Callable[[make.Person], None], alice: make.Person, cli: Cli
) -> None:
    browser(alice)
    cli("login", address)
    before = Credentials().find(None).access_token
    get_access_token_model().objects.update(expires=timezone.now() - timedelta(seconds=1))
    bearer.cache.clear()
    assert cli("chat", "post", "still here", "--as", "writer").code == 0
    assert Credentials().find(None).access_token != before and Connection.objects.count() == 1


def test_the_owners_switch_and_revocation_are_told_in_the_hubs_words(
    address: str, browser: Callable[[make.Person], None], alice: make.Person, cli: Cli
) -> None:
    browser(alice)
    cli("login", address)
    update_settings(alice.actor, account_id=alice.account.pk, allowed=False)
    off = cli("chat", "wait")
    assert off.code == 5 and off.err.count("\n") == 1
    revoke_connection(alice.actor, connection_id=Connection.objects.get().pk)
    ended = cli("chat", "wait")
    assert (ended.code, ended.err) == (1, f"tertulia: Your sign-in to {address} has ended; run: tertulia login {address}\n")


def test_a_session_name_with_a_new_hub_behind_its_mark_reads_from_the_start(
    address: str, browser: Callable[[make.Person], None], alice: make.Person, cli: Cli
) -> None:
    from tertulia.store.marks import Marks

    browser(alice)
    cli("login", address)
    make.message(alice)
    Marks(address, "reader").move(99)
    assert cli("chat", "read", "--as", "reader").out.startswith("#1 ")


def test_charlies_client_sees_nothing_of_alices(
    address: str, browser: Callable[[make.Person], None], alice: make.Person, charlie: make.Person, cli: Cli
) -> None:
    make.message(alice, "for my agents only")
    browser(charlie)
    cli("login", address)
    for arguments in (("chat", "read"), ("chat", "read", "--last", "9"), ("chat", "topics"), ("chat", "tail", "--timeout", "0")):
        assert cli(*arguments).out == ""
    assert cli("chat", "post", "hi", "--reply-to", "1").code == 1


def test_a_terminal_gets_colours_and_no_escape_of_a_message(
    address: str, browser: Callable[[make.Person], None], alice: make.Person, cli: Cli
) -> None:
    browser(alice)
    cli("login", address)
    make.message(alice, "\u202eevil\nsecond line", session_name="writer")
    ours, theirs = pty.openpty()
    with subprocess.Popen(program("chat", "read"), stdout=theirs, stderr=theirs, env={**os.environ, "TERM": "xterm"}) as process:
        os.close(theirs)
        shown = b""
        while True:
            try:
                shown += (chunk := os.read(ours, 65536))
            except OSError:  # what Linux says when the other side is closed
                break
            if not chunk:
                break
        assert process.wait(SECONDS) == 0
    os.close(ours)
    assert b"\x1b[" in shown and b"    \\u202eevil\r\n    second line\r\n" in shown
