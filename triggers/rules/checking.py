"""Whether rules may be saved: all of them, or none. Pure, but for the language of its refusals."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import timedelta

import re2
from django.utils.translation import gettext as _

from core.errors import Invalid
from core.text import first_control_character, one_line
from triggers.rules.durations import duration
from triggers.values import RuleDraft

MODES = ("notify", "confirm", "auto")
NAME, SERVER, CHANNEL, REGEX, PROMPT, TOOL = 64, 64, 200, 1_000, 16_000, 128
MOST_RULES, MOST_TOOLS = 500, 100
REGEX_MEMORY = 2 * 1024 * 1024
REGEX_SIZE, REGEX_SIZES = 5_000, 20_000
"""Instructions of one compiled expression and of all of a set: what a long message costs at worst grows with them."""
COMPILED_SECONDS, MOST_REFUSED = 1.0, 10
"""How long a processor may be busy with compiling a set, of which a few classes of Unicode take a tenth of a second though they
come to nothing; and after how many expressions that cannot stay the others are left alone."""
SHOWN = 80
"""Characters of a wrong value that a refusal repeats."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """What is wrong with one rule: which (0 is the first), which field as the file calls it, and the sentence."""

    index: int
    rule: str
    field: str
    said: str

    def __str__(self) -> str:
        if not self.rule:
            return _("rule %(number)d: %(said)s") % {"number": self.index + 1, "said": self.said}
        return _('rule "%(rule)s": %(said)s') % {"rule": self.rule, "said": self.said}


class BadRules(Invalid):
    """Rules that cannot be saved; `faults` names each."""

    code = "bad_rules"

    def __init__(self, faults: Sequence[Fault]) -> None:
        super().__init__("; ".join(str(each) for each in faults[:10]))
        self.faults = tuple(faults)


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked(RuleDraft):
    """A rule as the engine takes it. `rate` and `dedup` are its windows, None without one; how they were written is kept."""

    rate: timedelta | None = None
    dedup: timedelta | None = None

    @property
    def warning(self) -> str:
        """What its owner should think of, or nothing."""
        if self.mode == "auto" and self.rate is None and self.dedup is None:
            text = _('Rule "%(rule)s" runs an agent at every message; give it a rateLimit or a dedupWindow.')
            return text % {"rule": self.name}
        return ""


def checked(drafts: Sequence[RuleDraft]) -> list[Checked]:
    """The rules of a whole set in their order; raises BadRules with all that is wrong, and then none of them counts."""
    tidy = [replace(draft, prompt=draft.prompt.replace("\r\n", "\n")) for draft in drafts]  # as forms send lines
    faults = list(_faults(tidy))
    if faults:
        raise BadRules(faults)
    return [compiled(draft) for draft in tidy]


def compiled(draft: RuleDraft) -> Checked:
    """One rule that was checked before."""
    return Checked(**asdict(draft), rate=duration(draft.rate_limit), dedup=duration(draft.dedup_window))


def options(memory: int = REGEX_MEMORY) -> re2.Options:
    """How every expression of a rule is compiled."""
    made = re2.Options()
    made.log_errors = False
    made.max_mem = memory
    return made


def regex_fault(pattern: str) -> str:
    """Why an expression is refused; empty where it is not."""
    try:
        return _("it is too large, repeat less") if size_of(pattern) > REGEX_SIZE else ""
    except re2.error as error:
        told = error.args[0] if error.args else ""
        return told.decode("utf-8", "replace") if isinstance(told, bytes) else str(told) or "?"
    except UnicodeError:
        return _("it holds a character that is none")


def size_of(pattern: str) -> int:
    """How many instructions an expression is compiled to; raises re2.error."""
    return int(re2.compile(pattern, options()).programsize) if pattern else 0


def _faults(drafts: Sequence[RuleDraft]) -> Iterator[Fault]:
    seen: set[str] = set()
    if len(drafts) > MOST_RULES:
        yield Fault(index=MOST_RULES, rule="", field="rules", said=_("there may be at most %d rules") % MOST_RULES)
        return
    expressions = _wrong_expressions(drafts)
    for index, draft in enumerate(drafts):
        shown = one_line(draft.name, NAME)
        for field, said in _wrong(draft, expressions.get(index, "")):
            yield Fault(index=index, rule=shown, field=field, said=said)
        if draft.name in seen and draft.name.strip():
            yield Fault(index=index, rule="", field="name", said=_('duplicate rule name "%s"') % shown)
        seen.add(draft.name)


def _wrong_expressions(drafts: Sequence[RuleDraft]) -> dict[int, str]:
    """Which rules' expressions cannot stay, and why: by themselves, or because the set is too large with them."""
    found: dict[int, str] = {}
    total, began = 0, time.thread_time()
    for index, draft in enumerate(drafts):
        if not draft.content_regex or len(draft.content_regex) > REGEX:
            continue
        if why := regex_fault(draft.content_regex):
            found[index] = _cut(why, 200)
        else:
            total += size_of(draft.content_regex)
        if total > REGEX_SIZES or time.thread_time() - began > COMPILED_SECONDS:
            found.setdefault(index, _("with those of the rules before it, it is too large; repeat less"))
            break
        if len(found) == MOST_REFUSED:
            break
    return found


