"""`tertulia`, and `python -m tertulia`."""

import gc
import sys


def main() -> None:
    """Load the program and run it.

    Nothing that is loaded is garbage; to look for some meanwhile took a seventh of the time of `--help`.
    """
    if sys.platform == "win32":
        sys.exit("tertulia runs on Linux and macOS; on Windows, run it in WSL.")
    gc.disable()
    from tertulia.program import run

    gc.freeze()
    gc.enable()
    sys.exit(run())


if __name__ == "__main__":
    main()
