"""A key or a signal that comes while a launch forks: neither is it lost to the agent, nor does it reach the companion."""

import signal
import subprocess
import sys

import pytest
from tertulia.launch.terminal import PASSED_ON

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
