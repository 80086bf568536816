"""The owner's verbs and the pane against the real hub, over sockets."""

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connections
from tertulia.pane.app import ChatPane
from tertulia.signing import Hub
from tertulia.store.credentials import Credentials
from tertulia.surroundings import world
from tertulia.wire import Wire

from accounts.models import Connection, Launch, OwnerProof
from audit.models import Entry
from chat.models import Grant, Message, Topic
from e2e.browser import Owner
from tests import make
from tests.client.conftest import Cli
from tests.live import serving
from tests.owner_verbs.conftest import Person


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def at_the_hub(transactional_db: None, settings: Any, alice: make.Person, home: object, cli: Cli) -> Iterator[Person]:
    """Alice, signed in at her terminal."""
    before = vars(world).copy()
    with serving(settings) as address:
        owner = Owner(alice.user.email, make.PASSWORD, address)
        world.has_browser = lambda: True
        world.open_browser = lambda url: threading.Thread(target=owner.authorize, args=(url,), daemon=True).start()
        assert cli("login", address).code == 0
        person = Person(passwords=[make.PASSWORD] * 9)
        world.interactive = lambda: True
        world.ask, world.ask_secret = person.ask, person.ask_secret
        yield person
    vars(world).update(before)


@pytest.fixture
def launch(at_the_hub: Person, alice: make.Person) -> Launch:
    """A launch of hers, under the connection of her client."""
    return make.launch(alice, connection_=Connection.objects.get())


def deeds() -> list[str]:
    return list(Entry.objects.order_by("id").values_list("deed", flat=True))


def test_a_grant_and_its_end(at_the_hub: Person, launch: Launch, cli: Cli) -> None:
    at_the_hub.answers = ["lead"]
    said = cli("chat", "grant", launch.key[:8], "--wake")
    assert said.out == f"Granted: {launch.key} chats as @lead and is woken by a mention.\n"
    assert Grant.objects.get().wake and "\tgranted-tools-pending\tchat+wake\t" in cli("chat", "grants").out
    assert cli("chat", "revoke", "lead").code == 0 and Grant.objects.get().end == Grant.REVOKED
    assert cli("chat", "grants", "--maintainer").out.split("\t")[3] == "revoked"


def test_t_04_a_handle_typed_wrong_grants_nothing_and_is_recorded(at_the_hub: Person, launch: Launch, cli: Cli) -> None:
    at_the_hub.answers = ["laed"]
    said = cli("chat", "grant", "lead")
    assert said.code == 5 and not Grant.objects.exists() and "chat.grant_refused" in deeds()


def test_a_wrong_password_opens_nothing(at_the_hub: Person, launch: Launch, cli: Cli) -> None:
    at_the_hub.passwords = ["x", "y", "z"]
    assert cli("chat", "grant", "lead").code == 5 and not OwnerProof.objects.exists() and "proof.refused" in deeds()


def test_the_maintainer_mentions_a_launch_and_hears_of_the_wake(at_the_hub: Person, launch: Launch, cli: Cli) -> None:
    at_the_hub.answers = ["lead"]
    cli("chat", "grant", "lead", "--wake")
    said = cli("chat", "post", "plans", "@lead @ghost please look", "--maintainer")
    assert said.out == "Posted #1 in plans.\n" and "@lead is not woken" in said.err and "@ghost: nobody" in said.err
    message = Message.objects.get()
    assert (message.session_name, message.connection_id or "") == ("maintainer", "")
    cli("chat", "post", "plans", "and more", "--thread", "1", "--as", "writer")
    for shown in (cli("chat", "read", "--thread", "1").out, cli("chat", "read", "plans").out):
        assert shown.startswith("#1 ") and " plans owner maintainer\n" in shown and " writer\n    and more\n" in shown


