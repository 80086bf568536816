"""All that an agent's calls write of the granted chat, through the agent's door of the database."""

from typing import Any

import pytest

from audit.models import Entry
from chat import actions, hooks
from chat.cursors.actions import mark_read
from chat.cursors.marks import has_offered, has_shown
from chat.inbox import look
from chat.models import Mention, Wake
from chat.reading_chosen import Wanted, ends, read
from chat.values import Draft
from chat.wakes.actions import pending, settle
from core import executors
from tests import make
from tests.asgi import run

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("threaded")]


def test_a_mention_goes_all_its_way_under_the_rights_of_agents(alice: make.Person) -> None:
    lead, tester = make.granted(alice, wake=True), make.granted(alice, "tester")
    launch_id = lead.launch_id or 0

    async def story() -> Any:
        write, look_at = executors.agent_write, executors.agent_read
        assert "unread" in await write(hooks.answer, launch_id, "SessionStart")
        await write(hooks.answer, launch_id, "Stop")
        receipt = await write(actions.post, tester, Draft(body="@lead @maintainer @ghost look", session_name=""))
        wakes = await look_at(pending, launch_id)
        assert await write(hooks.answer, launch_id, "UserPromptSubmit") != ""
        page = await look_at(read, lead, Wanted())
        await has_shown(lead, page, None)
        found = await look_at(look, lead)
        await has_offered(lead, None)
        await write(mark_read, lead, ends(page))
        answer = await write(actions.post, lead, Draft(body="@tester done", session_name="", reply_to=receipt.seq))
        return receipt, wakes, found, answer

    receipt, wakes, found, answer = run(story())
    assert receipt.wakes == (("lead", "not-idle"),) and wakes == [] and found.unread_mentions == 1
    mention = Mention.objects.get(target="handle:lead")
    assert (mention.offered_by, mention.read_at is not None, mention.reply_seq) == ("digest", True, answer.seq)
    assert Entry.objects.filter(deed="chat.wake").count() == Wake.objects.count() == 1


def test_what_a_launcher_did_is_written_under_the_rights_of_agents(alice: make.Person) -> None:
    lead = make.granted(alice, wake=True)
    launch_id = lead.launch_id or 0
    make.message(alice, "@lead look")
    Wake.objects.update(outcome="pending")

    async def story() -> bool:
        (wake,) = await executors.agent_read(pending, launch_id)
        return await executors.agent_write(settle, lead, wake_id=wake, outcome="ok", detail="typed")

    assert run(story())
    assert (Wake.objects.get().outcome, Mention.objects.get().offered_by) == ("ok", "wake")
