"""The page Agents and its forms: agents, providers of models, routes, schedules."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from audit.models import Entry
from core.sealing import unseal
from sessions_app.models import Agent, ModelProvider, Route, Run, Schedule
from tests import make

AGENTS = reverse("admin:agents")
KEY, ADDRESS = "sk-very-secret-key-0123456789", "tgram://123456:AAabcdefghijklmnopqrstuvwxyz0123456/{to}"
COMMAND = ("preset", "argv", "environment", "working_directory", "output_bytes", "model_names")


@pytest.fixture(autouse=True)
def private_addresses(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is looked up."""
    monkeypatch.setattr("sessions_app.runners.actions.check_outbound", lambda address: None)
    monkeypatch.setattr("sessions_app.announcing.actions.check", lambda text: Told(text))


class Told:
    """An address that was found good."""

    def __init__(self, text: str) -> None:
        self.text, self.scheme = text.strip(), text.split("://", maxsplit=1)[0]


def add(kind: str) -> str:
    return reverse("admin:thing-add", args=[kind])


def edit(kind: str, pk: int) -> str:
    return reverse("admin:thing", args=[kind, pk])


def gone(kind: str, pk: int) -> str:
    return reverse("admin:thing-remove", args=[kind, pk])


def agent(**more: str) -> dict[str, str]:
    return {"slug": "ops", "runner": "connected", "enabled": "on", "timeout_seconds": "60", **more}


def provider(**more: str) -> dict[str, str]:
    return {"name": "Local", "base_url": "https://models.example.org/v1", "key": KEY, "model_names": "big\nsmall\n", **more}


def route(**more: str) -> dict[str, str]:
    return {"channel": "telegram", "address": ADDRESS, "enabled": "on", **more}


def schedule(**more: str) -> dict[str, str]:
    given = {"slug": "nightly", "agent": "main", "prompt": "Sum up.", "crontab": "30 7 * * 1-5", "zone": "UTC", "enabled": "on"}
    return {**given, **more}


THINGS: dict[str, tuple[Any, dict[str, str]]] = {
    "agent": (Agent, agent()),
    "provider": (ModelProvider, provider()),
    "route": (Route, route()),
    "schedule": (Schedule, schedule()),
}


def made(browser: Client, who: make.Person, kind: str) -> Any:
    model, form = THINGS[kind]
    answer = browser.post(add(kind), form)
    assert answer.status_code == 302, answer.context["form"].errors
    return model.objects.filter(account=who.account).latest("pk")


def test_an_agent_is_made_and_changed_and_its_id_stays(alice: make.Person, as_alice: Client) -> None:
    held = made(as_alice, alice, "agent")
    as_alice.post(edit("agent", held.pk), agent(slug="other", name="Operations", tools="chat_*\nsessions_list", enabled=""))
    held.refresh_from_db()
    assert (held.slug, held.name, held.tools, held.enabled) == ("ops", "Operations", ["chat_*", "sessions_list"], False)
    page = as_alice.get(AGENTS).content.decode()
    assert "Operations is saved." not in page and "Operations" in page and "ops is saved." in page
    assert {each.deed for each in Entry.objects.filter(deed__startswith="agent.")} == {"agent.added", "agent.changed"}


def test_commands_are_offered_to_an_owner_who_may_run_them_and_to_nobody_else(alice: make.Person, as_alice: Client) -> None:
    def offered() -> set[str]:
        form = as_alice.get(add("agent")).context["form"]
        return {"command"} & {name for name, _ in form.fields["runner"].choices} | set(form.fields) & set(COMMAND)

    assert offered() == set()
    assert as_alice.post(add("agent"), agent(runner="command", preset="claude")).status_code == 200
    assert not Agent.objects.filter(account=alice.account, slug="ops").exists()
    User.objects.filter(pk=alice.user.pk).update(may_run_commands=True)
    assert offered() == {"command", *COMMAND}
    as_alice.post(add("agent"), agent(runner="command", argv="/bin/echo\n{message}", output_bytes="4096", preset=""))
    assert Agent.objects.get(account=alice.account, slug="ops").argv == ["/bin/echo", "{message}"]


