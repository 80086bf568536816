"""What a door learns from a bearer token."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from accounts import actions
from accounts.bearer import REFUSAL, BearerCache, UsageRecorder
from accounts.tokens import LONGEST_TOKEN
from core.actor import Door
from core.errors import Unauthenticated
from core.news import board
from tests import make
from tests.oauth.tokens import token

pytestmark = pytest.mark.django_db


class Clock:
    """A clock a test turns by hand."""

    def __init__(self, now: float) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


def refused(cache: BearerCache, raw: str) -> bool:
    try:
        cache.authenticate(raw)
    except Unauthenticated as error:
        assert error.detail == REFUSAL
        return True
    return False


def test_a_sound_token_names_account_person_connection_scopes_and_client(alice: make.Person) -> None:
    raw, connection = token(alice, scopes="chat.read chat.post")
    identity = BearerCache().authenticate(raw)
    actor = identity.actor(Door.MCP)
    assert (actor.account_id, actor.user_id, actor.connection_id) == (alice.account.pk, alice.user.pk, connection.pk)
    assert actor.scopes == {"chat.read", "chat.post"} and actor.door is Door.MCP
    assert identity.client_id == connection.application.client_id
    assert identity.expires_at == pytest.approx((timezone.now() + timedelta(hours=1)).timestamp(), abs=60)


def test_a_look_up_is_one_query_and_the_next_within_five_seconds_none(alice: make.Person, django_assert_num_queries: Any) -> None:
    raw, _ = token(alice)
    clock = Clock(0.0)
    cache = BearerCache(clock=clock)
    with django_assert_num_queries(1):
        cache.authenticate(raw)
    with django_assert_num_queries(0):
        cache.authenticate(raw)
    clock.now = 5.1
    with django_assert_num_queries(1):
        cache.authenticate(raw)


@pytest.mark.parametrize(
    "raw", ["", "x" * (LONGEST_TOKEN + 1), "a\x00b", "a b", "a\nb", "ключ", "\ud800"], ids=lambda raw: ascii(raw)[:12]
)
def test_what_cannot_be_a_token_never_reaches_the_database(raw: str, db: None, django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(0):
        assert refused(BearerCache(), raw)


def test_an_unknown_token_is_refused(db: None) -> None:
    assert refused(BearerCache(), "unknown")


def test_memory_answers_for_five_seconds_without_the_database_and_never_for_an_expired_token(
    alice: make.Person, django_assert_num_queries: Any
) -> None:
    wall, clock = Clock(timezone.now().timestamp()), Clock(0.0)
    cache = BearerCache(wall=wall, clock=clock)
    raw, connection = token(alice)
    assert cache.remembered(raw) is None
    cache.authenticate(raw)
    with django_assert_num_queries(0):
        assert (known := cache.remembered(raw)) is not None and known.connection_id == connection.pk
        clock.now = 5.1
        assert cache.remembered(raw) is None
        clock.now, wall.now = 0.0, wall.now + 3601
        assert cache.remembered(raw) is None
        assert cache.remembered("a b") is None


def test_an_expired_token_is_refused_even_from_memory(alice: make.Person) -> None:
    wall = Clock(timezone.now().timestamp())
    cache = BearerCache(wall=wall, clock=Clock(0.0))
    raw, _ = token(alice)
    assert not refused(cache, raw)
    wall.now += 3601
    assert refused(cache, raw)


@pytest.mark.parametrize("resource", [[], ["https://elsewhere.example/mcp"], ["http://127.0.0.1:8760/other"]])
def test_a_token_for_another_resource_or_for_none_is_refused(alice: make.Person, resource: list[str]) -> None:
    raw, _ = token(alice, resource=resource)
    assert refused(BearerCache(), raw)


def test_a_token_of_a_user_who_was_switched_off_is_refused(alice: make.Person) -> None:
    raw, _ = token(alice)
    alice.user.is_active = False
    alice.user.save()
    assert refused(BearerCache(), raw)


def test_a_token_without_a_connection_is_refused(alice: make.Person) -> None:
    raw, connection = token(alice)
    connection.delete()
    assert refused(BearerCache(), raw)


def test_the_news_of_a_revocation_clears_that_connection_from_memory(alice: make.Person) -> None:
    cache = BearerCache()
    raw, connection = token(alice)
    other, _ = token(alice)
    cache.authenticate(raw)
    cache.authenticate(other)
    actions.revoke_connection(alice.actor, connection_id=connection.pk)
    cache.forget(actions.connection_key(connection.pk))
    assert refused(cache, raw)
    assert not refused(cache, other)


@pytest.mark.django_db(transaction=True)
def test_a_revoked_token_is_refused_at_once_through_the_cache_of_the_process(transactional_db: None) -> None:
    from accounts import bearer

    alice = make.person("alice@example.org")
    raw, connection = token(alice)
    assert bearer.authenticate(raw).connection_id == connection.pk
    actions.revoke_connection(alice.actor, connection_id=connection.pk)
    with pytest.raises(Unauthenticated):
        bearer.authenticate(raw)


def test_an_answer_read_before_a_revocation_is_not_kept_after_it(alice: make.Person, monkeypatch: pytest.MonkeyPatch) -> None:
    from accounts import bearer

    raw, connection = token(alice)
    cache = BearerCache()
    seen = bearer.look_up

    def slow_look_up(checksum: str) -> bearer.BearerIdentity:
        identity = seen(checksum)
        actions.revoke_connection(alice.actor, connection_id=connection.pk)
        cache.forget(actions.connection_key(connection.pk))
        return identity

    monkeypatch.setattr(bearer, "look_up", slow_look_up)
    cache.authenticate(raw)
    monkeypatch.undo()
    assert refused(cache, raw)


def test_memory_is_bounded(alice: make.Person, monkeypatch: pytest.MonkeyPatch) -> None:
    from accounts import bearer

    monkeypatch.setattr(bearer, "CACHE_SIZE", 2)
    cache = BearerCache()
    tokens = [token(alice)[0] for _ in range(3)]
    for raw in tokens:
        cache.authenticate(raw)
    assert [cache.remembered(raw) is None for raw in tokens] == [True, False, False]


def test_the_app_hears_revocations() -> None:
    from accounts.bearer import cache

    assert cache.forget in board._listeners["connection"]


def test_last_use_is_written_when_flushed_and_not_before(alice: make.Person, django_assert_num_queries: Any) -> None:
    moment = timezone.now()
    recorder = UsageRecorder(now=lambda: moment)
    connection = make.connection(alice)
    with django_assert_num_queries(0):
        recorder.note(connection.pk)
    assert recorder.flush() == 1
    connection.refresh_from_db()
    assert connection.last_used_at == moment
    assert recorder.flush() == 0


def test_a_flush_that_fails_keeps_what_was_noted(alice: make.Person, monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = UsageRecorder(now=timezone.now)
    connection = make.connection(alice)
    recorder.note(connection.pk)

    def broken(last_used: dict[str, datetime]) -> None:
        raise RuntimeError("the database is away")

    monkeypatch.setattr(actions, "note_use", broken)
    with pytest.raises(RuntimeError):
        recorder.flush()
    monkeypatch.undo()
    assert recorder.flush() == 1
