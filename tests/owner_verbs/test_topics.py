"""`tertulia chat topic-create`, `prune`, `purge`."""

from tests.client.conftest import Cli
from tests.client.stub import Stub, answer, refused
from tests.owner_verbs.conftest import Person

PURGE = "/api/chat/purge/"


def test_a_topic_is_created_in_person_and_offered_on_tab_after(hub: Stub, cli: Cli, person: Person) -> None:
    from tertulia.commands import completing

    hub.says("/api/topics/", answer(201, {"topic": "plans"}))
    assert cli("chat", "topic-create", "plans").out == "Created the topic plans.\n"
    assert hub.bodies("/api/topics/") == [{"topic": "plans"}] and completing.topics("pl") == ["plans"]


def test_the_hubs_refusal_of_a_topic_is_its_sentence(hub: Stub, cli: Cli, person: Person) -> None:
    hub.says("/api/topics/", refused(409, "topic_exists", "There is a topic plans already."))
    assert cli("chat", "topic-create", "plans").err.endswith("tertulia: There is a topic plans already.\n")


def test_prune_says_how_many_went(hub: Stub, cli: Cli, person: Person) -> None:
    hub.says("/api/chat/prune/", answer(200, {"removed": 12}))
    assert cli("chat", "prune").out == "Removed 12 messages.\n"


def test_t_71_only_the_word_purges(hub: Stub, cli: Cli, person: Person) -> None:
    hub.says(PURGE, answer(200, {"removed": 3}))
    person.answers = ["yes"]
    assert cli("chat", "purge").code == 5 and not hub.to(PURGE)
    person.answers, person.passwords = ["purge"], ["correct horse", "correct horse"]
    assert cli("chat", "purge").out == "Removed 3 messages.\n"
    assert cli("chat", "purge", "--yes").code == 0 and hub.bodies(PURGE) == [{"word": "purge"}] * 2
