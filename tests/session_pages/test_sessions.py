"""The owner's list of sessions, and the page of one."""

import uuid
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse

from core import clock as hub_clock
from core.actor import system
from sessions_app.models import Run, Session
from sessions_app.runs import actions as runs
from sessions_app.transcripts.actions import append
from sessions_app.values import Asked
from tests import make, play

LIST, PART, FIGURES = (reverse(f"admin:{name}") for name in ("sessions", "sessions-part", "session-figures"))
SECRET = "sk-abcdefghijklmnopqrstu"


def at(name: str, held: Session) -> str:
    return reverse(f"admin:{name}", args=[held.session_id])


def run_in(held: Session, message: str = "hello") -> Run:
    return runs.begin(system(account_id=held.account_id), held, Asked(message=message, purpose=Run.OWNER))


def says(held: Session, role: str, content: object, **more: object) -> None:
    append(held, {"role": role, "content": content, **more})


def test_the_list_shows_name_kind_agent_runner_tokens_and_the_newest_run(alice: make.Person, as_alice: Client) -> None:
    make.hub_agent(alice)
    held = make.session(alice, "agent:main:telegram:group:1", display_name="Release crew", total_tokens=12345)
    play.fail(run_in(held))
    page = as_alice.get(LIST).content.decode()
    for part in ("Release crew", held.key, "group", "main", "model", "12,345", "failed", at("session", held)):
        assert part in page


@pytest.mark.parametrize(
    ("given", "seen"),
    [
        ({}, {"main", "cron", "other"}),
        ({"kind": "cron"}, {"cron"}),
        ({"agent": "ops"}, {"other"}),
        ({"active": "running"}, {"cron"}),
        ({"active": "hour"}, {"cron", "other"}),
        ({"kind": "bogus", "agent": "nobody", "active": "bogus"}, {"main", "cron", "other"}),
        ({"page": "-4"}, {"main", "cron", "other"}),
    ],
)
def test_the_list_is_filtered_and_a_choice_that_is_none_counts_as_not_made(
    given: dict[str, str], seen: set[str], alice: make.Person, as_alice: Client
) -> None:
    make.session(alice, "main", display_name="S-main", updated_at=hub_clock.now() - timedelta(hours=2))
    run_in(make.session(alice, "cron:nightly", display_name="S-cron"))
    make.session(alice, "agent:ops:x", display_name="S-other")
    page = as_alice.get(PART, given)
    assert {name for name in ("main", "cron", "other") if f"S-{name}" in page.content.decode()} == seen


def test_a_page_of_a_filtered_list_keeps_its_filter(alice: make.Person, as_alice: Client) -> None:
    for number in range(26):
        make.session(alice, f"cron:j{number}")
    first = as_alice.get(LIST, {"kind": "cron"}).content.decode()
    assert "Page 1 of 2" in first and "?page=2&amp;kind=cron" in first


def test_an_archived_session_is_not_listed_and_opens(alice: make.Person, as_alice: Client) -> None:
    held = make.session(alice, "agent:main:gone")
    says(held, "assistant", "my last words")
    assert as_alice.post(at("session-archive", held)).headers["Location"] == LIST
    page = as_alice.get(at("session", held)).content.decode()
    assert "my last words" in page and "archived" in page and 'id="send"' not in page
    assert at("session", held) not in as_alice.get(PART).content.decode()


def test_o_13_the_transcript_path_opens_for_its_owner_alone(alice: make.Person, as_alice: Client, as_charlie: Client) -> None:
    held = make.session(alice)
    says(held, "assistant", "only for alice")
    path = f"/sessions/{held.session_id}"
    assert "only for alice" in as_alice.get(path, follow=True).content.decode()
    assert "only for alice" not in as_charlie.get(path, follow=True).content.decode()


def test_the_transcript_of_an_earlier_run_of_the_session_opens_too(alice: make.Person, as_alice: Client) -> None:
    held = make.session(alice, "cron:nightly")
    says(held, "assistant", "yesterday")
    earlier = at("session", held)
    Session.objects.filter(pk=held.pk).update(session_id=uuid.uuid4())
    held.refresh_from_db()
    says(held, "assistant", "today")
    old, new = as_alice.get(earlier).content.decode(), as_alice.get(at("session", held)).content.decode()
    assert "yesterday" in old and ">today<" not in old and "earlier transcript" in old
    assert ">today<" in new and "yesterday" not in new


