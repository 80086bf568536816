"""`manage.py channel rules`, `rules reload`, `rules test` and `rules export`."""

from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path

from accounts.command_verbs import Call, counted
from core.commands import add_json, as_json
from core.errors import Invalid
from core.text import one_line
from triggers.inbox.lines import place, preview
from triggers.rules import actions, reading, trying
from triggers.rules.files import MOST_BYTES, drafts_in, text_in
from triggers.rules.reading import Shown
from triggers.rules.trying import Trial
from triggers.serializers import rule_out, trial_out

RELOAD, TEST, EXPORT = "reload", "test", "export"
SHOWN, NAME = 10, 64
COUNTS = (("fired", "fired"), ("by_rate", "kept back by the rate limit"), ("by_dedup", "as the same again"), ("errors", "errors"))


def arguments(parser: ArgumentParser) -> None:
    """What it takes."""
    parser.add_argument("deed", metavar="reload|test|export", nargs="?", choices=(RELOAD, TEST, EXPORT))
    parser.add_argument("file", metavar="FILE", nargs="?", help='with test: JSON, {"rules": […]}')
    add_json(parser)


def run(call: Call) -> None:
    """Show the rules, or do what is asked with them."""
    deed = call.options["deed"]
    if (deed == TEST) != (call.options["file"] is not None):
        raise Invalid("Name a file for `rules test`, and for nothing else.")
    {None: _show, RELOAD: _reload, TEST: _test, EXPORT: _export}[deed](call)


def _show(call: Call) -> None:
    found = reading.rules(call.actor)
    if call.options["json"]:
        call.out.write(as_json({"results": [rule_out(each).model_dump() for each in found]}))
        return
    for each in found:
        call.out.write("\n".join(_lines(each)))
    if not found:
        call.out.write("no rules")


def _lines(shown: Shown) -> Iterator[str]:
    rule, state = shown.rule, shown.state
    yield f"{one_line(rule.name, NAME)}: {rule.mode}{'' if rule.enabled else ', switched off'}"
    told = (
        ("server", rule.server),
        ("channel", rule.channel),
        ("content", rule.content_regex),
        ("prompt", rule.prompt),
        ("at most one each", rule.rate_limit),
        ("the same again after", rule.dedup_window),
        ("tools", ", ".join(rule.tools)),
    )
    yield from (f"    {name}: {one_line(value, 500)}" for name, value in told if value)
    did = [f"{words} {getattr(state, name)}" for name, words in COUNTS if getattr(state, name)]
    yield f"    {'; '.join(did) or 'has not fired yet'}"
    if state.last_error:
        yield f"    last error: {one_line(state.last_error, 300)}"
    if shown.warning:
        yield f"    note: {one_line(shown.warning, 300)}"


def _reload(call: Call) -> None:
    saved = actions.reload(call.actor, call.account.pk)
    for each in saved.warnings:
        call.err.write(f"note: {one_line(each, 300)}")
    call.out.write(f"{counted(len(saved.rules), 'rule is', 'rules are')} in force")


def _test(call: Call) -> None:
    trials = trying.dry_run(call.actor, drafts_in(_text_of(call.options["file"])))
    if call.options["json"]:
        call.out.write(as_json({"results": [trial_out(each).model_dump() for each in trials]}))
        return
    for each in trials:
        call.out.write("\n".join(_tried(each)))


def _tried(trial: Trial) -> Iterator[str]:
    would = f", would fire {counted(trial.fires, 'time', 'times')}" if trial.fires != len(trial.matches) else ""
    yield f"{one_line(trial.rule, NAME)}: matches {len(trial.matches)} of the newest {trial.checked} messages{would}"
    for each in trial.matches[:SHOWN]:
        message = each.message
        yield f"    #{message.seq} {place(message.server, message.channel)} {preview(message.content)}"
    if len(trial.matches) > SHOWN:
        yield f"    … and {len(trial.matches) - SHOWN} more"
    if trial.warning:
        yield f"    note: {one_line(trial.warning, 300)}"


def _export(call: Call) -> None:
    call.out.write(actions.export(call.actor), ending="")


def _text_of(name: str) -> str:
    try:
        with Path(name).open("rb") as file:
            return text_in(file.read(MOST_BYTES + 1))
    except (OSError, ValueError) as error:
        said = (getattr(error, "strerror", None) or "").lower() or "it is no text in UTF-8"
        raise Invalid(f"{one_line(name, 200)} cannot be read ({said}); give another file.") from None