def test_an_owner_without_that_leave_does_not_empty_the_command_of_an_agent(alice: make.Person, as_alice: Client) -> None:
    held = make.hub_agent(alice, "ops", "connected", argv=["/bin/echo", "x"], environment=["HOME"])
    as_alice.post(edit("agent", held.pk), agent(name="Renamed"))
    held.refresh_from_db()
    assert (held.name, held.argv, held.environment) == ("Renamed", ["/bin/echo", "x"], ["HOME"])


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        ("agent", {"slug": "Not good"}),
        ("agent", {"slug": ""}),
        ("agent", {"runner": "bogus"}),
        ("agent", {"runner": "model"}),
        ("agent", {"timeout_seconds": "0"}),
        ("agent", {"timeout_seconds": "999999999999"}),
        ("agent", {"provider": "99999"}),
        ("agent", {"tools": "a b"}),
        ("provider", {"name": ""}),
        ("provider", {"key": "ü"}),
        ("provider", {"model_names": "x\x00"}),
        ("route", {"channel": "webchat"}),
        ("route", {"address": ""}),
        ("route", {"channel": "no spaces"}),
        ("schedule", {"crontab": "61 * * * *"}),
        ("schedule", {"crontab": "x"}),
        ("schedule", {"zone": "Mars/Olympus"}),
        ("schedule", {"agent": "nobody"}),
        ("schedule", {"prompt": " "}),
        ("schedule", {"slug": "../etc"}),
    ],
)
def test_what_is_wrong_is_said_on_the_form_and_nothing_is_kept(
    kind: str, given: dict[str, str], alice: make.Person, as_alice: Client
) -> None:
    model, form = THINGS[kind]
    before = model.objects.count()
    page = as_alice.post(add(kind), {**form, **given})
    assert page.status_code == 200 and page.context["form"].errors and model.objects.count() == before


def test_a_key_is_written_and_never_read(alice: make.Person, as_alice: Client) -> None:
    held = made(as_alice, alice, "provider")
    assert unseal(bytes(held.key_encrypted)) == KEY and held.model_names == ["big", "small"]
    for address in (AGENTS, edit("provider", held.pk), add("provider")):
        assert KEY not in as_alice.get(address).content.decode()
    refused = as_alice.post(edit("provider", held.pk), provider(base_url=""))
    assert KEY not in refused.content.decode()
    as_alice.post(edit("provider", held.pk), provider(key="", model_names="one"))
    held.refresh_from_db()
    assert unseal(bytes(held.key_encrypted)) == KEY and held.model_names == ["one"]
    as_alice.post(edit("provider", held.pk), provider(key="", forget_key="on"))
    held.refresh_from_db()
    assert not held.key_encrypted and KEY not in str(list(Entry.objects.values()))


def test_an_address_of_a_route_is_written_and_never_read(alice: make.Person, as_alice: Client) -> None:
    held = made(as_alice, alice, "route")
    assert unseal(bytes(held.address_encrypted)) == ADDRESS
    for address in (AGENTS, edit("route", held.pk)):
        page = as_alice.get(address).content.decode()
        assert "AAabcdef" not in page
    as_alice.post(edit("route", held.pk), route(channel="signal", address=""))
    held.refresh_from_db()
    assert held.channel == "signal" and unseal(bytes(held.address_encrypted)) == ADDRESS
    assert as_alice.post(add("route"), route(channel="signal")).context["form"].non_field_errors()


def test_a_schedule_shows_its_next_times_and_one_that_is_off_none(alice: make.Person, as_alice: Client) -> None:
    held = made(as_alice, alice, "schedule")
    shown = as_alice.get(AGENTS)
    (row,) = shown.context["schedules"]
    assert row[0] == held and len(row[1]) == 3 and "Next:" in shown.content.decode()
    as_alice.post(edit("schedule", held.pk), schedule(enabled=""))
    assert "Next:" not in as_alice.get(AGENTS).content.decode()


