"""A key or a signal that comes while a launch forks: neither is it lost to the agent, nor does it reach the companion."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tertulia.launch.identity import look_at
from tertulia.launch.terminal import PASSED_ON

from tests.launcher.conftest import AGENT_COMMAND, Launch
from tests.launcher.waiting import until

APART = """
import os, signal, sys
from tertulia.launch.terminal import forked_apart

leave = os.setsid
os.setsid = lambda: os.kill(os.getpid(), int(sys.argv[1])) or leave()
if not (pid := forked_apart()):
    os._exit(42)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""
AGENT = """
import os, signal, sys
from tertulia.launch.terminal import Job

launcher, prepare = os.getpid(), Job._prepare_group
def press(job, pid):
    prepare(job, pid)
    if os.getpid() != launcher:
        os.kill(os.getpid(), int(sys.argv[1]))
Job._prepare_group = press
job = Job(["cat"], dict(os.environ))
job.start()
print(os.waitstatus_to_exitcode(job.wait()))
"""


def told(script: str, number: int) -> int:
    """What a script printed, run in an interpreter of its own, which a key ends as it ends any program."""
    words = ["env", "--default-signal", sys.executable, "-c", script, str(number)]
    return int(subprocess.run(words, stdin=subprocess.PIPE, capture_output=True, text=True, timeout=60, check=True).stdout)


@pytest.mark.parametrize("number", [*PASSED_ON, signal.SIGTSTP])
def test_a_signal_of_the_job_does_not_reach_the_companion_that_is_being_forked(number: signal.Signals) -> None:
    assert told(APART, number) == 42


@pytest.mark.parametrize("number", PASSED_ON)
def test_a_signal_to_the_agent_that_is_being_started_is_not_lost(number: signal.Signals) -> None:
    assert told(AGENT, number) == -number


def has_ended(pid: int) -> bool:
    """With all its threads, the last of which lets go of its pipes."""
    found = look_at(pid)
    return found is not None and not found.lives and len(list(Path(f"/proc/{pid}/task").iterdir())) == 1


def test_where_the_companion_was_killed_the_launch_leaves_no_folder_behind(launch: Launch) -> None:
    launched = launch(*AGENT_COMMAND, "signals")
    facts = launched.tells(connected=True)
    folder = launched.folder
    os.kill(facts["launcher"], signal.SIGKILL)
    until(lambda: has_ended(facts["launcher"]))
    os.kill(facts["pid"], signal.SIGTERM)
    assert launched.process.wait(20) == 7
    until(lambda: not folder.exists())