def test_calls_results_and_thinking_are_folded_and_text_is_not(alice: make.Person, as_alice: Client) -> None:
    held = make.session(alice)
    call = {"type": "toolCall", "name": "chat_post", "arguments": {"body": "hey"}}
    says(held, "assistant", [{"type": "thinking", "thinking": "hm, deep"}, {"type": "text", "text": "plain words"}, call])
    says(held, "toolResult", [{"type": "text", "text": "posted"}], toolName="chat_post")
    page = as_alice.get(at("session", held)).content.decode()
    assert page.count('<details class="hub-part">') == 3
    assert '<div class="hub-text" dir="auto">plain words</div>' in page
    for part in ("Calls chat_post", "hm, deep", "posted", "Thinking"):
        assert part in page


def test_o_23_secrets_are_masked_and_text_of_agents_is_inert_and_cut(alice: make.Person, as_alice: Client) -> None:
    held = make.session(alice, display_name='"><img src=x>')
    says(held, "assistant", f"<script>x</script> {SECRET} \u202eevil " + "y" * 30_000)
    says(held, "assistant", [{"type": "toolCall", "name": "<b>", "arguments": {"key": SECRET}}])
    page = as_alice.get(at("session", held)).content.decode()
    assert SECRET not in page and "\u202e" not in page and "<script>x" not in page and "<img src=x" not in page
    assert "y" * 21_000 not in page and "Cut here" in page


@pytest.mark.parametrize(
    "message", [{}, {"content": 7}, {"content": [None, 3, {"type": 9}]}, {"content": [{"type": "image"}] * 90}]
)
def test_whatever_a_runner_wrote_the_page_opens(message: dict[str, object], alice: make.Person, as_alice: Client) -> None:
    held = make.session(alice)
    append(held, {"role": "assistant", **message})
    assert as_alice.get(at("session", held)).status_code == 200


def test_a_long_transcript_begins_at_its_end_and_is_paged_backwards(alice: make.Person, as_alice: Client) -> None:
    held = make.session(alice)
    for number in range(1, 61):
        says(held, "assistant", f"word-{number}.")
    page = as_alice.get(at("session", held)).content.decode()
    assert "word-60." in page and "word-11." in page and "word-10." not in page and "?before=11" in page
    older = as_alice.get(at("session", held), {"before": 11}).content.decode()
    assert "word-10." in older and "word-11." not in older and "last-seq" not in older


def test_what_is_said_meanwhile_is_added_with_its_new_number(alice: make.Person, as_alice: Client) -> None:
    held = make.session(alice)
    says(held, "user", "first one")
    assert 'id="last-seq" name="after" value="1"' in as_alice.get(at("session", held)).content.decode()
    says(held, "assistant", "second one")
    part = as_alice.get(at("session-new", held), {"after": 1}).content.decode()
    assert "second one" in part and "first one" not in part and 'value="2" hx-swap-oob="true"' in part
    assert "second one" not in as_alice.get(at("session-new", held), {"after": 2}).content.decode()


def test_the_owner_sends_a_message_and_it_is_queued_as_his(alice: make.Person, as_alice: Client) -> None:
    held = make.session(alice)
    answer = as_alice.post(at("session-send", held), {"message": "do this\r\nplease"})
    assert answer.headers["Location"] == at("session", held)
    run = Run.objects.get(session=held)
    assert (run.message, run.purpose, run.requester_id, run.provenance) == ("do this\nplease", Run.OWNER, None, {"kind": "owner"})
    assert "queued" in as_alice.get(at("session-state", held)).content.decode()


@pytest.mark.parametrize("message", ["", "  \n ", "a\x01b", "x" * 70_000])
def test_a_message_that_is_none_is_said_beside_the_field(message: str, alice: make.Person, as_alice: Client) -> None:
    held = make.session(alice)
    page = as_alice.post(at("session-send", held), {"message": message})
    assert page.status_code == 400 and list(page.context["form"].errors) == ["message"] and not Run.objects.exists()


@pytest.mark.parametrize(("word", "policy"), [("on", "allow"), ("off", "deny"), ("inherit", "")])
def test_send_on_off_inherit_alone_changes_the_policy_and_runs_nothing(
    word: str, policy: str, alice: make.Person, as_alice: Client
) -> None:
    held = make.session(alice, send_policy="deny" if word == "inherit" else "")
    as_alice.post(at("session-send", held), {"message": f" /send {word}\n"})
    held.refresh_from_db()
    assert held.send_policy == policy and not Run.objects.exists()


def test_the_policy_is_chosen_on_the_page_and_nothing_else_is_taken(alice: make.Person, as_alice: Client) -> None:
    held = make.session(alice)
    for given, kept in (("deny", "deny"), ("bogus", "deny"), ("", "")):
        as_alice.post(at("session-policy", held), {"send_policy": given})
        held.refresh_from_db()
        assert held.send_policy == kept


