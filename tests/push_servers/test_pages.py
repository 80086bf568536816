"""The page Push servers and its forms."""

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from accounts.models import User
from audit.models import Entry
from core.sealing import unseal
from tests import make, pushing
from tests.clock import Clock
from triggers.models import Listener, PushServer, ServerLine

LIST = reverse("admin:push-servers")
ADD, IMPORT, EXPORT = reverse("admin:push-server-add"), reverse("admin:push-servers-import"), reverse("admin:push-servers-export")
SECRET = "Bearer abcdefghijklmnop0123456789"
UNKNOWN = 10**9


def at(page: str, pk: int) -> str:
    return reverse(f"admin:push-server{page}", args=[pk])


def form(**more: str) -> dict[str, str]:
    given = {"name": "ci", "transport": "http", "url": "https://ci.example.org/mcp", "enabled": "on", "refresh_tools": "on"}
    return {**given, **more}


def made(browser: Client, **more: str) -> PushServer:
    answer = browser.post(ADD, form(**more))
    assert answer.status_code == 302, answer.context["form"].errors
    return PushServer.objects.latest("pk")


def shown(browser: Client, address: str) -> str:
    return browser.get(address).content.decode()


def test_a_server_is_made_shown_and_changed_and_its_name_stays(as_alice: Client) -> None:
    held = made(as_alice, channels="alerts\nbuilds", headers=f"Authorization: {SECRET}\nX-Team: a")
    assert held.channels == ["alerts", "builds"] and "ci is saved." in shown(as_alice, at("", held.pk))
    as_alice.post(at("-edit", held.pk), form(name="other", channels="", headers="", enabled=""))
    held.refresh_from_db()
    assert (held.name, held.channels, held.enabled, held.state) == ("ci", [], False, "off")
    assert json.loads(unseal(held.headers_encrypted or b"")) == {"Authorization": SECRET, "X-Team": "a"}
    assert "off" in shown(as_alice, LIST)


def test_c_41_a_list_that_lets_none_in_is_shown_so_and_outlives_a_change_of_something_else(as_alice: Client) -> None:
    held = made(as_alice)
    PushServer.objects.update(channels=[""])
    assert '<dd class="hub-break">none</dd>' in shown(as_alice, at("", held.pk)) and "lets no channel in" in shown(as_alice, LIST)
    as_alice.post(at("-edit", held.pk), form(channels=" \n", headers="", enabled=""))
    held.refresh_from_db()
    assert (held.channels, held.enabled) == ([""], False)
    as_alice.post(at("-edit", held.pk), form(channels="*", headers=""))
    held.refresh_from_db()
    assert held.channels == ["*"] and "lets no channel in" not in shown(as_alice, LIST)


def test_of_headers_the_form_tells_the_names_and_never_a_value(as_alice: Client) -> None:
    held = made(as_alice, headers=f"Authorization: {SECRET}")
    page = shown(as_alice, at("-edit", held.pk))
    assert "Empty keeps those there are: Authorization." in page
    for address in (LIST, at("", held.pk), at("-edit", held.pk), EXPORT):
        assert SECRET not in shown(as_alice, address)
    refused = as_alice.post(at("-edit", held.pk), form(url="", headers=f"X-New: {SECRET}"))
    assert refused.status_code == 200 and SECRET not in refused.content.decode()
    as_alice.post(at("-edit", held.pk), form(forget_headers="on"))
    held.refresh_from_db()
    assert held.headers_encrypted is None and SECRET not in str(list(Entry.objects.values()))


@pytest.mark.parametrize(
    "given",
    [
        {"name": ""},
        {"name": "a b"},
        {"url": ""},
        {"transport": "stdio", "argv": "/bin/true"},
        {"transport": "ws"},
        {"headers": "no sign"},
        {"headers": "Host: x"},
        {"channels": "x" * 201},
    ],
)
def test_what_is_wrong_is_said_on_the_form_and_nothing_is_kept(given: dict[str, str], as_alice: Client) -> None:
    page = as_alice.post(ADD, form(**given))
    assert page.status_code == 200 and page.context["form"].errors and not PushServer.objects.exists()