def _wrong(draft: RuleDraft, expression: str) -> Iterator[tuple[str, str]]:
    """The fields of one rule that cannot stay, each with its sentence; `expression`: what is wrong with that."""
    yield from _wrong_texts(draft)
    if draft.mode not in MODES:
        yield "mode", _('invalid mode "%(value)s"') % {"value": _quoted(draft.mode)}
    yield from _wrong_prompt(draft)
    yield from _wrong_tools(draft)
    if expression:
        yield "contentRegex", f"{_('invalid contentRegex')}: {expression}"
    for field, value in (("rateLimit", draft.rate_limit), ("dedupWindow", draft.dedup_window)):
        try:
            duration(value)
        except ValueError:
            yield field, _('invalid %(field)s "%(value)s"') % {"field": field, "value": _quoted(value)}


def _wrong_texts(draft: RuleDraft) -> Iterator[tuple[str, str]]:
    if not draft.name.strip():
        yield "name", _("a rule needs a name")
    elif draft.name != draft.name.strip():
        yield "name", _('invalid name "%s": no blanks at its ends') % _quoted(draft.name)
    most = {"name": NAME, "server": SERVER, "channel": CHANNEL, "contentRegex": REGEX, "prompt": PROMPT}
    given = (draft.name, draft.server, draft.channel, draft.content_regex, draft.prompt)
    for (field, length), value in zip(most.items(), given, strict=True):
        if len(value) > length:
            yield field, _("%(field)s has more than %(most)d characters") % {"field": field, "most": length}
        elif first_control_character(value) is not None or (field != "prompt" and field != "contentRegex" and "\n" in value):
            yield field, _("%(field)s holds a control character") % {"field": field}


def _wrong_prompt(draft: RuleDraft) -> Iterator[tuple[str, str]]:
    if draft.mode in {"confirm", "auto"} and not draft.prompt.strip():
        yield "prompt", _('mode "%s" requires a prompt') % draft.mode


def _wrong_tools(draft: RuleDraft) -> Iterator[tuple[str, str]]:
    if draft.mode == "auto" and not draft.tools:
        yield "tools", _('mode "auto" requires a non-empty tools whitelist')
    if len(draft.tools) > MOST_TOOLS:
        yield "tools", _("tools has more than %d names") % MOST_TOOLS
    for tool in draft.tools[:MOST_TOOLS]:
        if not tool.strip() or tool != tool.strip() or len(tool) > TOOL or not tool.isprintable() or "*" in tool[:-1]:
            yield "tools", _('invalid tools "%s": give names, or prefixes that end in *') % _quoted(tool)
            return


def _quoted(value: str) -> str:
    """A wrong value as it was given, blanks and all; what has no shape as `?`."""
    return "".join(each if each.isprintable() else "?" for each in value[:SHOWN])


def _cut(value: str, most: int = SHOWN) -> str:
    return one_line(value, most)
