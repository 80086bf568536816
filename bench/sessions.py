"""The figures of the session tools: `uv run python -m bench.sessions --server daphne --json out.json`."""

import argparse
import importlib
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from bench.chat import machine

PARTS = ("handing", "queueing", "listing")


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.sessions", description=__doc__)
    parser.add_argument("--server", choices=("daphne", "uvicorn"), default="daphne")
    parser.add_argument("--only", default=",".join(PARTS), help=f"parts to measure, of {', '.join(PARTS)}")
    parser.add_argument("--rounds", type=int, default=7, help="rounds whose median counts")
    parser.add_argument("--port", type=int, default=18770)
    parser.add_argument("--most", type=int, default=100_000, help="the longer history, in messages")
    parser.add_argument("--json", type=Path, help="write the figures there")
    return parser.parse_args()


def main() -> None:
    """Measure what was asked for and tell it."""
    from bench import stage

    given = arguments()
    answer: dict[str, Any] = {"server": given.server, "machine": machine(), "command": sys.argv[1:], "figures": []}
    with tempfile.TemporaryDirectory(prefix="tertulia-bench-") as folder:
        home = Path(folder)
        stage.prepare(home, server=given.server, port=given.port)
        for part in given.only.split(","):
            if part not in PARTS:
                raise SystemExit(f"There is no part {part}; choose of {', '.join(PARTS)}.")
            print(f"-- {part}, {given.server}, load {os.getloadavg()[0]:.1f}", flush=True)
            for figure in importlib.import_module(f"bench.{part}").measure(home, given):
                answer["figures"].append({"part": part, **figure.record()})
                print(figure.line(), flush=True)
    answer["machine"]["load_after"] = os.getloadavg()
    if given.json:
        given.json.write_text(json.dumps(answer, indent=1) + "\n")


if __name__ == "__main__":
    main()