@pytest.mark.parametrize("kind", THINGS)
def test_removing_asks_first(kind: str, alice: make.Person, as_alice: Client) -> None:
    held = made(as_alice, alice, kind)
    part = as_alice.get(gone(kind, held.pk), headers={"HX-Request": "true"}).content.decode()
    assert 'id="asked"' in part and "<html" not in part and type(held).objects.filter(pk=held.pk).exists()
    answer = as_alice.post(gone(kind, held.pk), headers={"HX-Request": "true"})
    assert answer.headers["HX-Redirect"] == AGENTS and not type(held).objects.filter(pk=held.pk).exists()


def test_the_default_agent_and_a_provider_in_use_stay(alice: make.Person, as_alice: Client) -> None:
    held = made(as_alice, alice, "provider")
    as_alice.post(add("agent"), agent(runner="model", provider=str(held.pk), model="big"))
    main = Agent.objects.get(account=alice.account, slug="main")
    for address in (gone("provider", held.pk), gone("agent", main.pk)):
        as_alice.post(address)
    assert ModelProvider.objects.filter(pk=held.pk).exists() and Agent.objects.filter(pk=main.pk).exists()
    page = as_alice.get(AGENTS).content.decode()
    assert "An agent uses this provider" in page and "The default agent cannot be removed" in page


def test_trying_an_agent_leads_to_the_run(alice: make.Person, as_alice: Client) -> None:
    main = Agent.objects.get(account=alice.account, slug="main")
    address = reverse("admin:agent-try", args=[main.pk])
    assert 'id="asked"' in as_alice.get(address, headers={"HX-Request": "true"}).content.decode()
    answer = as_alice.post(address, {"prompt": "Who are you?"})
    run = Run.objects.get()
    assert run.purpose == Run.TRIAL and answer.headers["Location"] == reverse("admin:session", args=[run.session.session_id])
    assert "queued" in as_alice.get(answer.headers["Location"]).content.decode()
    assert as_alice.post(address, {"prompt": ""}).context["form"].errors


@pytest.mark.parametrize("kind", THINGS)
def test_a_foreign_and_an_unknown_one_answer_alike(
    kind: str, alice: make.Person, as_alice: Client, as_charlie: Client, as_staff: Client
) -> None:
    held = made(as_alice, alice, kind)
    model, form = THINGS[kind]
    for browser in (as_charlie, as_staff):
        for address in (edit, gone):
            told = []
            for pk in (held.pk, 10**9):
                read, written = browser.get(address(kind, pk), follow=True), browser.post(address(kind, pk), form, follow=True)
                told.append([[str(each) for each in answer.context["messages"]] for answer in (read, written)])
            assert told[0] == told[1] and "That is not there" in told[0][0][0]
    assert model.objects.filter(pk=held.pk).exists()


def test_an_agent_is_tried_by_its_owner_alone(alice: make.Person, as_charlie: Client) -> None:
    main = Agent.objects.get(account=alice.account, slug="main")
    as_charlie.post(reverse("admin:agent-try", args=[main.pk]), {"prompt": "hello"})
    assert not Run.objects.exists()


def test_an_agent_takes_no_provider_of_another_owner(
    alice: make.Person, charlie: make.Person, as_alice: Client, as_charlie: Client
) -> None:
    held = made(as_alice, alice, "provider")
    page = as_charlie.post(add("agent"), agent(runner="model", provider=str(held.pk)))
    assert "provider" in page.context["form"].errors


def test_kinds_that_are_none_are_not_found(as_alice: Client) -> None:
    assert as_alice.get(add("bogus")).status_code == 404 and as_alice.get(edit("account", 1)).status_code == 404
