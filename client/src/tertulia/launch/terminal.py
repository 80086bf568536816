"""Runs the agent in this terminal as a shell runs its one job: no terminal of its own lies between, nothing is printed.

Where standard input is this process's terminal, the agent gets a process group of its own, in the foreground if we were there:
keys and the window's size reach it alone. It stops, and we stop; we are continued, and it is. Elsewhere (a pipe, no terminal)
it stays in our group, as any part of a pipeline does.
"""

import contextlib
import os
import resource
import select
import signal
import termios
from types import FrameType
from typing import Any, NoReturn

from tertulia.inert import line
from tertulia.problems import Problem

STDIN = 0
NOT_FOUND, NOT_RUNNABLE = 127, 126
"""Exit codes of a command that cannot be started, as shells give them."""
PASSED_ON = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT)
FROM_KEYS = frozenset({signal.SIGINT, signal.SIGQUIT})
CHANGED_BY_PYTHON = (signal.SIGPIPE, signal.SIGXFSZ)


class Job:
    """One command in this terminal. `pid`: its process, once started."""

    def __init__(self, command: list[str], environment: dict[str, str]) -> None:
        self.pid = 0
        self._command = command
        self._environment = environment
        foreground = _foreground()
        self._own_group = foreground is not None
        self._in_front = foreground == os.getpgrp()
        self._is_held = False
        self._wakes = -1
        self._ours = self._modes() if self._in_front else None
        self._theirs: list[Any] | None = None

    def start(self) -> None:
        """Fork and execute it; raises Problem where that cannot be. Nothing may have started a thread before."""
        begun, says = os.pipe()
        signals = {*PASSED_ON, signal.SIGCONT}
        before = signal.pthread_sigmask(signal.SIG_BLOCK, signals)
        self.pid = os.fork()
        if not self.pid:
            self._become_the_command(says, before)
        os.close(says)
        self._prepare_group(self.pid)
        self._take_signals()
        signal.pthread_sigmask(signal.SIG_SETMASK, before - {signal.SIGCHLD})
        with os.fdopen(begun, "rb") as answer:
            failure = answer.read()
        if failure:
            os.waitpid(self.pid, 0)
            self._take_back()
            raise self._unstarted(int(failure))

    def wait(self) -> int:
        """Until it has ended; its status, as the system words it."""
        while True:
            pid, status = os.waitpid(self.pid, os.WNOHANG | (os.WUNTRACED if self._own_group else 0))
            if not pid:
                self._rest()
            elif os.WIFSTOPPED(status):
                self._stop_too()
            else:
                self._take_back(restore=status != 0)
                return status

    def _rest(self) -> None:
        """Until a signal comes: one that came just before ends it too, where waiting for the command would not hear of it."""
        select.select([self._wakes], [], [])
        with contextlib.suppress(BlockingIOError):
            os.read(self._wakes, 4096)

    def _become_the_command(self, says: int, mask: Any) -> NoReturn:
        try:
            self._prepare_group(os.getpid())
            for number in (*CHANGED_BY_PYTHON, *self._heeded()):
                signal.signal(number, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            os.execvpe(self._command[0], self._command, self._environment)  # noqa: S606 - the command that was typed
        except OSError as error:
            os.write(says, str(error.errno or 0).encode())
        finally:
            os._exit(NOT_FOUND)

    def _prepare_group(self, pid: int) -> None:
        """Done by both, whoever comes first: neither may go on before it is."""
        if self._own_group:
            with contextlib.suppress(OSError):
                os.setpgid(pid, pid)
            if self._in_front:
                self._give_terminal(pid)

    def _unstarted(self, number: int) -> Problem:
        name = line(self._command[0], 80)
        if number == 2:
            problem = Problem(f"There is no command {name!r} here; look at its name and at PATH.")
        else:
            problem = Problem(f"{name!r} cannot be started: {os.strerror(number)}.")
        problem.exit_code = NOT_FOUND if number == 2 else NOT_RUNNABLE
        return problem

    def _take_signals(self) -> None:
        """Each signal taken also writes to the pipe that `_rest` looks at; so does a change of the command."""
        self._wakes, noted = os.pipe()
        os.set_blocking(self._wakes, False)
        os.set_blocking(noted, False)
        signal.set_wakeup_fd(noted, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        for number in self._heeded():
            signal.signal(number, self._pass_on)
        if self._own_group:
            signal.signal(signal.SIGCONT, self._continued)

    def _heeded(self) -> list[signal.Signals]:
        """Those of `PASSED_ON` that whoever started us did not have ignored."""
        return [number for number in PASSED_ON if signal.getsignal(number) is not signal.SIG_IGN]

    def _pass_on(self, number: int, _: FrameType | None) -> None:
        """Keys reach a whole group: in ours they have reached the command already."""
        with contextlib.suppress(OSError):
            if self._own_group:
                os.killpg(self.pid, number)
            elif number not in FROM_KEYS:
                os.kill(self.pid, number)

    def _stop_too(self) -> None:
        """Let whoever started us see a stopped job. Where nobody could continue us the system lets us run: then it runs on."""
        if _foreground() == self.pid:
            self._theirs = self._modes()
            self._take_back(restore=True)
        self._is_held = True
        os.killpg(0, signal.SIGTSTP)
        if self._is_held:
            self._continue()

    def _continued(self, *_: object) -> None:
        self._continue()

    def _continue(self) -> None:
        """Once for each stop: a second time could let it run on that a key has stopped again meanwhile."""
        self._is_held = False
        with contextlib.suppress(OSError):
            if _foreground() == os.getpgrp():
                self._ours = self._ours or self._modes()
                self._set_modes(self._theirs)
                self._give_terminal(self.pid)
            os.killpg(self.pid, signal.SIGCONT)

    def _take_back(self, *, restore: bool = False) -> None:
        """Be in the foreground again, if the command's group was; `restore`: with the terminal as it was before."""
        if self._own_group and _foreground() == self.pid:
            self._give_terminal(os.getpgrp())
            if restore:
                self._set_modes(self._ours)

    def _give_terminal(self, group: int) -> None:
        """From the background too, where the system would stop us for it."""
        with contextlib.suppress(OSError), _unheeded(signal.SIGTTOU):
            os.tcsetpgrp(STDIN, group)

    def _modes(self) -> list[Any] | None:
        with contextlib.suppress(termios.error, OSError):
            return termios.tcgetattr(STDIN) if self._own_group else None
        return None

    def _set_modes(self, modes: list[Any] | None) -> None:
        if modes is not None:
            with contextlib.suppress(termios.error, OSError), _unheeded(signal.SIGTTOU):
                termios.tcsetattr(STDIN, termios.TCSANOW, modes)


def forked_apart() -> int:
    """Fork a process that is none of the job's: no signal of the job ever reaches it, nor has it a terminal. As `os.fork`."""
    of_the_job = (*PASSED_ON, signal.SIGCONT, signal.SIGTSTP)
    with _unheeded(*of_the_job):
        pid = os.fork()
        if not pid:
            os.setsid()
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for number in of_the_job:
                signal.signal(number, signal.SIG_IGN)  # one that came before we were apart waits for us: it is forgotten
                signal.signal(number, signal.SIG_DFL)
            nowhere = os.open(os.devnull, os.O_RDWR)
            for handle in range(3):
                os.dup2(nowhere, handle)
    return pid


@contextlib.contextmanager
def _unheeded(*numbers: signal.Signals) -> Any:
    before = signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _foreground() -> int | None:
    """The process group our terminal listens to; None where standard input is no terminal of ours."""
    try:
        return os.tcgetpgrp(STDIN)
    except OSError:
        return None


def end_as(status: int) -> NoReturn:
    """End as the command did: with its exit code, or by the same signal."""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # its core was written, ours says nothing
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})
        os.kill(os.getpid(), number)
        os._exit(128 + number)
    os._exit(os.WEXITSTATUS(status))
