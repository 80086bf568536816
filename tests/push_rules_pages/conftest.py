"""Signed-in browsers without a browser, and rules."""

from typing import Any

from tests import make
from tests.admin.conftest import as_alice, as_charlie, as_staff
from triggers.models import Rule
from triggers.rules import actions
from triggers.values import RuleDraft

__all__ = ["as_alice", "as_charlie", "as_staff"]


def kept(who: make.Person, name: str = "alerts", **more: Any) -> Rule:
    """A rule of `who`, as its action saves it."""
    actions.save(who.actor, RuleDraft(name=name, **more), was=None)
    return Rule.objects.get(account=who.account, name=name)


def names(who: make.Person) -> list[str]:
    """His rules in their order."""
    return list(Rule.objects.filter(account=who.account).order_by("position").values_list("name", flat=True))
