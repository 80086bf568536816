"""Whether a topic is open to whoever reads or posts in it. Pure."""

from django.utils.translation import gettext as _

from chat.topics import DEFAULT_TOPIC
from chat.values import Standing, TopicRow
from core.errors import Forbidden

ARCHIVED = "topic_archived"
UNKNOWN = "topic_unknown"


def check_may_post(standing: Standing, topic: str, row: TopicRow | None = None) -> None:
    """Raise Forbidden for a topic that is archived, or that nobody opened where only the owner opens topics.

    `row`: what the owner did about the topic, where the standing was not asked about it (a reply's, from its parent).
    """
    known = standing.topic if row is None else row
    if known is TopicRow.ARCHIVED:
        said = _("The topic %(topic)s is archived and takes no posts; post in another one, or ask the owner to take it back.")
        raise Forbidden(said % {"topic": topic}, code=ARCHIVED)
    _check_known(standing, topic, known)


def check_may_read(standing: Standing, topic: str) -> None:
    """Raise Forbidden for an agent's read of a topic that nobody opened where only the owner opens topics."""
    if standing.is_agent:
        _check_known(standing, topic, standing.topic)


def _check_known(standing: Standing, topic: str, row: TopicRow) -> None:
    if standing.only_owner_opens_topics and row is TopicRow.NONE and topic != DEFAULT_TOPIC:
        said = _("There is no topic %(topic)s, and only the owner opens topics; take one that exists, or ask the owner for it.")
        raise Forbidden(said % {"topic": topic}, code=UNKNOWN)
