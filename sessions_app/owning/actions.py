"""What an owner decides about sessions: the settings of the account, and the send policy of one session."""

import json
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.permissions import may_manage_account
from audit.actions import record
from core import news
from core.actor import Actor
from core.errors import Forbidden, Invalid, NotFound
from core.text import first_control_character
from sessions_app import keys
from sessions_app.keeping.actions import patch
from sessions_app.models import Agent, Session, SessionSettings
from sessions_app.news import sessions_key

LIMITS = {
    "turns": (0, 5),
    "chain_budget": (1, 10_000),
    "offer_minutes": (1, 10_080),
    "subagent_depth": (1, 5),
    "subagent_children": (1, 100),
    "subagent_concurrent": (1, 100),
    "subagent_timeout_seconds": (0, 86_400),
    "subagent_archive_minutes": (0, 525_600),
}
"""From and to, of each number."""
CHOICES = {
    "visibility": SessionSettings.VISIBILITY,
    "sandbox_visibility": SessionSettings.SANDBOX,
    "scope": SessionSettings.SCOPE,
}
NAMES = ("agent_to_agent_allow", "subagent_tools_allow", "subagent_tools_deny")
MODELS = ("subagent_model", "default_model")
MOST_NAMES, NAME_LENGTH, MODEL_LENGTH = 200, 128, 128
MOST_RULES, POLICY_BYTES = 100, 32_768
ALLOW, DENY, INHERIT = "allow", "deny", ""
SPOKEN = {ALLOW: "on", DENY: "off", INHERIT: "inherit"}
"""What `/send` calls the three."""
MATCHES = frozenset({"channel", "chatType", "keyPrefix", "rawKeyPrefix"})


class Wrong(Invalid):
    """A setting that cannot be kept; `name` says which."""

    def __init__(self, name: str, detail: str) -> None:
        super().__init__(detail)
        self.name = name


@transaction.atomic
def update_settings(actor: Actor, *, account_id: int, **wanted: Any) -> SessionSettings:
    """Change what is given of the account's session settings; audited, and nothing where nothing changes.

    Raises Forbidden for any token, NotFound for a foreign account, Wrong (an Invalid) that names the setting.
    """
    if actor.is_agent:
        raise Forbidden(_("Only the owner changes settings, on the settings page."))
    kept: SessionSettings | None = (
        SessionSettings.objects.visible_to(actor).select_for_update().filter(account_id=account_id).first()
    )
    if kept is None or not may_manage_account(actor, account_id):
        raise NotFound(_("No such account."))
    checked = {name: _checked(account_id, name, value) for name, value in wanted.items()}
    changes = {name: value for name, value in checked.items() if getattr(kept, name) != value}
    if not changes:
        return kept
    for name, value in changes.items():
        setattr(kept, name, value)
    kept.save(update_fields=list(changes))
    record(actor, "sessions.settings_changed", target=f"account:{account_id}", account_id=account_id, **changes)
    news.publish_on_commit(sessions_key(account_id))
    return kept


def _checked(account_id: int, name: str, value: Any) -> Any:
    if name in LIMITS:
        return _number(name, value)
    if name in CHOICES:
        if value not in dict(CHOICES[name]):
            raise Wrong(name, _("Choose one from the list."))
        return value
    if name in NAMES:
        return _names(name, value)
    if name in MODELS:
        return _model(name, value)
    if name == "agent_to_agent":
        return bool(value)
    if name == "send_policy":
        return checked_policy(value)
    if name == "default_agent":
        return _agent(account_id, value)
    raise Wrong(name, _("There is no such setting."))


def _number(name: str, value: Any) -> int:
    least, most = LIMITS[name]
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise Wrong(name, _("Give a whole number from %(least)d to %(most)d.") % {"least": least, "most": most})
    return value


def _names(name: str, value: Any) -> list[str]:
    given = value if isinstance(value, list | tuple) else None
    wrong = Wrong(name, _("Give at most %(most)d names, each of 1 to 128 printable characters.") % {"most": MOST_NAMES})
    if given is None or len(given) > MOST_NAMES:
        raise wrong
    for each in given:
        if not isinstance(each, str) or not 1 <= len(each.strip()) <= NAME_LENGTH or not each.isprintable():
            raise wrong
    return list(dict.fromkeys(each.strip() for each in given))


def _model(name: str, value: Any) -> str:
    if not isinstance(value, str) or len(value) > MODEL_LENGTH or not value.isprintable():
        raise Wrong(name, _("A model's name takes at most 128 printable characters."))
    return value.strip()


def _agent(account_id: int, value: Any) -> str:
    slug = str(value).strip().lower()
    if not keys.SLUG.match(slug) or not Agent.objects.filter(account_id=account_id, slug=slug).exists():
        raise Wrong("default_agent", _("You have no agent of that name; make it first, or choose one of yours."))
    return slug


def checked_policy(given: Any) -> dict[str, Any]:
    """A send policy as it is kept; raises Wrong with what to mend. Empty lets everything out."""
    if not isinstance(given, dict) or len(json.dumps(given)) > POLICY_BYTES:
        raise _policy_is(_('Give an object such as {"default": "allow", "rules": []}.'))
    if unknown := sorted(set(given) - {"default", "rules"}):
        raise _policy_is(_("There is no “%(name)s” here; give default and rules.") % {"name": unknown[0][:40]})
    if given.get("default", ALLOW) not in (ALLOW, DENY):
        raise _policy_is(_("The default is allow or deny."))
    rules = given.get("rules", [])
    if not isinstance(rules, list) or len(rules) > MOST_RULES:
        raise _policy_is(_("Rules are a list of at most %(most)d.") % {"most": MOST_RULES})
    for number, rule in enumerate(rules, 1):
        _check_rule(number, rule)
    return given


def _check_rule(number: int, rule: Any) -> None:
    if not isinstance(rule, dict) or rule.get("action") not in (ALLOW, DENY) or set(rule) - {"action", "match"}:
        raise _policy_is(_("Rule %(number)d takes an action, allow or deny, and what it matches.") % {"number": number})
    match = rule.get("match", {})
    if not isinstance(match, dict) or set(match) - MATCHES or not all(_is_word(each) for each in match.values()):
        told = _("Rule %(number)d matches by channel, chatType, keyPrefix or rawKeyPrefix, each a text.")
        raise _policy_is(told % {"number": number})


def _is_word(value: Any) -> bool:
    return isinstance(value, str) and 0 < len(value) <= 256 and first_control_character(value) is None


def _policy_is(detail: str) -> Wrong:
    return Wrong("send_policy", detail)


@transaction.atomic
def set_send_policy(actor: Actor, session: Session, policy: str) -> None:
    """Override the account's send policy for one session: `allow`, `deny`, or nothing to follow the account's again.

    Raises Forbidden (no person), NotFound (foreign, archived), Invalid. Audited.
    """
    if policy not in SPOKEN:
        raise Invalid(_("A session's send policy is allow, deny, or the account's."))
    patch(actor, session, send_policy=SPOKEN[policy])
