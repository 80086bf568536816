"""Sending what waits in the outbox: tried three times, never by two workers at once, never lost."""

from typing import Any

import pytest

from audit.models import Entry as Audit
from core.actor import system
from core.errors import Forbidden
from sessions_app.announcing import actions, messengers
from sessions_app.announcing.delivering import send, sweep
from sessions_app.announcing.tasks import deliver
from sessions_app.models import Announcement, Route
from tests import make
from tests.announcing.messenger import Messenger
from tests.announcing.sending import phone_route, put, sure
from tests.clock import Clock

pytestmark = pytest.mark.django_db


@pytest.fixture
def waiting(alice: make.Person, phone: Messenger) -> Announcement:
    """One for the messenger."""
    phone_route(alice, phone)
    return sure(put(make.session(alice, "agent:main:discord:group:target"), "hello"))


def state(announcement: Announcement) -> tuple[str, int, str]:
    announcement.refresh_from_db()
    return announcement.state, announcement.attempts, announcement.detail


def test_the_task_sends_it_once_however_often_it_is_hinted(waiting: Announcement, phone: Messenger) -> None:
    for _ in range(3):
        deliver(waiting.pk)
    assert phone.texts == ["hello"] and state(waiting) == ("sent", 1, "")
    entry = Audit.objects.get(deed="announcement.sent")
    assert entry.details["channel"] == "discord" and "hello" not in str(entry.details)


def test_what_nobody_was_told_of_is_found_by_the_sweep(waiting: Announcement, phone: Messenger) -> None:
    assert sweep(system()) == 1 and sweep(system()) == 0
    assert phone.texts == ["hello"]


def test_o_126_a_delivery_that_fails_three_times_is_recorded_as_failed_and_not_tried_again(
    waiting: Announcement, phone: Messenger, clock: Clock
) -> None:
    Announcement.objects.update(next_at=clock.moment)
    phone.statuses = [500] * 9
    for attempt in (1, 2):
        sweep(system())
        assert state(waiting) == ("pending", attempt, "The messenger did not take it.")
        assert sweep(system()) == 0 and len(phone.told) == attempt
        clock.forward(minutes=3)
    sweep(system())
    assert state(waiting) == ("failed", 3, "The messenger did not take it.")
    clock.forward(days=1)
    sweep(system())
    assert len(phone.told) == 3
    assert Audit.objects.get(deed="announcement.failed").details["why"] == "The messenger did not take it."


def test_one_that_is_refused_once_arrives_with_the_second_try(waiting: Announcement, phone: Messenger, clock: Clock) -> None:
    Announcement.objects.update(next_at=clock.moment)
    phone.statuses = [503]
    sweep(system())
    clock.forward(seconds=30)
    assert sweep(system()) == 1 and state(waiting) == ("sent", 2, "")


def test_two_workers_never_send_one_announcement(waiting: Announcement, phone: Messenger) -> None:
    claimed = actions.claim(system(), waiting.pk)
    assert claimed is not None and actions.claim(system(), waiting.pk) is None
    assert not send(system(), waiting.pk) and phone.told == []


def test_a_claim_whose_worker_died_runs_out_and_it_is_sent_then(waiting: Announcement, phone: Messenger, clock: Clock) -> None:
    Announcement.objects.update(next_at=clock.moment)
    actions.claim(system(), waiting.pk)
    clock.forward(seconds=119)
    assert sweep(system()) == 0
    clock.forward(seconds=1)
    assert sweep(system()) == 1 and phone.texts == ["hello"]


def test_one_whose_worker_died_three_times_fails_with_its_reason(waiting: Announcement, clock: Clock) -> None:
    Announcement.objects.update(next_at=clock.moment)
    for _ in range(3):
        actions.claim(system(), waiting.pk)
        clock.forward(minutes=3)
    sweep(system())
    assert state(waiting)[0] == "failed" and "was gone" in state(waiting)[2]


def test_a_late_worker_does_not_settle_what_another_sends(waiting: Announcement, clock: Clock) -> None:
    Announcement.objects.update(next_at=clock.moment)
    late = actions.claim(system(), waiting.pk)
    clock.forward(minutes=3)
    assert late is not None and actions.claim(system(), waiting.pk) is not None
    assert not actions.settle_sent(system(), late) and state(waiting)[0] == "pending"