def test_headers_that_the_key_file_opens_no_more_can_be_given_anew(alice: make.Person, as_alice: Client) -> None:
    held = pushing.server(alice, "ci", url="https://ci.example.org/mcp", headers_encrypted=b"sealed by another key")
    assert as_alice.get(at("-edit", held.pk)).status_code == 200
    as_alice.post(at("-edit", held.pk), form(headers="X-Team: a"))
    held.refresh_from_db()
    assert json.loads(unseal(held.headers_encrypted or b"")) == {"X-Team": "a"}


def test_stdio_is_offered_to_an_owner_who_may_run_commands_alone(alice: make.Person, as_alice: Client) -> None:
    def offered() -> set[str]:
        fields = as_alice.get(ADD).context["form"].fields
        return {name for name, _ in fields["transport"].choices} | set(fields) & {"argv", "environment"}

    assert offered() == {"sse", "http"}
    User.objects.filter(pk=alice.user.pk).update(may_run_commands=True)
    assert offered() == {"sse", "http", "stdio", "argv", "environment"}
    held = made(as_alice, transport="stdio", argv="/usr/bin/server\n--quiet", environment="API_KEY=a=b", url="https://left.over/")
    assert (held.argv, held.url) == (["/usr/bin/server", "--quiet"], "")
    assert json.loads(unseal(held.environment_encrypted or b"")) == {"API_KEY": "a=b"}
    assert "--quiet" not in shown(as_alice, LIST) and "/usr/bin/server" in shown(as_alice, LIST)


@pytest.mark.parametrize("state", [state for state, _ in PushServer.STATES])
def test_every_state_and_its_reason_is_shown(state: str, alice: make.Person, as_alice: Client, clock: Clock) -> None:
    reason = "<b>405</b> \u202e the server does not support push"
    held = pushing.server(alice, "ci", state=state, reason=reason, enabled=state != "off", lease_until=clock())
    for address in (LIST, at("", held.pk), reverse("admin:push-servers-part"), at("-part", held.pk)):
        page = shown(as_alice, address)
        assert str(dict(PushServer.STATES)[state]) in page
        assert "<b>405" not in page and "\u202e" not in page
        assert ("&lt;b&gt;405" in page) is (state != "off")


def test_what_a_listener_said_holds_as_long_as_its_lease(alice: make.Person, as_alice: Client, clock: Clock) -> None:
    pushing.server(alice, "ci", state="listening", lease_until=clock())
    assert "listening" in shown(as_alice, LIST)
    clock.forward(seconds=1)
    assert "waits for a listener" in shown(as_alice, LIST)


def test_it_is_said_where_no_listener_runs(alice: make.Person, as_alice: Client, clock: Clock) -> None:
    held = pushing.server(alice, "ci")
    assert "No listener runs" in shown(as_alice, LIST) and "No listener runs" in shown(as_alice, at("", held.pk))
    Listener.objects.create(name="one", beat_at=clock())
    assert "No listener runs" not in shown(as_alice, LIST)


def test_signing_in_is_offered_where_the_server_wants_it(alice: make.Person, as_alice: Client) -> None:
    held = pushing.server(alice, "ci", state="sign_in")
    address = reverse("admin:push-server-sign-in", args=[held.pk])
    assert address in shown(as_alice, LIST) and address in shown(as_alice, at("", held.pk))
    PushServer.objects.update(state="listening")
    assert address not in shown(as_alice, LIST)


def test_tools_are_listed_as_the_server_named_them(alice: make.Person, as_alice: Client) -> None:
    tools: list[Any] = [{"name": "<i>echo", "description": "Says \u202e it"}, {"name": "bare"}]
    held = pushing.server(alice, "ci", tools=tools + [{"name": f"t{each}"} for each in range(200)])
    page = shown(as_alice, at("", held.pk))
    assert "&lt;i&gt;echo" in page and "\u202e" not in page and "And 102 more." in page


