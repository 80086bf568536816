"""The agent runs in its terminal as if started by hand: keys, signals, job control, size, exit status."""

import os
import re
import signal
from pathlib import Path

import pytest

from tests.launcher.conftest import AGENT_COMMAND, Launch
from tests.launcher.terminals import PROMPT, Terminal
from tests.launcher.waiting import until

SHELL = re.escape(PROMPT)


def test_the_exit_code_is_the_agents(terminal: Terminal) -> None:
    terminal.enter("$launch sh -c 'exit 42'; echo code $?")
    terminal.shows(r"code 42\r")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV])
def test_a_signal_that_ended_the_agent_ends_the_launch(launch: Launch, number: signal.Signals) -> None:
    assert launch("sh", "-c", f"kill -{number.value} $$").process.wait(20) == -number


def test_a_command_that_is_not_there_is_said_in_one_sentence(terminal: Terminal) -> None:
    terminal.enter("$launch no-such-agent; echo code $?")
    terminal.shows(r"tertulia: There is no command 'no-such-agent' here; look at its name and at PATH\.\r\ncode 127")


def test_a_file_that_is_no_program_is_said_too(terminal: Terminal) -> None:
    terminal.enter("$launch /etc; echo code $?")
    terminal.shows(r"tertulia: '/etc' cannot be started: Permission denied\.\r\ncode 126")


def test_keys_reach_the_agent_alone_and_nothing_is_printed_beside(terminal: Terminal) -> None:
    terminal.enter("$launch $agent chat; echo code $?")
    terminal.shows("ready\r\n> ")
    terminal.enter("hello")
    assert terminal.shows(r"hello\r\nsaid: hello\r\n> ") == "hello\r\nsaid: hello\r\n> "
    terminal.type("\x04")
    assert terminal.shows(r"(?s).*code 0\r\n") == "code 0\r\n"


def test_ctrl_c_and_ctrl_backslash_reach_the_agent_and_not_the_launcher(terminal: Terminal) -> None:
    terminal.enter("$launch $agent signals; echo code $?")
    terminal.shows("ready")
    terminal.type("\x03")
    terminal.shows("got SIGINT")
    terminal.type("\x1c")
    terminal.shows("got SIGQUIT")
    terminal.type("\x03")
    terminal.shows("got SIGINT")


def test_the_agent_has_the_windows_size_and_hears_of_another(terminal: Terminal) -> None:
    terminal.enter("$launch $agent size")
    terminal.shows("size 100x30")
    terminal.shows(SHELL)
    terminal.enter("$launch $agent signals")
    terminal.shows("ready")
    terminal.resize(90, 20)
    terminal.shows("got SIGWINCH")


def test_ctrl_z_stops_both_and_fg_continues_both(terminal: Terminal) -> None:
    terminal.enter("$launch $agent chat")
    terminal.shows("ready\r\n> ")
    terminal.type("\x1a")
    terminal.shows(r"\[1\]\+  Stopped .*\r\n" + SHELL)
    terminal.enter("echo the shell is back")
    terminal.shows(r"\r\nthe shell is back\r\n" + SHELL)
    for _ in range(2):
        terminal.enter("fg")
        terminal.shows("launch.*\r\n")
        terminal.enter("again")
        terminal.shows("said: again")
        terminal.type("\x1a")
        terminal.shows(r"Stopped .*\r\n" + SHELL)


def test_an_agent_that_stops_itself_gives_the_terminal_back(terminal: Terminal) -> None:
    terminal.enter("$launch sh -c 'echo before; kill -STOP $$; echo after'; echo code $?")
    terminal.shows(r"before\r\n")
    terminal.shows(r"Stopped(?s:.*)" + SHELL)
    terminal.enter("fg")
    terminal.shows(r"\r\nafter\r\n")


def test_in_the_background_it_waits_for_fg_before_it_reads(terminal: Terminal) -> None:
    terminal.enter("$launch $agent chat &")
    terminal.shows("ready")
    terminal.enter("until jobs | grep -q Stopped; do sleep 0.05; done; echo it waits")
    terminal.shows(r"\nit waits\r")
    terminal.enter("fg")
    terminal.shows(r"fg\r\n.*launch.*\r\n")  # not the line before, which tells that it stopped
    terminal.enter("here")
    terminal.shows("said: here")


def test_bg_lets_it_run_on_behind_the_shell(terminal: Terminal) -> None:
    terminal.enter("$launch $agent signals")
    terminal.shows("ready")
    terminal.type("\x1a")
    terminal.shows("Stopped .*\r\n" + SHELL)
    terminal.enter("bg")
    terminal.shows("got SIGCONT")
    terminal.enter("kill %1; wait %1; echo code $?")
    terminal.shows("code 7")


def test_an_agent_that_dies_badly_leaves_the_terminal_as_it_was(terminal: Terminal) -> None:
    terminal.enter("stty -a >before; sh -c '$launch $agent raw 9; stty -a >after; cmp before after && echo as before'")
    terminal.shows(r"\nas before\r\n")


def test_what_an_agent_sets_and_ends_well_with_stays(terminal: Terminal) -> None:
    terminal.enter("sh -c '$launch stty -echo; stty -a | grep -o -- -echo\\ ; stty echo'")
    terminal.shows(r"\r\n-echo \r\n")


def test_within_a_script_ctrl_c_ends_the_agent_and_the_script_goes_on(terminal: Terminal) -> None:
    terminal.enter("sh -c 'trap : INT; $launch $agent signals; echo went on $?'")
    terminal.shows("ready")
    terminal.type("\x03")
    terminal.shows("got SIGINT")
    os.kill(-os.tcgetpgrp(terminal.keys), signal.SIGTERM)
    terminal.shows("went on 7")


def test_in_a_pipeline_it_stays_a_part_of_it(terminal: Terminal) -> None:
    terminal.enter("echo from the pipe | $launch cat | tr a-z A-Z")
    terminal.shows(r"\r\nFROM THE PIPE\r\n")
    terminal.enter("echo started >said; sleep 100 | $launch tail -f said | cat")  # a shell could lose the key while it forks
    terminal.shows("\nstarted")
    terminal.type("\x03")
    terminal.shows(SHELL)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_term_and_hup_to_the_launcher_pass_on(launch: Launch, number: signal.Signals) -> None:
    launched = launch(*AGENT_COMMAND, "signals")
    assert launched.line() == "ready"
    launched.process.send_signal(number)
    if number == signal.SIGTERM:
        assert launched.process.wait(20) == 7
    else:
        assert launched.line() == "got SIGHUP"


def test_a_terminal_that_hangs_up_ends_the_agent(terminal: Terminal, environment: dict[str, str]) -> None:
    terminal.enter("$launch $agent chat")
    terminal.shows("ready")
    os.close(terminal.keys)
    until(lambda: not list(Path(environment["XDG_RUNTIME_DIR"]).glob("tertulia/l-*")))


def test_nothing_of_it_holds_a_pipe_open_when_the_agent_has_ended(launch: Launch) -> None:
    launched = launch("echo", "done")
    out, err = launched.process.communicate(timeout=20)
    assert (out, err) == (b"done\n", b"")
