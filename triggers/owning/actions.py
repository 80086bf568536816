"""What an owner decides about his push inbox: whose runs firings are, how many at once, and what prompts show."""

from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.permissions import require_owner_of
from audit.actions import record
from core import news
from core.actor import Actor
from core.errors import NotFound
from sessions_app import keys
from sessions_app.models import Agent
from sessions_app.owning.actions import Wrong
from triggers.models import TriggerSettings
from triggers.news import push_key

AUTO_RUNS = (1, 32)
"""From and to."""


@transaction.atomic
def update_settings(actor: Actor, *, account_id: int, **wanted: Any) -> TriggerSettings:
    """Change what is given of `agent`, `auto_runs` and `in_prompts`; audited, and nothing where nothing changes.

    Raises Forbidden for any token, NotFound for a foreign account, Wrong (an Invalid) that names the setting.
    """
    require_owner_of(actor, account_id)
    kept = TriggerSettings.objects.visible_to(actor).select_for_update().filter(account_id=account_id).first()
    if kept is None:
        raise NotFound(_("There is no such account."))
    checked = {name: _checked(account_id, name, value) for name, value in wanted.items()}
    changes = {name: value for name, value in checked.items() if getattr(kept, name) != value}
    if changes:
        for name, value in changes.items():
            setattr(kept, name, value)
        kept.save(update_fields=list(changes))
        record(actor, "push.settings_changed", target=f"account:{account_id}", account_id=account_id, **changes)
        news.publish_on_commit(push_key(account_id))
    return kept  # type: ignore[no-any-return]


def _checked(account_id: int, name: str, value: Any) -> Any:
    if name == "agent":
        return _agent(account_id, value)
    if name == "auto_runs":
        return _auto_runs(value)
    if name == "in_prompts":
        return bool(value)
    raise Wrong(name, _("There is no such setting."))


def _agent(account_id: int, value: Any) -> str:
    slug = str(value or "").strip().lower()
    if slug and (not keys.SLUG.match(slug) or not Agent.objects.filter(account_id=account_id, slug=slug).exists()):
        raise Wrong("agent", _("You have no agent of that name; make it first, or choose one of yours."))
    return slug


def _auto_runs(value: Any) -> int:
    least, most = AUTO_RUNS
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise Wrong("auto_runs", _("Give a whole number from %(least)d to %(most)d.") % {"least": least, "most": most})
    return value
