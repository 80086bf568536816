"""The push inbox at the REST doors: what is read, and who may."""

from typing import Any

import pytest

from audit.models import Entry
from sessions_app.models import Session
from tests import make
from tests.api.driver import agent, is_problem, person
from tests.push_verbs.firing import confirm_rule, notify_rule
from tests.pushing import push_many, pushed
from triggers.firing.dispatch import hint
from triggers.models import PushMessage

INBOX = "/api/channel/"


def seqs(answer: Any, name: str = "messages") -> list[int]:
    assert answer.status_code == 200, answer.content
    return [row["seq"] for row in answer.json()[name]]


def test_c_120_of_25_messages_the_20_newest_come_oldest_first_with_total_and_unread(alice: make.Person) -> None:
    push_many(alice, 25)
    told = person(alice).get(INBOX).json()
    assert [row["seq"] for row in told["messages"]] == list(range(6, 26))
    assert (told["total"], told["unread"], told["paused"]) == (25, 25, False)
    assert told["banner"]["lines"][0] == "25 new messages since you acknowledged last"


def test_c_121_one_channel_alone_and_the_total_of_the_ring(alice: make.Person) -> None:
    for channel in ("ci-pipeline", "alerts", "ci-pipeline"):
        pushed(alice, channel=channel)
    told = person(alice).get(f"{INBOX}?channel=ci-pipeline")
    assert seqs(told) == [1, 3] and told.json()["total"] == 3


def test_c_122_a_star_is_all_and_an_unknown_channel_none(alice: make.Person) -> None:
    push_many(alice, 2)
    assert seqs(person(alice).get(f"{INBOX}?channel=*")) == [1, 2]
    assert seqs(person(alice).get(f"{INBOX}?channel=nowhere")) == []


def test_c_118_nothing_new_has_no_banner(alice: make.Person) -> None:
    pushed(alice)
    person(alice).post("/api/channel/ack/")
    assert person(alice).get(INBOX).json()["banner"] is None


def test_a_message_of_a_list_is_cut_and_one_alone_is_whole(alice: make.Person) -> None:
    pushed(alice, "a\n" + "b" * 5000, method="notifications/alerts")
    row = person(alice).get(INBOX).json()["messages"][0]
    assert len(row["preview"]) == 120 and row["preview"].startswith("a\\nbb") and "content" not in row
    whole = person(alice).get("/api/channel/messages/1/").json()
    assert (whole["content"], whole["method"]) == ("a\n" + "b" * 5000, "notifications/alerts")


def test_all_that_is_kept_comes_newest_first_page_by_page(alice: make.Person) -> None:
    push_many(alice, 3)
    pushed(alice, channel="builds", server="ci")
    path, found = "/api/channel/messages/?page_size=2", []
    while path:
        answer = person(alice).get(path)
        found += seqs(answer, "results")
        path = answer.json()["next"]
    assert found == [4, 3, 2, 1]
    assert seqs(person(alice).get("/api/channel/messages/?server=ci&channel=builds"), "results") == [4]


def test_c_36_clear_empties_the_list_and_the_trail_keeps_it(alice: make.Person) -> None:
    push_many(alice, 3)
    caller = person(alice)
    assert caller.post("/api/channel/clear/", {}).json() == {"cleared": 3}
    told = caller.get(INBOX).json()
    assert (told["messages"], told["total"], told["unread"]) == ([], 0, 0)
    assert pushed(alice).seq == 4 and seqs(caller.get(f"{INBOX}?all=true")) == [1, 2, 3, 4]


def test_c_37_clear_all_deletes_for_good(alice: make.Person) -> None:
    push_many(alice, 3)
    assert person(alice).post("/api/channel/clear/", {"all": True}).json() == {"cleared": 3}
    assert not PushMessage.objects.exists() and pushed(alice).seq == 4
    assert Entry.objects.get(deed="push.deleted").door == "api"