def test_an_active_run_is_stopped_and_says_so(alice: make.Person, as_alice: Client) -> None:
    held = make.session(alice)
    run = run_in(held)
    assert as_alice.post(reverse("admin:run-stop", args=[run.run_id])).headers["Location"] == at("session", held)
    run.refresh_from_db()
    assert run.state == Run.STOPPED
    page = as_alice.get(at("session", held)).content.decode()
    assert "The run is being stopped." in page and reverse("admin:run-stop", args=[run.run_id]) not in page


def test_an_archived_session_takes_no_message(alice: make.Person, as_alice: Client) -> None:
    held = make.session(alice)
    as_alice.post(at("session-archive", held))
    assert as_alice.post(at("session-send", held), {"message": "hello?"}).status_code == 400
    assert not Run.objects.exists()


def test_figures_count_runs_by_outcome_and_tokens_by_day(alice: make.Person, bob: make.Person, as_alice: Client) -> None:
    held = make.session(alice)
    play.answer(run_in(held), input_tokens=1000, output_tokens=234)
    play.fail(run_in(held))
    run_in(held)
    play.answer(run_in(make.session(bob)), input_tokens=999_999)
    page = as_alice.get(FIGURES).content.decode()
    assert "3 runs in the last 14 days" in page and "1,234 tokens" in page
    assert as_alice.get(FIGURES).context["chart"].days[-1].by_outcome == (1, 1, 0, 0, 1)
    assert page.count("<tr>") == 15 and "unsafe" not in as_alice.get(FIGURES)["Content-Security-Policy"]


def test_empty_pages_say_how_to_begin(as_alice: Client) -> None:
    assert "No session yet" in as_alice.get(LIST).content.decode()
    assert "Nothing has run" in as_alice.get(FIGURES).content.decode()


@pytest.mark.parametrize("name", ["session", "session-state", "session-new"])
def test_a_foreign_and_an_unknown_session_read_alike(name: str, alice: make.Person, as_charlie: Client, as_staff: Client) -> None:
    held = make.session(alice)
    says(held, "assistant", "her words")
    for browser in (as_charlie, as_staff):
        told = []
        for session_id in (held.session_id, uuid.uuid4()):
            answer = browser.get(reverse(f"admin:{name}", args=[session_id]), follow=True)
            assert "her words" not in answer.content.decode()
            told.append((answer.redirect_chain, [str(each) for each in answer.context["messages"]]))
        assert told[0] == told[1] and "No such session" in told[0][1][0]


@pytest.mark.parametrize("name", ["session-send", "session-policy", "branch-stop", "session-archive"])
def test_a_foreign_session_is_not_changed(name: str, alice: make.Person, as_charlie: Client, as_staff: Client) -> None:
    held = make.session(alice)
    run = run_in(held)
    for browser in (as_charlie, as_staff):
        answer = browser.post(at(name, held), {"message": "hello", "send_policy": "deny"})
        assert answer.status_code == 302
        browser.post(reverse("admin:run-stop", args=[run.run_id]))
    held.refresh_from_db()
    run.refresh_from_db()
    assert (held.send_policy, held.archived_at, run.state, Run.objects.count()) == ("", None, Run.QUEUED, 1)


def test_the_list_of_another_owner_is_empty(alice: make.Person, as_charlie: Client) -> None:
    make.session(alice, display_name="her session")
    assert "her session" not in as_charlie.get(LIST).content.decode()


def test_without_signing_in_nobody_reads(alice: make.Person, client: Client) -> None:
    held = make.session(alice)
    for address in (LIST, FIGURES, at("session", held)):
        assert client.get(address).headers["Location"].startswith(reverse("sign-in"))


def test_a_list_takes_few_queries_however_long_it_is(
    alice: make.Person, as_alice: Client, django_assert_max_num_queries: object
) -> None:
    for number in range(25):
        run_in(make.session(alice, f"cron:j{number}"))
    with django_assert_max_num_queries(8):  # type: ignore[operator]
        as_alice.get(LIST)
    with django_assert_max_num_queries(14):  # type: ignore[operator]
        as_alice.get(at("session", make.session(alice, "cron:j1")))


def test_a_stop_needs_the_page_s_token(alice: make.Person) -> None:
    run = run_in(make.session(alice))
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(alice.user)
    assert strict.post(reverse("admin:run-stop", args=[run.run_id])).status_code == 403
