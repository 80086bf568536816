"""Whether a command of the hub is typed within an agent's process tree."""

import os
import platform
import subprocess
import sys
from typing import Any

import pytest
from tertulia.launch.identity import start_token

from accounts.launches import tree
from core import clock
from tests import make


def test_what_an_agent_is_started_with_says_so(db: None) -> None:
    for name in tree.MARKS:
        assert tree.is_agents({name: "x"}) and not tree.is_agents({name: ""})


def below(who: make.Person, **more: Any) -> bool:
    """Whether this test is an agent's, where its parent was launched so."""
    pid = os.getppid()
    make.launch(who, **{"pid": pid, "host": platform.node(), "start_token": start_token(pid), **more})
    return tree.is_agents({})


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the line of parents is read from /proc")
def test_a_process_below_a_live_launch_is_its_agents(alice: make.Person) -> None:
    assert below(alice)


@pytest.mark.parametrize(
    "more",
    [
        {"start_token": "another-boot:1"},
        {"start_token": ""},
        {"host": "elsewhere"},
        {"pid": 1},
        {"ended_at": clock.now()},
    ],
    ids=["a number used again", "nothing known of it", "another machine", "the first process", "ended"],
)
def test_another_process_makes_nobody_an_agent(alice: make.Person, more: dict[str, Any]) -> None:
    assert not below(alice, **more)


def test_a_process_beside_is_no_parent(alice: make.Person) -> None:
    with subprocess.Popen(["sleep", "60"]) as beside:
        pid = beside.pid
        assert not below(alice, pid=pid, start_token=start_token(pid))
        beside.kill()


def test_where_nothing_tells_of_processes_the_environment_alone_counts(
    alice: make.Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tree, "_read", lambda name: "")
    assert not below(alice)
