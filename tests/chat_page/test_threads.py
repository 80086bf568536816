"""Threads, mentions and receipts on the page Chat."""

import json

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import Launch
from chat import actions
from chat.cursors.actions import mark_read, offer
from chat.hooks.answering import answer
from chat.models import Message
from chat.values import Draft, handle_target
from core.actor import Actor
from tests import make
from tests.asgi import hub, run, socket, sync
from tests.chat_page.test_socket import CHAT, cookie, ring

PAGE, POST = reverse("admin:chat"), reverse("admin:chat-post")
HTMX = {"HX-Request": "true"}


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("accounts.consumers.pause_after", lambda _: 0)


def thread(seq: int) -> str:
    return reverse("admin:chat-thread", args=[seq])


def text(browser: Client, address: str = PAGE) -> str:
    return " ".join(browser.get(address).content.decode().split())


def line(page: str, seq: int) -> str:
    """What the page shows of one message."""
    return page.partition(f'id="m-{seq}"')[2].partition('<li id="m-')[0]


def say(by: Actor, body: str, **more: object) -> int:
    return actions.post(by, Draft(body=body, session_name="", **more)).seq  # type: ignore[arg-type]


def test_t_21_a_thread_shows_its_opener_and_its_replies_only(alice: make.Person, as_alice: Client) -> None:
    root = make.message(alice, "the question", topic="docs/review")
    make.message(alice, "elsewhere", topic="docs/review")
    make.message(alice, "the answer", reply_to=root)
    page = text(as_alice, thread(root))
    assert "the question" in page and "the answer" in page and "elsewhere" not in page and "All of docs/review" in page


def test_an_opener_tells_how_many_replied_and_a_reply_leads_to_its_thread(alice: make.Person, as_alice: Client) -> None:
    root = make.message(alice)
    reply = make.message(alice, reply_to=root)
    make.message(alice, reply_to=reply)
    alone = make.message(alice)
    page = text(as_alice)
    assert "2 replies" in line(page, root) and f"in thread #{root}" in line(page, reply)
    assert reverse("admin:chat-thread", args=[alone]) not in page
    assert as_alice.get(thread(reply)).headers["Location"] == f"{thread(root)}#m-{reply}"


def test_a_thread_whose_opener_was_cleaned_up_is_still_read(alice: make.Person, as_alice: Client) -> None:
    root = make.message(alice)
    make.message(alice, "the answer", reply_to=root)
    Message.objects.filter(seq=root).delete()
    page = text(as_alice, thread(root))
    assert "the answer" in page and "The message that opened this thread has been cleaned up." in page


def test_the_owner_answers_in_a_thread(alice: make.Person, as_alice: Client) -> None:
    root = make.message(alice, topic="docs/review")
    answer = as_alice.post(f"{POST}?thread={root}", {"body": "mine", "topic": "ignored/here", "client_key": "k"})
    kept = Message.objects.get(body="mine")
    assert (kept.thread, kept.topic, kept.reply_to) == (root, "docs/review", None)
    assert answer.headers["Location"] == f"{thread(root)}#m-{kept.seq}"


def test_what_is_wrong_with_a_post_in_a_thread_stands_in_the_thread(alice: make.Person, as_alice: Client) -> None:
    root = make.message(alice, "the question")
    page = as_alice.post(f"{POST}?thread={root}", {"body": " ", "client_key": "k"})
    assert page.status_code == 400 and "The message is empty" in page.content.decode()
    assert f"In thread #{root}" in page.content.decode() and "the question" in page.content.decode()


@pytest.mark.parametrize("seq", [99, 2**63, 10**30])
def test_a_foreign_and_an_unknown_thread_answer_alike(seq: int, alice: make.Person, as_charlie: Client) -> None:
    root = make.message(alice, "hers")
    told = [str(each) for number in (root, seq) for each in as_charlie.get(thread(number), follow=True).context["messages"]]
    assert "hers" not in "".join(told) and all("There is no thread" in each or "takes the number" in each for each in told)


def test_a_verified_handle_is_told_from_a_name_that_an_agent_gives_itself(alice: make.Person, as_alice: Client) -> None:
    verified, named = say(make.granted(alice, "lead"), "one"), make.message(alice, "two", session_name="lead2")
    page = text(as_alice)
    assert "verified" in line(page, verified) and "unverified" not in line(page, verified)
    assert "unverified" in line(page, named)


