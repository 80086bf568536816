"""Sessions as an attacker meets them: texts made to hold the hub, floods, and what a run's token opens."""

import socket
from typing import Any

import pytest

from audit.models import Entry
from core.actor import Actor
from core.errors import Conflict, Invalid, StorageFull, TooMany
from sessions_app.finding import actions as finding
from sessions_app.models import Run, Session
from sessions_app.redaction import redact
from sessions_app.runners.actions import save_provider
from sessions_app.runners.drafts import ProviderDraft
from sessions_app.runners.execution import work
from sessions_app.runs import limits
from sessions_app.sending.actions import send
from sessions_app.sending.texts import of_announcement
from sessions_app.values import MESSAGE_BYTES
from sessions_app.visibility import Rules, Seen, refusal
from tests import make
from tests.connected.calling import begin, call, next_of, own, state_of
from tests.runners.scripted_model import Says, serving

BLANK_LINES = "\n" * (MESSAGE_BYTES - 1) + "x"
HALF_TOKENS = "-eyJ" * (MESSAGE_BYTES // 4)


def test_no_message_of_blank_lines_holds_the_hub_at_the_announce_step() -> None:
    """It took hours, within a transaction, of one message of the length that is allowed."""
    told = of_announcement(requester="a", target="b", message=BLANK_LINES, first_reply="", latest_reply="  >>>\n<<<<")
    assert "\\>>>" in told and "\\<<<<" in told


def test_no_text_of_half_tokens_holds_the_hub_where_secrets_are_masked() -> None:
    """Nor of any other beginning of a secret that never comes; a whole one behind it is masked all the same."""
    token = f"eyJ{'a' * 20}.{'b' * 20}.{'c' * 20}"
    told, found = redact(f"{HALF_TOKENS} {token}")
    assert found and token not in told and told.startswith("-eyJ-eyJ")


@pytest.mark.parametrize(("pattern", "fits"), [("*a" * 60 + "*b", False), ("*a" * 60 + "*", True), ("a*a", True), ("*B", False)])
def test_no_pattern_of_many_stars_holds_the_hub_where_agents_are_paired(pattern: str, fits: bool) -> None:
    own = "a" * 64
    rules = Rules(pairs=[pattern, "other"])
    told = refusal(rules, Seen(key="one", agent=own), Seen(key="two", agent="other"))
    assert (told == "") is fits


@pytest.mark.django_db
def test_an_agent_begins_so_many_runs_a_minute_whatever_it_calls_itself(alice: make.Person, settings: Any) -> None:
    settings.SESSION_RUNS_PER_MINUTE = 2
    agent, target = make.agent(alice), make.session(alice)
    sends(agent, target, session_name="one")
    sends(agent, target, session_name="two")
    with pytest.raises(TooMany, match="2 runs within a minute"):
        sends(agent, target, session_name="three")
    with pytest.raises(TooMany):
        call("sessions_spawn", agent, task="count", session_name="four")
    sends(make.agent(alice), target)


@pytest.mark.django_db
def test_so_many_runs_wait_in_a_session_and_in_an_account_and_the_owner_gets_through(
    alice: make.Person, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.SESSION_QUEUED_RUNS = 1
    monkeypatch.setattr(limits, "SESSIONS_FULL", 2)
    agent, one, two = make.agent(alice), make.session(alice), make.session(alice, "hook:two")
    sends(agent, one)
    with pytest.raises(TooMany, match="wait in that session"):
        sends(agent, one)
    sends(agent, two)
    with pytest.raises(TooMany, match="wait in this account"):
        sends(agent, make.session(alice, "hook:three"))
    send(alice.actor, requester=None, target=one, message="stop that", waits=False)
    assert Run.objects.filter(state=Run.QUEUED).count() == 3


@pytest.mark.django_db
def test_agents_do_not_fill_the_disk_with_messages_and_replies(alice: make.Person, settings: Any) -> None:
    settings.SESSION_BYTES_PER_DAY = 1_000
    agent, other = make.agent(alice), make.agent(alice)
    sends(agent, own(other), "x" * 400)
    taken = next_of(other)["run"]
    call("session_reply", other, runId=taken["runId"], reply="y" * 500)
    with pytest.raises(StorageFull):
        sends(agent, own(other), "z" * 101)
    assert Run.objects.filter(message__startswith="z").count() == 0


@pytest.mark.django_db
def test_ever_new_session_names_do_not_fill_the_disk_with_sessions(alice: make.Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finding, "NAMES_MOST", 2)
    agent = make.agent(alice)
    for name in ("one", "two", "one"):
        call("sessions_list", agent, session_name=name)
    with pytest.raises(Conflict):
        call("sessions_list", agent, session_name="three")
    assert call("sessions_list", make.agent(alice), session_name="three")["count"] == 3


@pytest.mark.django_db
def test_no_model_that_an_agent_asks_for_is_an_option_of_a_command(alice: make.Person) -> None:
    make.hub_agent(alice, runner="command", argv=["agent", "{model}"])
    with pytest.raises(Invalid):
        call("sessions_spawn", make.agent(alice), task="count", model=" --dangerously-skip-permissions")


@pytest.mark.django_db
def test_a_provider_whose_name_leads_elsewhere_once_it_was_checked_is_not_called(
    alice: make.Person, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.PRIVATE_ADDRESSES = False
    answers = iter(["93.184.216.34"] * 2)

    def look_up(host: str, port: int, *args: Any, **kwargs: Any) -> list[Any]:
        address = next(answers, "127.0.0.1") if host == "rebound.example.org" else host
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))]

    with serving(Says("a secret of the hub's network")) as provider:
        monkeypatch.setattr(socket, "getaddrinfo", look_up)
        port = provider.url.partition("://")[2].partition("/")[0].rpartition(":")[2]
        draft = ProviderDraft(name="rebound", base_url=f"http://rebound.example.org:{port}/v1")
        make.hub_agent(alice, runner="model", provider=save_provider(alice.actor, draft), model="m-1", tools=["none"])
        held = begin(make.session(alice))
        work(held.pk)
    assert state_of(held)[0] == Run.ERROR and provider.asked == [] and next(answers, None) is None


@pytest.mark.django_db
def test_a_key_in_a_providers_address_is_not_in_the_log(alice: make.Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sessions_app.runners.actions.check_outbound", lambda url: None)
    save_provider(alice.actor, ProviderDraft(name="one", base_url="https://models.example.org/v1?api_key=abcdef123456"))
    assert "abcdef123456" not in str(list(Entry.objects.values()))


def sends(agent: Actor, target: Session, message: str = "hello", **more: object) -> dict[str, object]:
    return call("sessions_send", agent, sessionKey=target.key, message=message, timeoutSeconds=0, **more)