def test_no_route_for_the_channel_is_told_to_the_owner_and_to_nobody_else(alice: make.Person) -> None:
    made = sure(put(make.session(alice, "agent:main:telegram:group:1")))
    assert not send(system(), made.pk)
    assert state(made) == ("failed", 1, "There is no route for telegram; add one to the account's routes.")


def test_a_route_that_is_switched_off_or_anothers_is_none(alice: make.Person, charlie: make.Person, phone: Messenger) -> None:
    phone_route(charlie, phone, "telegram")
    phone_route(alice, phone, "telegram", enabled=False)
    send(system(), sure(put(make.session(alice, "agent:main:telegram:group:1"))).pk)
    assert phone.told == []


def test_the_route_of_the_senders_own_account_comes_first(alice: make.Person, phone: Messenger) -> None:
    phone_route(alice, phone, "slack", address=phone.address("any"))
    phone_route(alice, phone, "slack", address=phone.address("work"), to_account="work")
    for account in ("work", "home"):
        session = make.session(alice, "main", last_channel="slack", last_to="x", last_account_id=account)
        send(system(), sure(put(session, cause=account)).pk)
    assert [path for path, _ in phone.told] == ["/work", "/any"]


def test_whom_it_is_for_stays_one_part_of_the_address(alice: make.Person, phone: Messenger) -> None:
    phone_route(alice, phone, "slack", address=phone.address("room/{to}"))
    for to in ("../admin?x=1", "a b#c", "@evil.example/"):
        session = make.session(alice, "main", last_channel="slack", last_to=to)
        send(system(), sure(put(session, cause=to)).pk)
    assert len(phone.told) == 3 and all(path.startswith("/room/") and "?" not in path for path, _ in phone.told)


def test_a_route_that_needs_to_know_whom_it_is_for_says_so(alice: make.Person, phone: Messenger) -> None:
    phone_route(alice, phone, "slack")
    made = sure(put(make.session(alice, "main", last_channel="slack")))
    send(system(), made.pk)
    assert state(made)[0] == "failed" and "whom it is for" in state(made)[2] and phone.told == []


def test_a_redirect_is_not_followed(waiting: Announcement, phone: Messenger) -> None:
    phone.statuses = [307]
    send(system(), waiting.pk)
    assert [path for path, _ in phone.told] == ["/target/"] and state(waiting)[0] == "pending"


def test_an_address_that_has_become_private_is_not_called(waiting: Announcement, phone: Messenger, settings: Any) -> None:
    settings.PRIVATE_ADDRESSES = False
    send(system(), waiting.pk)
    assert phone.told == [] and "private network" in state(waiting)[2]


def test_a_secret_that_no_key_opens_fails_for_good(waiting: Announcement, phone: Messenger) -> None:
    Route.objects.update(address_encrypted=b"nonsense")
    send(system(), waiting.pk)
    assert state(waiting)[0] == "failed" and "save the route anew" in state(waiting)[2]


def test_whatever_breaks_it_is_kept_for_another_try_without_its_words(
    waiting: Announcement, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*args: object, **more: object) -> bool:
        raise RuntimeError("https://secret.example/token")

    monkeypatch.setattr("apprise.Apprise.notify", broken)
    send(system(), waiting.pk)
    assert state(waiting) == ("pending", 1, "The messenger did not take it.") and "secret" not in caplog.text


def test_a_long_text_is_cut_and_says_so(alice: make.Person, phone: Messenger) -> None:
    phone_route(alice, phone)
    send(system(), sure(put(make.session(alice, "agent:main:discord:group:t"), "x" * 300_000 + "\0")).pk)
    assert len(phone.texts[0]) <= 8_000 and phone.texts[0].endswith("transcript)")


@pytest.mark.parametrize("who", ["owner", "agent"])
def test_only_the_hub_sends(alice: make.Person, waiting: Announcement, who: str) -> None:
    with pytest.raises(Forbidden):
        send(alice.actor if who == "owner" else make.agent(alice), waiting.pk)
    assert actions.CLAIM.total_seconds() > messengers.SECONDS


def test_parts_that_wait_hear_of_the_end_in_its_transaction(waiting: Announcement) -> None:
    from sessions_app.signals import announcement_ended

    heard: list[str] = []

    def hear(sender: object, announcement: Announcement, **kwargs: object) -> None:
        heard.append(announcement.state)

    announcement_ended.connect(hear)
    try:
        send(system(), waiting.pk)
    finally:
        announcement_ended.disconnect(hear)
    assert heard == ["sent"]
