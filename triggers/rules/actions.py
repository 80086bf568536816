"""Everything that happens to rules: the whole set is checked, and goes in or stays as it was."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext as _

from accounts.permissions import require_owner, require_owner_of
from audit.actions import record
from core import clock, news
from core.actor import Actor
from core.errors import Invalid, NotFound
from triggers.models import Rule, TriggerSettings
from triggers.news import push_key
from triggers.rules import files
from triggers.rules.checking import Checked, checked
from triggers.rules.reading import WRITTEN, drafts_of
from triggers.values import RuleDraft


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """What is in force now, and what the owner should think of."""

    rules: tuple[str, ...]
    warnings: tuple[str, ...] = ()


@transaction.atomic
def replace_all(actor: Actor, account_id: int, drafts: Sequence[RuleDraft]) -> Saved:
    """Let these be the account's rules, in this order. Raises Forbidden, NotFound (foreign), BadRules; then nothing changed."""
    kept = _locked(actor, account_id)
    fine = checked(drafts)
    record(actor, "rules.replaced", target=f"account:{account_id}", account_id=account_id, count=len(fine))
    return _put(kept, fine)


@transaction.atomic
def save(actor: Actor, draft: RuleDraft, *, was: str | None) -> Saved:
    """Change the rule that was called `was`, or add one at the end (None). Raises Forbidden, NotFound, BadRules."""
    kept, drafts = _opened(actor)
    if was is None:
        drafts.append(draft)
    else:
        drafts[_place(drafts, was)] = draft
    saved = _put(kept, checked(drafts))
    deed = "rule.added" if was is None else "rule.changed"
    record(actor, deed, target=f"rule:{draft.name}", label=draft.name, account_id=kept.pk, **_told(draft))
    return saved


@transaction.atomic
def remove(actor: Actor, name: str) -> None:
    """Take a rule away; what it fired stays. Raises Forbidden, NotFound."""
    kept, drafts = _opened(actor)
    del drafts[_place(drafts, name)]
    _put(kept, checked(drafts))
    record(actor, "rule.removed", target=f"rule:{name}", label=name, account_id=kept.pk)


@transaction.atomic
def move(actor: Actor, name: str, to: int) -> None:
    """Put a rule at another place, 0 the first; beyond the end is the end. Raises Forbidden, NotFound."""
    kept, drafts = _opened(actor)
    moved = drafts.pop(_place(drafts, name))
    drafts.insert(max(0, to), moved)
    _put(kept, checked(drafts))
    record(actor, "rule.moved", target=f"rule:{name}", label=name, account_id=kept.pk, to=max(0, to))


@transaction.atomic
def switch(actor: Actor, name: str, *, on: bool) -> None:
    """Switch a rule on or off. Raises Forbidden, NotFound."""
    kept, drafts = _opened(actor)
    place = _place(drafts, name)
    drafts[place] = replace(drafts[place], enabled=on)
    _put(kept, checked(drafts))
    record(actor, "rule.switched", target=f"rule:{name}", label=name, account_id=kept.pk, on=on)


def reload(actor: Actor, account_id: int) -> Saved:
    """Let the rules in the account's file be its rules. Raises Invalid naming the file where it is gone or cannot be read, and
    as `replace_all`; whatever is raised, the rules in force stay."""
    require_owner_of(actor, account_id)
    return replace_all(actor, account_id, files.drafts_in(_read(account_id)))


def file_of(account_id: int) -> Path:
    """Where `reload` looks."""
    return Path(settings.TERTULIA_HOME) / "rules" / f"{account_id}.json"


def export(actor: Actor) -> str:
    """The rules in force as such a file. Raises Forbidden."""
    return files.as_text(drafts_of(require_owner(actor)))


def _read(account_id: int) -> str:
    place = file_of(account_id)
    told = {"file": f"rules/{place.name}"}
    try:
        with place.open("rb") as opened:
            raw = opened.read(files.MOST_BYTES + 1)
    except FileNotFoundError:
        raise Invalid(
            _("There is no file %(file)s in the hub's data folder; put it there, the rules in force stay.") % told, code="no_file"
        ) from None
    except OSError:
        raise Invalid(
            _("The file %(file)s in the hub's data folder cannot be read; see to its rights, the rules in force stay.") % told
        ) from None
    try:
        return files.text_in(raw)
    except UnicodeDecodeError:
        raise Invalid(_("The file %(file)s is not text in UTF-8; the rules in force stay.") % told) from None


def _opened(actor: Actor) -> tuple[TriggerSettings, list[RuleDraft]]:
    """The owner's account, locked, and the rules in force."""
    kept = _locked(actor, require_owner(actor))
    return kept, drafts_of(kept.pk)


def _locked(actor: Actor, account_id: int) -> TriggerSettings:
    require_owner_of(actor, account_id)
    kept: TriggerSettings | None = TriggerSettings.objects.select_for_update().filter(pk=account_id).first()
    if kept is None:
        raise NotFound(_("There is no such account."))
    return kept


def _place(drafts: Sequence[RuleDraft], name: str) -> int:
    for place, draft in enumerate(drafts):
        if draft.name == name:
            return place
    raise NotFound(_("There is no such rule; look it up in the list of rules."))


def _put(kept: TriggerSettings, fine: Sequence[Checked]) -> Saved:
    """Write the whole set: rows of the same name stay the same rows."""
    now = clock.now()
    rows = [
        Rule(account_id=kept.pk, position=place, created_at=now, **{name: getattr(rule, name) for name in WRITTEN})
        for place, rule in enumerate(fine)
    ]
    names = [rule.name for rule in fine]
    Rule.objects.filter(account_id=kept.pk).exclude(name__in=names).delete()
    if rows:
        Rule.objects.bulk_create(
            rows,
            update_conflicts=True,
            unique_fields=["account", "name"],
            update_fields=["position", *(each for each in WRITTEN if each != "name")],
        )
    TriggerSettings.objects.filter(pk=kept.pk).update(rules_version=kept.rules_version + 1)
    news.publish_on_commit(push_key(kept.pk))
    return Saved(rules=tuple(names), warnings=tuple(rule.warning for rule in fine if rule.warning))


def _told(draft: RuleDraft) -> dict[str, object]:
    return {"mode": draft.mode, "enabled": draft.enabled, "tools": list(draft.tools)}
