"""The account's access mode, and what choosing it brings."""

from dataclasses import replace
from io import BytesIO, StringIO
from typing import Any

import pytest

from audit.models import Entry
from chat.actions import update_settings
from chat.models import ChatSettings, Topic
from chat.transfer.exporting import export
from chat.transfer.importing import Told, bring_in
from core import clock
from core.actor import Door, operator
from core.errors import DomainError, Invalid
from tests import make

pytestmark = pytest.mark.django_db


def choose(who: make.Person, **changes: Any) -> ChatSettings:
    return update_settings(who.actor, account_id=who.account.pk, **changes)


@pytest.mark.parametrize(("server", "kept"), [(14, 14), (30, 30), (365, 30)])
def test_granted_launches_only_brings_its_settings_with_it(alice: make.Person, settings: Any, server: int, kept: int) -> None:
    settings.CHAT_RETENTION_DAYS = server
    make.message(alice, topic="docs")
    chosen = choose(alice, access="granted")
    assert (chosen.only_owner_opens_topics, chosen.keep_thread_openers, chosen.retention_days) == (True, True, kept)
    assert list(Topic.objects.values_list("name", flat=True)) == ["docs"]
    assert Entry.objects.get(deed="chat.settings_changed").details == {
        "access": "granted", "only_owner_opens_topics": True, "keep_thread_openers": True, "retention_days": kept,
    }  # fmt: skip


def test_each_of_them_may_be_changed_after_and_stays_when_every_connection_chats_again(alice: make.Person) -> None:
    choose(alice, access="granted")
    changed = choose(alice, access="granted", only_owner_opens_topics=False, keep_thread_openers=False, retention_days=3)
    assert (changed.only_owner_opens_topics, changed.keep_thread_openers, changed.retention_days) == (False, False, 3)
    again = choose(alice, access="every")
    assert (again.access, again.retention_days) == ("every", 3)


def test_topics_that_hold_messages_count_as_created_once_the_owner_opens_them(alice: make.Person, bob: make.Person) -> None:
    for name in ("docs", "docs", "general", "a/b"):
        make.message(alice, topic=name)
    make.message(bob, topic="theirs")
    now = clock.now()
    Topic.objects.create(account=alice.account, name="old", created_at=now, archived_at=now)
    choose(alice, only_owner_opens_topics=True)
    rows = Topic.objects.order_by("name").values_list("name", "archived_at")
    assert list(rows) == [("a/b", None), ("docs", None), ("general", None), ("old", now)]
    assert make.message(alice, topic="docs") == 5


def test_an_import_brings_its_topics_with_it(alice: make.Person, bob: make.Person) -> None:
    make.message(alice, topic="docs")
    out, quiet = StringIO(), lambda rows: None
    export(operator(alice.account.pk), out, account_id=alice.account.pk, email="", to="x", progress=quiet)
    choose(bob, only_owner_opens_topics=True)
    shell, told = operator(bob.account.pk), Told()
    bring_in(shell, BytesIO(out.getvalue().encode()), told, account_id=bob.account.pk, source="x", complain=print, progress=quiet)
    assert told.stored == 1 and Topic.objects.get().name == "docs"
    assert make.message(bob, topic="docs") == 2


@pytest.mark.parametrize("mode", ["", "everyone", "GRANTED"])
def test_another_mode_is_refused(alice: make.Person, mode: str) -> None:
    with pytest.raises(Invalid):
        choose(alice, access=mode)


@pytest.mark.parametrize("who", ["an agent", "a shell", "staff", "a proof"])
def test_only_the_owner_on_the_settings_page_chooses_the_mode(alice: make.Person, staff: make.Person, who: str) -> None:
    actor = {
        "an agent": make.agent(alice),
        "a shell": operator(alice.account.pk),
        "staff": staff.actor,
        "a proof": replace(alice.actor, door=Door.API),
    }[who]
    with pytest.raises(DomainError):
        update_settings(actor, account_id=alice.account.pk, access="granted")
    assert ChatSettings.objects.get(account=alice.account).access == "every"


@pytest.mark.parametrize(
    ("changes", "kinds"), [({"access": "granted"}, {"chat", "tools", "launches"}), ({"allowed": False}, {"chat"})]
)
def test_who_waits_and_who_listens_hears_of_it(
    alice: make.Person, changes: Any, kinds: set[str], monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    rung: list[str] = []
    monkeypatch.setattr("core.news.couriers.publish", rung.extend)
    with django_capture_on_commit_callbacks(execute=True):
        choose(alice, **changes)
    assert {key.partition(":")[0] for key in rung} - {"audit"} == kinds
