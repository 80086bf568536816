"""Children that die with their parent."""

import ctypes
import os
import signal
import sys
from collections.abc import Callable

PR_SET_PDEATHSIG = 1


def die_with(parent: int) -> Callable[[], None] | None:
    """What a child runs before its program: the kernel kills it when `parent` ends, however that ends (Linux).

    The kernel counts the thread that made the child as the parent, so that thread must outlive it.
    """
    if not sys.platform.startswith("linux"):
        return None
    control = ctypes.CDLL(None, use_errno=True).prctl

    def leash() -> None:
        control(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:
            os._exit(1)

    return leash
