"""`manage.py sessions spawn`."""

import json
from argparse import ArgumentParser

from accounts.command_verbs import Call
from core.commands import add_json
from sessions_app.finding.actions import reach_or_open
from sessions_app.keys import MAIN
from sessions_app.models import Session, SessionSettings
from sessions_app.spawning.actions import spawn
from sessions_app.spawning.values import Wanted


def arguments(parser: ArgumentParser) -> None:
    """What it takes."""
    parser.add_argument("task", metavar="TASK", help="what the sub-agent is to do")
    parser.add_argument("--by", default=MAIN, metavar="SESSION", help="the session that is told of its end; default main")
    parser.add_argument("--agent", default="", metavar="ID", help="the agent it runs under; default that session's own")
    parser.add_argument("--model", default="", metavar="NAME", help="the model it uses; default as the settings say")
    parser.add_argument("--label", default="", metavar="TEXT", help="what the list calls it")
    parser.add_argument("--timeout", type=int, metavar="SECONDS", help="end it after so long; 0 never; default as settings say")
    parser.add_argument("--cleanup", choices=("keep", "delete"), default="keep", help="what becomes of it at its end")
    add_json(parser)


def run(call: Call) -> None:
    """Start it."""
    given = call.options
    wanted = Wanted(
        task=given["task"],
        label=given["label"],
        agent_id=given["agent"],
        model=given["model"],
        timeout_seconds=given["timeout"],
        cleanup=given["cleanup"],
    )
    made = spawn(call.actor, _requester(call), wanted)
    run_id = made.run.run_id if made.run is not None else ""
    told = {"status": "accepted", "runId": run_id, "childSessionKey": made.child.key}
    call.out.write(json.dumps(told) if given["json"] else f"spawned {made.child.key} as run {run_id}")


def _requester(call: Call) -> Session:
    return reach_or_open(SessionSettings.objects.get(pk=call.account.pk), None, call.options["by"], "spawn")
