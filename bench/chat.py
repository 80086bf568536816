"""The figures of the account chat: `uv run python -m bench.chat --server daphne --json out.json`."""

import argparse
import importlib
import json
import os
import platform
import sys
import tempfile
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

PARTS = ("post", "wake", "writers", "memory", "history", "hints", "crash", "hooks")
PACKAGES = ("mcp", "django", "daphne", "twisted", "uvicorn", "uvloop", "httptools", "starlette", "pydantic", "redis")


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.chat", description=__doc__)
    parser.add_argument("--server", choices=("daphne", "uvicorn"), default="daphne")
    parser.add_argument("--only", default=",".join(PARTS), help=f"parts to measure, of {', '.join(PARTS)}")
    parser.add_argument("--rounds", type=int, default=7, help="rounds whose median counts")
    parser.add_argument("--port", type=int, default=18760, help="this port and the next one are used")
    parser.add_argument(
        "--redis", default="redis://127.0.0.1:6379/9", help="for the wake through Redis; left out where none answers"
    )
    parser.add_argument("--most", type=int, default=100_000, help="the longer history, in messages")
    parser.add_argument("--json", type=Path, help="write the figures there")
    return parser.parse_args()


def machine() -> dict[str, Any]:
    """Where and on what this ran."""
    model = next(
        (line.partition(":")[2].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line), ""
    )
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "cpu": model,
        "cores": os.cpu_count(),
        "load": os.getloadavg(),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "versions": {name: version(name) for name in PACKAGES},
    }


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
