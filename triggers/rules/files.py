"""Rules as a file: `{"rules": […]}`. Pure, but for the language of its refusals."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from django.utils.translation import gettext as _

from core.errors import Invalid
from core.text import byte_length, one_line
from triggers.values import RuleDraft

MOST_BYTES = 1024 * 1024
MARK = "\ufeff"
"""A byte order mark, which some editors put before a text."""
TEXTS = {
    "name": "name",
    "server": "server",
    "channel": "channel",
    "contentRegex": "content_regex",
    "mode": "mode",
    "prompt": "prompt",
    "rateLimit": "rate_limit",
    "dedupWindow": "dedup_window",
}
"""What the file calls each text, and what a draft does."""

KEYS = {*TEXTS, "tools", "enabled"}


def text_in(raw: bytes) -> str:
    """What a file says; raises Invalid where it is too long, UnicodeDecodeError where it is no text."""
    _check_length(len(raw))
    return raw.decode("utf-8")


def drafts_in(text: str) -> list[RuleDraft]:
    """The rules of a file, not yet checked; raises Invalid where it is not JSON of that form."""
    _check_length(byte_length(text))
    try:
        read = json.loads(text.removeprefix(MARK), object_pairs_hook=_once)
    except RecursionError:
        raise Invalid(_("The file is not JSON: it is nested too deeply.")) from None
    except ValueError as error:
        line = getattr(error, "lineno", 0)
        raise Invalid(_("The file is not JSON: look at line %(line)d.") % {"line": line}) from None
    if not isinstance(read, dict) or set(read) - {"rules"} or not isinstance(read.get("rules"), list):
        raise Invalid(_('The file must be {"rules": […]}, a list of rules and nothing else.'))
    return drafts_of(read["rules"])


def drafts_of(rules: Sequence[Any]) -> list[RuleDraft]:
    """The same of the list that such a file holds."""
    return [_draft(index, each) for index, each in enumerate(rules, start=1)]


def _check_length(size: int) -> None:
    if size > MOST_BYTES:
        raise Invalid(_("The file has more than %(most)d bytes; give fewer rules.") % {"most": MOST_BYTES})


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; raises Invalid where it names a field twice, for one of the two would be lost and nobody told."""
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = Counter(name for name, _value in pairs).most_common(1)[0][0]
        raise Invalid(_('The file names "%(field)s" twice in one object; take one out.') % {"field": one_line(twice, 40)})
    return found


def _draft(index: int, given: Any) -> RuleDraft:
    if not isinstance(given, dict):
        raise Invalid(_("rule %(index)d: it must be an object") % {"index": index})
    called = _called(index, given)
    for key in given:
        if key not in KEYS:
            raise Invalid(_('%(rule)s: unknown field "%(field)s"') % {"rule": called, "field": one_line(str(key), 40)})
    texts = {own: _text(called, given, key) for key, own in TEXTS.items() if given.get(key) is not None}
    if texts.get("mode") == "":
        del texts["mode"]
    texts.setdefault("name", "")
    return RuleDraft(**texts, tools=_tools(called, given), enabled=_enabled(called, given))


def _called(index: int, given: dict[str, Any]) -> str:
    name = given.get("name")
    return f'rule "{one_line(name, 64)}"' if isinstance(name, str) and name.strip() else f"rule {index}"


def _text(called: str, given: dict[str, Any], key: str) -> str:
    value = given[key]
    if not isinstance(value, str):
        shown = one_line(json.dumps(value), 40)
        raise Invalid(_("%(rule)s: %(field)s must be a text, not %(value)s") % {"rule": called, "field": key, "value": shown})
    return value


def _tools(called: str, given: dict[str, Any]) -> tuple[str, ...]:
    value = given.get("tools")
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise Invalid(_("%(rule)s: tools must be a list of names") % {"rule": called})
    return tuple(value)


def _enabled(called: str, given: dict[str, Any]) -> bool:
    value = given.get("enabled", True)
    if not isinstance(value, bool):
        raise Invalid(_("%(rule)s: enabled must be true or false") % {"rule": called})
    return value


def as_text(drafts: Iterable[RuleDraft]) -> str:
    """The same rules as a file, what is empty left out; what it says can be read back."""
    return json.dumps({"rules": [_as_object(each) for each in drafts]}, indent=2, ensure_ascii=False) + "\n"


def _as_object(draft: RuleDraft) -> dict[str, Any]:
    texts = {key: getattr(draft, own) for key, own in TEXTS.items()}
    told: dict[str, Any] = {key: value for key, value in texts.items() if value}
    if draft.tools:
        told["tools"] = list(draft.tools)
    if not draft.enabled:
        told["enabled"] = False
    return told
