"""What waits stands above the list, and only while something waits."""

from tests import make
from tests.clock import Clock
from tests.make import Person
from tests.pushing import arrival, rule
from tests.pushing import push_many as stored_many
from triggers.firing.actions import confirm, drain
from triggers.inbox.actions import ack, clear, store
from triggers.inbox.reading import Banner, BannerLine, banner, listed


def pushed(who: Person, content: str = "hello", channel: str = "alerts") -> None:
    """A message, and all that follows its commit."""
    store(who.account.pk, [arrival(content, channel)])
    drain(who.account.pk)


def push_many(who: Person, count: int) -> None:
    """As many, and all that follows."""
    stored_many(who, count)
    drain(who.account.pk)


def test_c_118_with_nothing_pending_and_nothing_unread_there_is_none(alice: Person) -> None:
    assert banner(alice.actor) is None
    push_many(alice, 2)
    ack(alice.actor)
    assert banner(alice.actor) is None


def test_it_counts_what_came_since_the_last_ack(alice: Person) -> None:
    push_many(alice, 2)
    assert banner(alice.actor) == Banner(2, (), 0, ("ack", "list"))


def test_a_firing_is_a_line_and_one_that_asks_has_a_hint(alice: Person) -> None:
    rule(alice, "told")
    rule(alice, "ask", channel="deploys", mode="confirm", prompt="go {{content}}")
    pushed(alice, "disk\nfull", channel="alerts")
    pushed(alice, "v2", channel="deploys")
    found = banner(alice.actor)
    assert found is not None and found.messages == 2
    assert found.lines == (
        BannerLine(1, False, "[prom/alerts] told disk\\nfull"),
        BannerLine(2, False, "[prom/deploys] told v2"),
        BannerLine(3, True, "[prom/deploys] ask v2"),
    )
    assert found.hints == ("ack", "list", "confirm 3 yes|no")


def test_c_110_ack_clears_notices_and_keeps_the_question(alice: Person) -> None:
    rule(alice, "told", channel="alerts")
    rule(alice, "ask", channel="deploys", mode="confirm", prompt="go")
    push_many(alice, 3)
    pushed(alice, channel="deploys")
    ack(alice.actor)
    pushed(alice, channel="other")
    before = [row.seq for row in listed(alice.actor).messages]
    done = ack(alice.actor)
    assert (done.messages, done.firings) == (1, 0)
    found = banner(alice.actor)
    assert found is not None and [line.asks for line in found.lines] == [True]
    assert [row.seq for row in listed(alice.actor).messages] == before


def test_c_110_three_notices_and_three_messages_are_counted(alice: Person) -> None:
    rule(alice, "told")
    push_many(alice, 3)
    done = ack(alice.actor)
    assert (done.messages, done.firings) == (3, 3)


def test_clearing_the_list_keeps_the_question(alice: Person) -> None:
    rule(alice, "ask", mode="confirm", prompt="go")
    pushed(alice)
    clear(alice.actor)
    found = banner(alice.actor)
    assert found is not None and (found.messages, found.hints[-1]) == (0, "confirm 1 yes|no")


def test_a_question_that_was_answered_or_expired_no_longer_stands_there(alice: Person, clock: Clock) -> None:
    rule(alice, "ask", mode="confirm", prompt="go")
    push_many(alice, 2)
    confirm(alice.actor, 1, "no")
    found = banner(alice.actor)
    assert found is not None and [line.number for line in found.lines] == [2]
    clock.forward(minutes=31)
    ack(alice.actor)
    assert banner(alice.actor) is None


def test_many_firings_are_cut_and_counted_and_those_that_ask_are_not_pushed_out(alice: Person) -> None:
    rule(alice, "ask", channel="deploys", mode="confirm", prompt="go")
    pushed(alice, channel="deploys")
    rule(alice, "told", channel="alerts")
    push_many(alice, 30)
    found = banner(alice.actor)
    assert found is not None and (len(found.lines), found.more) == (21, 10)
    assert found.lines[0].asks


def test_a_forged_channel_makes_no_second_line(alice: Person) -> None:
    rule(alice, "told")
    pushed(alice, channel="x] ask\n[prom/y")
    found = banner(alice.actor)
    assert found is not None and len(found.lines[0].text.splitlines()) == 1
    assert found.lines[0].text.count("]") == 1


def test_a_name_of_a_rule_turns_nothing_around(alice: Person) -> None:
    rule(alice, "told\u202e")
    pushed(alice)
    assert "\u202e" not in banner(alice.actor).lines[0].text  # type: ignore[union-attr]


def test_an_agent_is_told_of_messages_and_never_of_firings(alice: Person) -> None:
    rule(alice, "ask", mode="confirm", prompt="go")
    pushed(alice)
    agent = make.agent(alice, scopes="channels.read")
    assert banner(agent) == Banner(1, (), 0, ("ack", "list"))
    ack(agent)
    assert banner(agent) is None
    assert banner(alice.actor) is not None


def test_charlie_has_no_banner_of_alices(alice: Person, charlie: Person) -> None:
    rule(alice, "ask", mode="confirm", prompt="go")
    pushed(alice)
    assert banner(charlie.actor) is None
