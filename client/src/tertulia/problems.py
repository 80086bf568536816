"""What goes wrong, as the person reads it: one sentence that says what to do next, and the exit code."""

OK, FAILED, NOTHING_CAME, REFUSED, INTERRUPTED = 0, 1, 3, 5, 130
"""Exit codes: done; an error or a wrong command line; `chat wait` whose time was up; the hub's refusal; Ctrl-C."""


class Problem(Exception):
    """An error. `str()` of it is the sentence; `code`, where a hub refused, what it calls this refusal."""

    exit_code = FAILED
    code = ""


class Refused(Problem):
    """The hub knows who asks, and says no."""

    exit_code = REFUSED


class SignedOut(Problem):
    """The sign-in at the hub is missing or has ended."""


class CursorAhead(Problem):
    """The hub has no message as new as the one to go on after."""