def test_c_110_ack_takes_attention_off_and_leaves_the_list_and_the_question(alice: make.Person) -> None:
    notify_rule(alice)
    confirm_rule(alice, channel="builds")
    push_many(alice, 2)
    pushed(alice, channel="builds")
    hint(alice.account.pk)
    caller = person(alice)
    assert caller.post("/api/channel/ack/").json() == {"messages": 3, "firings": 3}
    told = caller.get(INBOX).json()
    assert (len(told["messages"]), told["unread"]) == (3, 0)
    assert [each["channel"] for each in told["banner"]["waiting"]] == ["builds"] and "channel confirm 4 yes|no" in str(told)


def test_injecting_puts_messages_into_the_main_session(alice: make.Person) -> None:
    push_many(alice, 12)
    assert person(alice).post("/api/channel/inject/", {}).json() == {"injected": 10}
    assert Session.objects.get().key == "agent:main:main"
    is_problem(person(alice).post("/api/channel/inject/", {"session": "hook:nowhere"}), 404, "not_found")


def test_an_agent_reads_and_acknowledges_and_is_told_of_no_firing(alice: make.Person) -> None:
    confirm_rule(alice)
    pushed(alice)
    caller = agent(alice)
    told = caller.get(INBOX).json()
    assert told["banner"]["waiting"] == [] and "confirm" not in str(told["banner"])
    assert seqs(caller.get("/api/channel/messages/"), "results") == [1]
    assert caller.post("/api/channel/ack/").json()["messages"] == 1


DEEDS = [
    ("POST", "clear/", {}),
    ("POST", "clear/", {"all": True}),
    ("POST", "inject/", {}),
    ("POST", "pause/", None),
    ("POST", "resume/", None),
    ("POST", "messages/1/run/", None),
    ("POST", "firings/1/confirm/", {"answer": "yes"}),
    ("POST", "firings/1/stop/", None),
    ("POST", "rules/reload/", None),
    ("POST", "rules/test/", {"rules": []}),
    ("GET", "firings/", None),
    ("GET", "rules/", None),
    ("GET", "status/", None),
    ("GET", "servers/ci/log/", None),
]


@pytest.mark.parametrize(("method", "path", "body"), DEEDS)
def test_no_token_of_an_agent_does_what_is_its_owners(alice: make.Person, method: str, path: str, body: Any) -> None:
    confirm_rule(alice)
    pushed(alice)
    is_problem(agent(alice).ask(method, INBOX + path, body), 403, "owner_only")
    assert not Entry.objects.exclude(deed__in=["account.created", "rule.added"]).exists()


@pytest.mark.parametrize("path", ["", "messages/", "messages/1/"])
def test_a_token_that_may_not_read_push_messages_reads_none(alice: make.Person, path: str) -> None:
    pushed(alice)
    is_problem(agent(alice, scopes="chat.read").get(INBOX + path), 403, "insufficient_scope")


def test_charlie_sees_and_changes_nothing_of_hers(alice: make.Person, charlie: make.Person, staff: make.Person) -> None:
    confirm_rule(alice)
    pushed(alice, "hers")
    for caller in (person(charlie), person(staff)):
        for path in ("", "messages/", "firings/", "rules/", "status/"):
            assert b"hers" not in caller.get(INBOX + path).content
        for path in ("messages/1/", "servers/ci/log/"):
            is_problem(caller.get(INBOX + path), 404, "not_found")
        for path, body in (("messages/1/run/", None), ("firings/1/confirm/", {"answer": "no"}), ("firings/1/stop/", None)):
            unknown = path.replace("1", "99")
            assert is_problem(caller.post(INBOX + path, body), 404, "not_found") == is_problem(
                caller.post(INBOX + unknown, body), 404, "not_found"
            )
        caller.post("/api/channel/clear/", {"all": True})
    assert PushMessage.objects.get(unread=True).content == "hers"
