"""A chat that leaves and comes back with mentions, handles and threads."""

import json
from pathlib import Path

import pytest
from django.core.management import CommandError

from chat.models import Grant, Mention, Message, Wake
from tests import make
from tests.transfer.test_there_and_back import chat, rows

pytestmark = pytest.mark.django_db


@pytest.fixture
def file(tmp_path: Path) -> str:
    return str(tmp_path / "chat.jsonl")


def test_mentions_handles_and_threads_come_back_and_tell_and_wake_nobody(alice: make.Person, bob: make.Person, file: str) -> None:
    lead = make.granted(alice, wake=True)
    root = make.message(alice, "@lead @maintainer look", by=make.granted(alice, "tester"), topic="docs")
    make.message(alice, "in its thread", by=lead, thread=root)
    make.message(alice, "an answer", by=lead, reply_to=root)
    make.granted(bob, wake=True)
    Mention.objects.all().delete()
    Wake.objects.all().delete()
    chat("export", file, "--account", "alice@example.org")
    assert chat("import", file, "--account", "bob@example.org") == "3 messages stored, 0 there already\n"
    assert rows(bob) == rows(alice)
    first = Message.objects.get(account=bob.account, seq=root)
    assert (first.handle, first.mentions) == ("tester", ["lead", "maintainer"])
    assert not Mention.objects.exists() and not Wake.objects.exists()
    assert Grant.objects.filter(account=bob.account).count() == 1


@pytest.mark.parametrize("change", [{"topic": "elsewhere"}, {"thread": 2}])
def test_a_message_of_a_thread_that_is_none_of_its_topic_is_left_out(
    alice: make.Person, bob: make.Person, file: str, change: dict[str, object]
) -> None:
    root = make.message(alice, topic="docs")
    make.message(alice, topic="docs", reply_to=root)
    make.message(alice, topic="docs", thread=root)
    chat("export", file, "--account", "alice@example.org")
    lines = Path(file).read_text().splitlines()
    lines[-1] = json.dumps(json.loads(lines[-1]) | change)
    Path(file).write_text("\n".join(lines) + "\n")
    with pytest.raises(CommandError, match="1 line was left out"):
        chat("import", file, "--account", "bob@example.org")
    assert Message.objects.filter(account=bob.account).count() == 2
