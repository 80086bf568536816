"""What a shell is offered on Tab, of a hub that means harm."""

import pytest
from tertulia.store.files import PrivateFile
from tertulia.store.topics import known_topics

from tests.client.conftest import Cli, cli, home, hub, time
from tests.client.stub import HUB, Stub, answer, signed_in

__all__ = ["cli", "home", "hub", "time"]  # fixtures
TOPICS = "/api/topics/"


@pytest.mark.parametrize(
    "topic", ["$(id)", "a`id`", 'x";id;"', "\\$(id)", "x; id", "-rf", "\x1b]0;x\x07", "a\nb", "a b", "é", "a" * 101, ""]
)
def test_the_shell_is_offered_nothing_of_a_hub_that_is_no_topic(topic: str, hub: Stub, cli: Cli) -> None:
    signed_in()
    hub.says(TOPICS, answer(200, {"results": [{"topic": topic}, {"topic": "docs/review"}]}))
    assert cli("chat", "topics").code == 0
    assert known_topics(HUB) == ["docs/review"]


def test_what_an_older_client_kept_is_not_offered_either(hub: Stub, home: object) -> None:
    PrivateFile("topics.json").write({HUB: ["$(id)", "general", 7]})
    assert known_topics(HUB) == ["general"]