def test_mentions_are_marked_where_somebody_was_meant_and_nowhere_else(alice: make.Person, as_alice: Client) -> None:
    make.granted(alice, "lead")
    body = "@lead <b>@lead</b> `@lead` @ghost x@lead @lead-2 @maintainer\n```\n@lead\n```"
    seq = make.message(alice, body)
    shown = line(text(as_alice), seq)
    mark = '<span class="hub-mention">@{}</span>'
    assert shown.count(mark.format("lead")) == 2 and shown.count(mark.format("maintainer")) == 1
    assert shown.count('"hub-mention"') == 3
    assert "`@lead` @ghost x@lead @lead-2" in shown and "``` @lead ```" in shown and "&lt;b&gt;" in shown


def test_a_message_that_mentions_the_owner_stands_out(alice: make.Person, as_alice: Client) -> None:
    to_owner, other = make.message(alice, "@maintainer look"), make.message(alice, "no")
    page = as_alice.get(PAGE).content.decode()
    assert f'id="m-{to_owner}" class="hub-message hub-to-owner"' in page and f'id="m-{other}" class="hub-message"' in page


def test_receipts_tell_no_more_than_is_known(alice: make.Person, as_alice: Client) -> None:
    lead = make.granted(alice, "lead")
    asked = make.message(alice, "@lead @maintainer?")
    assert "not seen yet" in line(text(as_alice), asked)
    answer(lead.launch_id or 0, "UserPromptSubmit")
    assert "offered by its hook" in (seen := line(text(as_alice), asked)) and "@maintainer</bdi><span>not seen" in seen
    mark_read(lead, {"general": asked})
    assert "read 2" in line(text(as_alice), asked)
    reply = say(lead, "yes", reply_to=asked)
    assert f'replied <a href="{reverse("admin:chat-message", args=[reply])}">' in line(text(as_alice), asked)


def test_names_are_offered_to_mention(alice: make.Person, bob: make.Person, as_alice: Client) -> None:
    make.granted(alice, "lead")
    make.granted(bob, "his")
    make.message(alice, session_name="builder")
    make.message(alice, session_name="not a handle")
    page = as_alice.get(PAGE)
    assert page.context["names"] == ["builder", "lead"]
    assert '<option value="lead">' in page.content.decode()


def test_an_open_page_hears_of_replies_and_of_receipts(alice: make.Person, as_alice: Client, quick: None) -> None:
    lead = make.granted(alice, "lead")
    root = make.message(alice, "@lead?")

    async def scene() -> None:
        async with hub() as app, socket(app, CHAT, cookie(as_alice)) as page:
            assert "not seen yet" in (await page.hear())["receipts"][str(root)]
            sync(lambda: offer(alice.account.pk, handle_target("lead"), by="tool"))
            ring(alice, "inbox")
            heard = await page.hear()
            assert "offered by a tool" in heard["receipts"][str(root)] and not heard["messages"].strip()
            sync(lambda: say(lead, "yes", reply_to=root))
            ring(alice)
            heard = await page.hear()
            assert "1 reply" in heard["threads"][str(root)] and f"in thread #{root}" in heard["messages"]
            assert list(heard["receipts"]) == [str(root)] and "replied" in heard["receipts"][str(root)]

    run(scene())


def test_a_thread_s_page_hears_its_thread_only(alice: make.Person, as_alice: Client, quick: None) -> None:
    root = make.message(alice, "here")
    make.message(alice, "elsewhere")

    async def scene() -> str:
        async with hub() as app, socket(app, f"{CHAT}&thread={root}", cookie(as_alice)) as page:
            return json.dumps(await page.hear())

    assert "elsewhere" not in (heard := run(scene())) and "here" in heard and "1 reply" not in heard


def test_text_from_elsewhere_is_inert_in_every_view_of_the_chat(alice: make.Person, as_alice: Client) -> None:
    launch = make.launch(alice)
    lead = make.granted(alice, "lead", launch_=launch)
    body = "@lead <script>alert(1)</script> \u202egnp `@lead` \u2066x\u2069 👩‍👩‍👧 é"
    root = make.message(alice, body, session_name="<i>")
    say(lead, body, reply_to=root)
    views = [
        PAGE, f"{PAGE}?topic=general", f"{PAGE}?reply_to={root}", thread(root), reverse("admin:chat-message", args=[root]),
        reverse("admin:chat-older") + "?before=99", f"{reverse('admin:chat-search')}?q=lead",
        reverse("admin:connection-messages", args=[Launch.objects.get().connection_id]),
        f"{reverse('admin:chat-compose')}?reply_to={root}",
    ]  # fmt: skip
    for address in views:
        shown = as_alice.get(address).content.decode()
        assert "alert(1)" in shown and "<script>alert" not in shown and "<i>" not in shown, address
        assert not {"\u202e", "\u2066", "\u2069"} & set(shown) and "⟨U+202E⟩" in shown, address
