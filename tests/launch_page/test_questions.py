"""The questions that grant and revoke: as a page, and as what a dialog shows."""

from datetime import timedelta

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from accounts.models import Launch
from audit.models import Entry
from chat.models import Grant
from core import clock as hub_clock
from tests import make

LIST = reverse("admin:launches")
HTMX = {"HX-Request": "true"}


@pytest.fixture
def launch(alice: make.Person) -> Launch:
    return make.launch(alice, pane="%7")


def at(name: str, launch: Launch) -> str:
    return reverse(f"admin:{name}", args=[launch.key])


def form(**more: str) -> dict[str, str]:
    return {"wake": "chat", "handle": "lead", "typed": "lead", **more}


def test_the_question_names_pane_profile_launch_and_harness_and_warns(launch: Launch, as_alice: Client) -> None:
    page = as_alice.get(at("grant", launch)).content.decode()
    for part in ("tmux %7 (claimed)", "lead", launch.key, "claude 2.1.332", "desk", 'value="lead"'):
        assert part in page
    assert "only to sessions whose tools you would let a coworker steer" in page


def test_a_dialog_gets_the_question_alone(launch: Launch, as_alice: Client) -> None:
    part = as_alice.get(at("grant", launch), headers=HTMX).content.decode()
    assert "<form" in part and "<html" not in part and 'id="asked"' in part


@pytest.mark.parametrize(("wake", "kept"), [("chat", False), ("wake", True)])
def test_t_05_the_owner_grants_and_is_led_back(wake: str, kept: bool, launch: Launch, as_alice: Client) -> None:
    answer = as_alice.post(at("grant", launch), form(wake=wake))
    assert answer.headers["Location"] == LIST
    grant = Grant.objects.get()
    assert (grant.launch_id, grant.handle, grant.wake, grant.ended_at) == (launch.pk, "lead", kept, None)
    assert "@lead may chat from now on." in as_alice.get(LIST).content.decode()


def test_a_dialog_is_led_back_by_htmx(launch: Launch, as_alice: Client) -> None:
    answer = as_alice.post(at("grant", launch), form(), headers=HTMX)
    assert (answer.status_code, answer.headers["HX-Redirect"]) == (200, LIST)


def test_t_04_a_handle_typed_wrong_grants_nothing_and_is_said_beside_the_field(launch: Launch, as_alice: Client) -> None:
    part = as_alice.post(at("grant", launch), form(typed="Lead"), headers=HTMX)
    assert part.context["form"].errors["typed"] == ["Type the handle exactly: lead. Nothing was granted."]
    assert "Type the handle exactly" in part.content.decode() and 'value="Lead"' in part.content.decode()
    assert not Grant.objects.exists()
    assert Entry.objects.get(deed="chat.grant_refused").details == {"reason": "handle_not_typed"}


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"handle": "a b", "typed": "a b"}, "handle"),
        ({"handle": "maintainer", "typed": "maintainer"}, "handle"),
        ({"handle": "x" * 33, "typed": "x" * 33}, "handle"),
        ({"handle": "taken", "typed": "taken"}, "handle"),
        ({"handle": ""}, "handle"),
        ({"typed": ""}, "typed"),
        ({"typed": "\x00"}, "typed"),
        ({"wake": ""}, "wake"),
        ({"wake": "all"}, "wake"),
    ],
)
def test_what_is_wrong_stands_beside_its_field(
    given: dict[str, str], field: str, alice: make.Person, launch: Launch, as_alice: Client
) -> None:
    make.granted(alice, "taken")
    page = as_alice.post(at("grant", launch), form(**given))
    assert page.status_code == 200 and list(page.context["form"].errors) == [field]
    assert Grant.objects.count() == 1


def test_t_05_a_launch_whose_launcher_is_silent_is_not_granted(launch: Launch, as_alice: Client) -> None:
    Launch.objects.filter(pk=launch.pk).update(seen_at=hub_clock.now() - timedelta(minutes=1))
    page = as_alice.post(at("grant", launch), form()).content.decode()
    assert "Its launcher has told nothing of the pane" in page and not Grant.objects.exists()


def test_where_nobody_can_type_into_the_pane_waking_is_not_offered(alice: make.Person, as_alice: Client) -> None:
    bare = make.launch(alice, pane_state=Launch.NO_PANE, wakeable=False)
    page = as_alice.get(at("grant", bare)).content.decode()
    assert "not wakeable. It runs in no pane of tmux or Zellij." in page and 'value="wake"' not in page
    assert list(as_alice.post(at("grant", bare), form(wake="wake")).context["form"].errors) == ["wake"]


def test_t_08_revoking_asks_first_then_ends_the_grant(alice: make.Person, launch: Launch, as_alice: Client) -> None:
    make.granted(alice, "lead", launch_=launch)
    assert "Revoke the grant of @lead?" in as_alice.get(at("grant-revoke", launch)).content.decode()
    assert Grant.objects.get().ended_at is None
    assert as_alice.post(at("grant-revoke", launch)).headers["Location"] == LIST
    assert Grant.objects.get().end == Grant.REVOKED
    assert "The grant of @lead is revoked." in as_alice.get(LIST).content.decode()


def test_a_grant_that_ended_meanwhile_asks_nothing(alice: make.Person, launch: Launch, as_alice: Client) -> None:
    assert as_alice.get(at("grant-revoke", launch), headers=HTMX).headers["HX-Redirect"] == LIST
    assert "holds no grant" in as_alice.get(LIST).content.decode()


@pytest.mark.parametrize("name", ["grant", "grant-revoke"])
@pytest.mark.parametrize("method", ["get", "post"])
def test_a_foreign_an_unknown_and_a_malformed_launch_answer_alike(
    name: str, method: str, alice: make.Person, launch: Launch, as_charlie: Client, as_staff: Client
) -> None:
    make.granted(alice, "lead", launch_=launch)

    def told(browser: Client, key: str) -> tuple[int, list[str]]:
        address = reverse(f"admin:{name}", args=[key])
        answer: HttpResponse = getattr(browser, method)(address, form(), follow=True)
        return answer.status_code, [str(each) for each in answer.context["messages"]]  # type: ignore[attr-defined]

    for browser in (as_charlie, as_staff):
        known = told(browser, launch.key)
        assert known == told(browser, "l-0123456789abcdef") == told(browser, "l-<b>\u202e") and "No such launch" in known[1][0]
    assert Grant.objects.get().ended_at is None


def test_a_post_without_the_page_s_token_and_other_methods_are_refused(alice: make.Person, launch: Launch) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(alice.user)
    assert strict.post(at("grant", launch), form()).status_code == 403 and not Grant.objects.exists()
    lax = Client()
    lax.force_login(alice.user)
    assert lax.put(at("grant", launch)).status_code == lax.delete(at("grant-revoke", launch)).status_code == 405


def test_without_a_session_nobody_is_asked(client: Client, launch: Launch) -> None:
    for name in ("grant", "grant-revoke"):
        assert client.post(at(name, launch), form()).headers["Location"].startswith(reverse("sign-in"))
    assert not Grant.objects.exists()
