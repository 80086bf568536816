"""The pages of sessions in a real browser: live, with the keyboard, at both widths and in both schemes."""

from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from django.urls import reverse

from core import clock
from core.actor import system
from core.sealing import seal
from sessions_app.models import Agent, Chain, Run, Session, SessionSettings, Spawn, ToolApproval
from sessions_app.runners.actions import save_provider
from sessions_app.runners.drafts import ProviderDraft
from sessions_app.runs import actions as runs
from sessions_app.scheduling.actions import save
from sessions_app.transcripts.actions import append
from sessions_app.values import Asked
from tests import make, play
from tests.browser.conftest import elsewhere
from tests.browser.looks import check_looks, in_every_look

if TYPE_CHECKING:
    from playwright.sync_api import Page

    OpenPage = Callable[..., Page]

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
LIVE = "html[data-live=on]"


def run_in(held: Session, message: str = "Sum up the day.", *, chain: Chain | None = None) -> Run:
    return runs.begin(system(account_id=held.account_id), held, Asked(message=message, purpose=Run.OWNER), chain=chain)


def _days(who: make.Person, held: Session) -> None:
    """Two weeks of runs, every outcome among them."""
    for day in range(13):
        for number in range(1 + day * 7 % 5):
            run = play.answer(run_in(held), "Done.", input_tokens=900 * day, output_tokens=120 * number)
            state = ("ok", "ok", "error", "timed_out", "stopped")[(day + number) % 5]
            Run.objects.filter(pk=run.pk).update(created_at=clock.now() - timedelta(days=day), state=state)


def _transcript(held: Session) -> None:
    call = {"type": "toolCall", "name": "chat_post", "arguments": {"topic": "release", "body": "Tagged."}}
    append(
        held,
        {"role": "user", "content": "Is the release tagged?\nPlease look."},
        provenance={"sourceSessionKey": "agent:ops:main"},
    )
    append(held, {"role": "assistant", "content": [{"type": "thinking", "thinking": "Look at the tags."}, call]})
    append(held, {"role": "toolResult", "toolName": "chat_post", "content": [{"type": "text", "text": "#41"}]})
    append(held, {"role": "assistant", "content": "Yes. " + "a-very-long-word" * 40})


@pytest.fixture
def scene(alice: make.Person, hub: str, settings: object) -> list[str]:
    """Everything that these pages show; answers their addresses."""
    settings.PRIVATE_ADDRESSES = True  # type: ignore[attr-defined]
    make.hub_agent(alice, "main", "model", name="Main", model="big")
    make.hub_agent(alice, "ops", "command", name="Operations", preset="claude", enabled=False)
    held = make.session(alice, "main", display_name="Main desk", total_tokens=48_211, model="big")
    child = make.session(alice, "agent:main:subagent:0b8a", spawned_by=held.key, display_name="Reads the changelog")
    _days(alice, make.session(alice, "cron:nightly", total_tokens=1_204_411))
    make.session(alice, "agent:ops:telegram:group:-100123", display_name="<b>Crew</b> " + "x" * 100)
    _transcript(held)
    Spawn.objects.create(
        account=alice.account, requester=held, child=child, run=run_in(child), task="Read it.", created_at=clock.now()
    )
    asking = run_in(make.session(alice, "agent:main:asks"))
    Run.objects.filter(pk=asking.pk).update(held="approval")
    given = {"path": "/srv/release/notes.md", "text": "word " * 80}
    ToolApproval.objects.create(
        account=alice.account, run=asking, call_id="c1", tool="files_write", arguments=given, asked_at=clock.now()
    )
    SessionSettings.objects.filter(account=alice.account).update(chain_budget=1)
    chain = run_in(make.session(alice, "agent:ops:main")).chain
    run_in(held, "What do you think of it?", chain=chain)
    save(alice.actor, alice.account, slug="nightly", agent="main", prompt="Sum up.", crontab="30 7 * * 1-5", zone="Europe/Madrid")
    provider = save_provider(
        alice.actor, ProviderDraft(name="Local", base_url="http://127.0.0.1:9/v1", key="k", model_names=("big",))
    )
    Agent.objects.filter(account=alice.account, slug="main").update(provider=provider)
    alice.account.routes.create(channel="telegram", address_encrypted=seal("x://y"), scheme="tgram", created_at=clock.now())
    main = Agent.objects.get(account=alice.account, slug="main")
    named = ("sessions", "session-figures", "tool-approvals", "agents", "session-settings", "settings", "index")
    return [
        *(reverse(f"admin:{name}") for name in named),
        *(reverse(f"admin:{name}", args=[held.session_id]) for name in ("session", "branch-stop", "session-archive")),
        reverse("admin:session-chain", args=[chain.pk]),
        *(reverse("admin:thing-add", args=[kind]) for kind in ("agent", "provider", "route", "schedule")),
        reverse("admin:thing", args=["agent", main.pk]),
        reverse("admin:agent-try", args=[main.pk]),
    ]


@in_every_look
def test_pages_fit_their_window_and_axe_finds_nothing_serious(
    width: int, scheme: str, alice: make.Person, scene: list[str], open_page: "OpenPage"
) -> None:
    check_looks(open_page(width=width, color_scheme=scheme, who=alice), scene, f"{width}-{scheme}")


def test_a_transcript_grows_by_itself_and_what_was_unfolded_stays_so(
    alice: make.Person, scene: list[str], open_page: "OpenPage"
) -> None:
    held = elsewhere(lambda: Session.objects.get(display_name="Main desk"))
    page = open_page(who=alice)
    page.goto(reverse("admin:session", args=[held.session_id]))
    page.locator(LIVE).wait_for()
    page.get_by_text("Calls chat_post").click()
    for word in ("It grows.", "And again."):
        elsewhere(lambda word=word: append(held, {"role": "assistant", "content": word}))  # type: ignore[misc]
        page.get_by_text(word).wait_for(timeout=5000)
    assert page.get_by_text("It grows.").count() == 1
    assert page.get_by_text('"topic": "release"').is_visible()


def test_a_branch_is_stopped_in_a_dialog_with_the_keyboard(alice: make.Person, scene: list[str], open_page: "OpenPage") -> None:
    held = elsewhere(lambda: Session.objects.get(display_name="Main desk"))
    page = open_page(who=alice)
    page.goto(reverse("admin:session", args=[held.session_id]))
    page.locator("#stop-all").press("Enter")
    page.get_by_role("dialog").get_by_role("button", name="Stop").press("Enter")
    page.get_by_text("Stopped, with all beneath it.").wait_for()
    assert not elsewhere(lambda: Run.objects.filter(session__key__contains="subagent", state__in=Run.ACTIVE).exists())


def test_an_agent_is_tried_in_a_dialog_and_its_run_is_seen(alice: make.Person, scene: list[str], open_page: "OpenPage") -> None:
    page = open_page(who=alice, width=390)
    page.goto(reverse("admin:agents"))
    page.get_by_role("link", name="Try it main").press("Enter")
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("What it is asked").fill("Who are you?")
    dialog.get_by_role("button", name="Ask it").press("Enter")
    page.get_by_text("The run is queued.").wait_for()
    assert page.locator("#state").get_by_text("queued").first.is_visible()