def test_what_its_listener_said_stands_there_newest_first(alice: make.Person, as_alice: Client, clock: Clock) -> None:
    held = pushing.server(alice, "ci")
    for said in ("first <b>", "second \u202e"):
        ServerLine.objects.create(account=alice.account, server=held, at=clock(), state="failed", said=said)
    page = shown(as_alice, at("", held.pk))
    assert page.index("second") < page.index("first &lt;b&gt;") and "\u202e" not in page and "failed, tries again" in page


@pytest.mark.parametrize(
    ("deed", "said"),
    [
        ("connect", "It is being connected anew."),
        ("refresh", "Its tools are being fetched."),
        ("off", "It is switched off."),
        ("sign_out", "The hub is signed out there."),
    ],
)
def test_a_deed_is_done_and_said(deed: str, said: str, alice: make.Person, as_alice: Client) -> None:
    held = pushing.server(alice, "ci")
    answer = as_alice.post(at("-do", held.pk), {"deed": deed}, follow=True)
    assert said in answer.content.decode() and answer.redirect_chain == [(at("", held.pk), 302)]
    back = as_alice.post(at("-do", held.pk), {"deed": "on", "list": "1"})
    assert back.headers["Location"] == LIST
    assert as_alice.post(at("-do", held.pk), {"deed": "bogus"}).status_code == 404


def test_c_28_a_refresh_of_a_server_that_is_off_or_gone_is_said_in_a_sentence(alice: make.Person, as_alice: Client) -> None:
    held = pushing.server(alice, "ci", enabled=False)
    for pk, said in ((held.pk, "switched off"), (UNKNOWN, "That is not there")):
        answer = as_alice.post(at("-do", pk), {"deed": "refresh"}, follow=True)
        assert said in str([str(each) for each in answer.context["messages"]])


def test_removing_asks_first(alice: make.Person, as_alice: Client) -> None:
    held = pushing.server(alice, "ci")
    part = as_alice.get(at("-remove", held.pk), headers={"HX-Request": "true"}).content.decode()
    assert 'id="asked"' in part and "<html" not in part and PushServer.objects.exists()
    answer = as_alice.post(at("-remove", held.pk), headers={"HX-Request": "true"})
    assert answer.headers["HX-Redirect"] == LIST and not PushServer.objects.exists()


def test_servers_are_taken_from_pasted_json_and_from_a_file(as_alice: Client) -> None:
    text = json.dumps({"servers": [{"name": "one", "url": "https://one.example.org/"}]})
    assert "1 push server is saved." in as_alice.post(IMPORT, {"text": text}, follow=True).content.decode()
    file = SimpleUploadedFile("servers.json", text.replace("one", "two").encode("utf-8-sig"))
    as_alice.post(IMPORT, {"file": file})
    answer = as_alice.get(EXPORT)
    assert [each["name"] for each in json.loads(answer.content)["servers"]] == ["one", "two"]
    assert "attachment" in answer.headers["Content-Disposition"] and "no-store" in answer.headers["Cache-Control"]


def test_a_file_that_is_wrong_is_said_and_changes_nothing(as_alice: Client) -> None:
    for given in ({"text": "{"}, {"text": ""}, {"file": SimpleUploadedFile("x", b"\xff")}):
        page = as_alice.post(IMPORT, given)
        assert page.status_code == 200 and page.context["form"].errors and not PushServer.objects.exists()


def test_a_foreign_and_an_unknown_server_answer_alike(alice: make.Person, as_charlie: Client, as_staff: Client) -> None:
    held = pushing.server(alice, "ci")
    for browser in (as_charlie, as_staff):
        for page in ("", "-part", "-edit", "-do", "-remove"):
            told = []
            for pk in (held.pk, UNKNOWN):
                read = [] if page == "-do" else [browser.get(at(page, pk), follow=True)]
                wrote = [] if page in {"", "-part"} else [browser.post(at(page, pk), {**form(), "deed": "off"}, follow=True)]
                told.append([[str(each) for each in answer.context["messages"]] for answer in read + wrote])
            assert told[0] == told[1] and "That is not there" in told[0][0][0], page
        assert "ci" not in browser.get(EXPORT).content.decode()
    held.refresh_from_db()
    assert held.enabled and held.version == 1
