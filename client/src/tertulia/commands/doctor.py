"""doctor."""

from typing import TYPE_CHECKING, Annotated

import typer

from tertulia.commands.options import BrowserOption, HubOption, JsonOption
from tertulia.problems import FAILED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tertulia.doctor.findings import Finding

MentionOption = Annotated[
    str | None,
    typer.Option(
        "--mention", metavar="LAUNCH", help="As the owner, mention this granted launch in general, and follow what becomes of it."
    ),
]
SilentOption = Annotated[bool, typer.Option("--no-mention", help="Within an agent: do not mention it for a trial.")]


def doctor(
    mention: MentionOption = None,
    no_mention: SilentOption = False,
    browser: BrowserOption = False,
    hub: HubOption = None,
    json: JsonOption = False,
) -> None:
    """Look at every piece between an agent and the chat; say what is amiss, and the command that mends it.

    Within a granted agent it also mentions that agent in the topic doctor, finds the mention in its inbox and marks it as read.
    Ends with 1 where something has to be mended.
    """
    from dataclasses import asdict

    from tertulia.voice import answer_json

    found = []
    for finding in _looked(hub, mention, no_mention, browser):
        found.append(finding)
        if not json:
            _show(finding)
    if json:
        answer_json({"findings": [asdict(each) for each in found]})
    if any(each.state == "problem" for each in found):
        raise typer.Exit(FAILED)


def _looked(hub: str | None, mention: str | None, no_mention: bool, browser: bool) -> "Iterator[Finding]":
    from tertulia.doctor import harnesses, launch, terminal
    from tertulia.launch.runtime import launches

    yield from _at_the_hub(hub, mention, no_mention, browser)
    yield from terminal.look()
    own = launch.here()
    yield from harnesses.look({each.harness for each in ([own] if own else launches())})


def _at_the_hub(hub: str | None, mention: str | None, no_mention: bool, browser: bool) -> "Iterator[Finding]":
    from tertulia.commands.options import as_owner, signed_in
    from tertulia.doctor import hub as hubs
    from tertulia.doctor import launch, trial
    from tertulia.doctor.findings import problem
    from tertulia.problems import Problem, SignedOut

    own = launch.here()
    try:
        with signed_in(hub or (own.hub if own else None)) as asked:
            yield from hubs.look(asked)
            yield from launch.look()
            if own is not None and not no_mention:
                yield from trial.within(asked, own)
        if mention is not None:
            with as_owner(hub, browser=browser) as owner:
                yield from trial.by_owner(owner, mention)
    except SignedOut as out:
        yield problem("sign-in", str(out), "tertulia login HUB_URL")
        yield from launch.look()
    except Problem as failed:
        yield problem("mention", str(failed), "mend that, then: tertulia doctor")


def _show(finding: "Finding") -> None:
    from tertulia.inert import line
    from tertulia.voice import answer

    mend = f"\n{'':8} -> {line(finding.mend)}" if finding.mend else ""
    answer(f"{finding.state:8} {line(finding.piece)}: {line(finding.said)}{mend}")
