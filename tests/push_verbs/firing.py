"""Rules that fire, for tests of the doors."""

from tests import make
from triggers.rules.actions import save
from triggers.values import RuleDraft


def confirm_rule(who: make.Person, name: str = "fix", **more: str) -> None:
    """A rule that asks its owner about every message."""
    save(who.actor, RuleDraft(name=name, mode="confirm", prompt="Look at {{content}}", **more), was=None)


def notify_rule(who: make.Person, name: str = "seen", **more: str) -> None:
    """A rule that tells its owner of every message."""
    save(who.actor, RuleDraft(name=name, **more), was=None)
