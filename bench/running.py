"""Running the parts of a benchmark and telling their figures: what all benchmarks share."""

import argparse
import importlib
import json
import os
import platform
import sys
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

PACKAGES = ("mcp", "django", "daphne", "twisted", "uvicorn", "uvloop", "httptools", "starlette", "pydantic", "redis")


def parser(program: str, description: str | None, parts: Sequence[str], *, port: int) -> argparse.ArgumentParser:
    """The command line of a benchmark; this port and the next one are used."""
    told = argparse.ArgumentParser(prog=f"python -m {program}", description=description)
    told.add_argument("--server", choices=("daphne", "uvicorn"), default="daphne")
    told.add_argument("--only", default=",".join(parts), help=f"parts to measure, of {', '.join(parts)}")
    told.add_argument("--rounds", type=int, default=7, help="rounds whose median counts")
    told.add_argument("--port", type=int, default=port, help="this port and the next one are used")
    told.add_argument("--most", type=int, default=100_000, help="the longer history, in messages")
    told.add_argument("--json", type=Path, help="write the figures there")
    return told


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


def measure(given: argparse.Namespace, parts: Sequence[str]) -> None:
    """Measure what was asked for and tell it."""
    from bench import stage

    answer: dict[str, Any] = {"server": given.server, "machine": machine(), "command": sys.argv[1:], "figures": []}
    with tempfile.TemporaryDirectory(prefix="tertulia-bench-") as folder:
        home = Path(folder)
        stage.prepare(home, server=given.server, port=given.port)
        for part in given.only.split(","):
            if part not in parts:
                raise SystemExit(f"There is no part {part}; choose of {', '.join(parts)}.")
            print(f"-- {part}, {given.server}, load {os.getloadavg()[0]:.1f}", flush=True)
            for figure in importlib.import_module(f"bench.{part}").measure(home, given):
                answer["figures"].append({"part": part, **figure.record()})
                print(figure.line(), flush=True)
    answer["machine"]["load_after"] = os.getloadavg()
    if given.json:
        given.json.write_text(json.dumps(answer, indent=1) + "\n")
