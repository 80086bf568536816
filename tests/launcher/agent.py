"""A stand-in for an agent, run by tests in the place of a harness: `python agent.py DEED…`."""

import contextlib
import os
import signal
import subprocess
import sys
import termios
import tty


def chat() -> None:
    """An idle agent: shows a prompt, and says what was typed once Enter came; runs it after a `!`, as a harness its hooks."""
    _say("ready")
    while True:
        os.write(1, b"> ")
        line = sys.stdin.readline()
        if not line:
            return
        if line.startswith("!"):
            subprocess.run(line[1:], shell=True, stdin=subprocess.DEVNULL)
        _say(f"said: {line.rstrip()}")


def signals() -> None:
    """Prints the name of each signal it gets; TERM ends it with 7. Blocked and taken one by one, none is missed."""
    taken = {getattr(signal, name) for name in ("SIGINT", "SIGQUIT", "SIGHUP", "SIGTERM", "SIGWINCH", "SIGCONT")}
    signal.pthread_sigmask(signal.SIG_BLOCK, taken)
    _say("ready")
    while (number := signal.sigwait(taken)) != signal.SIGTERM:
        _say(f"got {signal.Signals(number).name}")
    os._exit(7)


def _say(line: str) -> None:
    """At once, also while a line is being written, and in vain where the terminal is gone."""
    with contextlib.suppress(OSError):
        os.write(1, f"{line}\n".encode())


def size() -> None:
    """Prints the size of its terminal."""
    _say("size {0.columns}x{0.lines}".format(os.get_terminal_size()))


def raw() -> None:
    """Puts the terminal into raw mode and dies by the signal given."""
    tty.setraw(0)
    assert not termios.tcgetattr(0)[3] & termios.ECHO
    os.kill(os.getpid(), int(sys.argv[2]))


def run() -> None:
    """Runs what each line of its standard input says, by a shell, and says so once it is done; like a harness its hooks."""
    _say("ready")
    for line in sys.stdin:
        done = subprocess.run(line, shell=True, stdin=subprocess.DEVNULL)
        _say(f"done {done.returncode}")


if __name__ == "__main__":
    {"chat": chat, "signals": signals, "size": size, "raw": raw, "run": run}[sys.argv[1]]()
