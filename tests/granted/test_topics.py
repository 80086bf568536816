"""Topics that the owner opens and archives."""

from typing import Any

import pytest

from chat.models import ChatSettings, Message, Topic
from chat.openings import check_may_read
from chat.store import standing
from core import clock
from core.errors import Forbidden
from tests import make

pytestmark = pytest.mark.django_db


@pytest.fixture
def strict(alice: make.Person) -> make.Person:
    """An owner without whom no topic is opened."""
    ChatSettings.objects.filter(account=alice.account).update(only_owner_opens_topics=True)
    return alice


def topic(who: make.Person, name: str, *, archived: bool = False) -> Topic:
    now = clock.now()
    return Topic.objects.create(account=who.account, name=name, created_at=now, archived_at=now if archived else None)


def refused(deed: Any) -> str:
    with pytest.raises(Forbidden) as refusal:
        deed()
    return refusal.value.code


def test_t_22_a_post_in_an_unknown_topic_is_refused_where_only_the_owner_opens_topics(strict: make.Person) -> None:
    assert refused(lambda: make.message(strict, topic="docs")) == "topic_unknown"
    assert not Message.objects.exists()
    topic(strict, "docs")
    assert make.message(strict, topic="docs") == 1


def test_t_22_general_is_always_open(strict: make.Person) -> None:
    assert make.message(strict) == 1 and make.message(strict, topic="general") == 2


@pytest.mark.parametrize("only_owner", [False, True])
def test_t_22_a_post_in_an_archived_topic_is_refused_always(alice: make.Person, only_owner: bool) -> None:
    root = make.message(alice, topic="docs")
    ChatSettings.objects.filter(account=alice.account).update(only_owner_opens_topics=only_owner)
    topic(alice, "docs", archived=True)
    topic(alice, "general", archived=True)
    posts: list[dict[str, Any]] = [{"topic": "docs"}, {}, {"reply_to": root}, {"reply_to": root, "topic": "docs"}]
    assert [refused(lambda more=more: make.message(alice, **more)) for more in posts] == ["topic_archived"] * 4
    assert Message.objects.count() == 1


def test_t_22_a_topic_of_another_account_opens_nothing(strict: make.Person, bob: make.Person) -> None:
    topic(bob, "docs")
    assert refused(lambda: make.message(strict, topic="docs")) == "topic_unknown"


def test_t_22_an_agent_reads_no_unknown_topic_and_its_owner_finds_it_empty(strict: make.Person) -> None:
    agent, person = make.agent(strict), strict.actor
    topic(strict, "docs", archived=True)
    asked = standing(strict.account.pk, agent.connection_id, topic="none")
    assert refused(lambda: check_may_read(asked, "none")) == "topic_unknown"
    check_may_read(standing(strict.account.pk, person.connection_id, topic="none"), "none")
    check_may_read(standing(strict.account.pk, agent.connection_id, topic="docs"), "docs")