def test_topics_are_created_archived_and_opened_again(at_the_hub: Person, cli: Cli) -> None:
    assert cli("chat", "topic-create", "plans").code == 0 and cli("chat", "topic-create", "plans").code == 1
    assert cli("chat", "topic-create", "a b").code == 1
    assert cli("chat", "topic-archive", "plans").code == 0 and cli("chat", "post", "plans", "hi", "--as", "x").code != 0
    assert cli("chat", "topic-archive", "plans", "--undo").code == 0
    assert cli("chat", "post", "plans", "hi", "--as", "x").code == 0 and Topic.objects.get().archived_at is None


def test_t_71_the_word_removes_every_message_and_the_numbers_go_on(at_the_hub: Person, cli: Cli) -> None:
    cli("chat", "post", "one", "--as", "x")
    assert cli("chat", "prune").out == "Removed 0 messages.\n"
    at_the_hub.answers = ["porridge", "purge"]
    assert cli("chat", "purge").code == 5 and Message.objects.count() == 1
    assert cli("chat", "purge").out == "Removed 1 messages.\n" and not Message.objects.exists()
    assert cli("chat", "post", "two", "--as", "x").out == "Posted #2 in general.\n"
    assert cli("chat", "purge", "--yes").code == 0 and not Message.objects.exists()


def test_the_owner_proves_it_in_a_browser(at_the_hub: Person, alice: make.Person, cli: Cli) -> None:
    owner = Owner(alice.user.email, make.PASSWORD, Credentials().find(None).hub)

    def approves(address: str) -> None:
        with owner.browser() as window:
            page = owner.signed_in(window, window.open(address))
            window.submit(page, page.form_with("decision"), decision="allow")

    world.open_browser, world.sleep = approves, lambda _: None
    assert cli("chat", "topic-create", "plans", "--browser").code == 0 and Topic.objects.exists()


def test_only_the_owner_reads_where_only_granted_launches_chat(at_the_hub: Person, alice: make.Person, cli: Cli) -> None:
    from chat.actions import update_settings

    cli("chat", "post", "one", "--as", "x")
    update_settings(alice.actor, account_id=alice.account.pk, access="granted")
    refused = cli("chat", "read")
    assert refused.code == 5 and refused.err.endswith("as the owner in person: add --maintainer\n")
    assert "one" in cli("chat", "read", "general", "--maintainer").out and "one" in cli("chat", "wait", "--maintainer").out


def test_doctor_mentions_a_launch_as_the_owner(at_the_hub: Person, launch: Launch, cli: Cli) -> None:
    at_the_hub.answers = ["lead"]
    cli("chat", "grant", "lead")
    world.sleep, world.monotonic = lambda _: None, iter(range(0, 10**6, 5)).__next__  # each look at the clock is 5 s later
    said = cli("doctor", "--mention", "lead")
    assert "Mention #1 is stored for @lead." in said.out and "has not been told in 20 seconds" in said.out


@pytest.mark.anyio
async def test_the_pane_posts_and_shows_what_comes(
    at_the_hub: Person, alice: make.Person, launch: Launch, monkeypatch: pytest.MonkeyPatch
) -> None:
    import asyncio

    from tests.pane.conftest import Pane

    monkeypatch.setattr("tertulia.pane.link.HOLD_SECONDS", 2)  # the hub ends with the last held call
    held = Credentials().find(None)
    with Wire(held.hub) as wire:
        app = ChatPane(Hub(wire, held))
        async with app.run_test(size=(80, 24), notifications=True) as pilot:
            pane = Pane(app, pilot)
            await pane.until(lambda: "lead" in pane.screen)
            await pane.types("hello from the pane")
            await pane.proves(make.PASSWORD)
            await pane.until(lambda: "✓verified maintainer" in pane.stream)
            await asyncio.to_thread(_post, alice, "seen at once")
            await pane.until(lambda: "seen at once" in pane.stream)


def _post(who: make.Person, body: str) -> None:
    """In a thread of its own, whose connection ends with it."""
    try:
        make.message(who, body, session_name="peer")
    finally:
        connections.close_all()
