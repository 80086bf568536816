"""A journal that goes out and comes in again, and who may have it."""

import io
import json
from collections.abc import Iterable

import pytest

from audit.models import Entry
from core.actor import operator
from core.errors import Forbidden
from tests import make
from tests.make import Person
from tests.push_inbox.journals import bring, journal, line, one, seqs
from tests.pushing import arrival, push_many, pushed
from triggers.inbox import reading
from triggers.inbox.actions import clear, clear_all, store
from triggers.inbox.journal import exporting
from triggers.inbox.journal.importing import import_journal
from triggers.models import PushMessage


class TestExport:
    """What goes out comes back the same."""

    def export(self, who: Person) -> list[str]:
        return list(exporting.export_journal(who.actor))

    def test_each_message_is_a_line_with_all_that_is_kept_of_it(self, alice: Person) -> None:
        store(alice.account.pk, [arrival("é\n", "tools/list_changed", "s", method="notifications/x", handled=True)])
        row = PushMessage.objects.get()
        (text,) = self.export(alice)
        assert text.endswith("\n") and "é" in text
        assert json.loads(text) == {
            "seq": 1,
            "time": row.received_at.isoformat(timespec="microseconds").replace("+00:00", "Z"),
            "server": "s",
            "channel": "tools/list_changed",
            "content": "é\n",
            "method": "notifications/x",
            "handled": True,
            "cleared": False,
        }

    def test_an_import_of_it_gives_the_same_inbox(self, alice: Person, bob: Person) -> None:
        push_many(alice, 250)
        clear(alice.actor)
        push_many(alice, 3)
        lines: Iterable[str] = self.export(alice)
        assert exporting.count(alice.actor) == 253
        bring(bob, ("journal", io.BytesIO("".join(lines).encode())))
        assert self.export(bob) == lines
        assert [row.seq for row in reading.listed(bob.actor).messages] == [251, 252, 253]

    def test_after_clear_all_the_export_brings_it_all_back(self, alice: Person) -> None:
        push_many(alice, 3)
        lines = self.export(alice)
        clear_all(alice.actor)
        assert bring(alice, ("journal", io.BytesIO("".join(lines).encode()))).stored == 3
        assert self.export(alice) == lines

    def test_an_empty_inbox_is_an_empty_journal(self, alice: Person) -> None:
        assert self.export(alice) == []


class TestWhoMay:
    """The owner and a shell on the hub's machine, each in the account it acts in."""

    def test_no_agent_imports_or_exports(self, alice: Person) -> None:
        pushed(alice)
        agent = make.agent(alice)
        with pytest.raises(Forbidden):
            import_journal(agent, [("j", journal(line(5)))], progress=lambda _: None)
        with pytest.raises(Forbidden):
            exporting.export_journal(agent)
        assert seqs(alice) == [1]

    def test_charlie_exports_nothing_of_alice(self, alice: Person, charlie: Person) -> None:
        pushed(alice)
        assert list(exporting.export_journal(charlie.actor)) == []

    def test_a_shell_imports_into_the_account_it_names(self, alice: Person, bob: Person) -> None:
        import_journal(operator(bob.account.pk), [("j", journal(line(1)))], progress=lambda _: None)
        assert (seqs(alice), seqs(bob)) == ([], [1])

    def test_both_are_in_the_audit_log_without_text(self, alice: Person) -> None:
        one(alice, line(1), b"secret")
        list(exporting.export_journal(alice.actor))
        deeds = dict(Entry.objects.filter(deed__startswith="push.").values_list("deed", "details"))
        assert deeds == {
            "push.import_begun": {},
            "push.imported": {"stored": 1, "known": 0, "left_out": 1, "trimmed": 0},
            "push.exported": {"messages": 1},
        }

    def test_an_import_that_is_broken_off_is_recorded_with_what_it_did(self, alice: Person) -> None:
        class Broken(io.BytesIO):
            def readline(self, size: int | None = -1, /) -> bytes:
                found = super().readline(size)
                if not found:
                    raise OSError("the disk went")
                return found

        with pytest.raises(OSError, match="the disk went"):
            bring(alice, ("j", Broken(journal(*[line(number) for number in range(1, 151)]).getvalue())))
        assert Entry.objects.get(deed="push.imported").details["stored"] == 100
        assert len(seqs(alice)) == 100
