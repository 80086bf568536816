"""An agent under `tertulia launch` that times processes it starts, as its harness would start hooks: `python hook_agent.py`.

Reads lines of JSON, `{"commands": {name: {"words": […], "launched": true}}, "count": n, "event": "…"}`: each command is run
`count` times in turns with the event on its standard input. Answers with a line `{"seconds": {name: […]}, "processor": {name:
[…]}, "said": {name: "…"}}`: `said` is what its last run printed, `processor` the seconds that its processes computed.
"""

import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any


def timed(words: list[str], environment: dict[str, str], given: Path, out: Path) -> tuple[float, float]:
    """The seconds from starting a process to its end, and those of a processor that it used, its children with it."""
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, str(given), os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, str(out), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600),
    ]
    began = time.perf_counter()
    pid = os.posix_spawnp(words[0], words, environment, file_actions=actions)
    _, status, used = os.wait4(pid, 0)
    took = time.perf_counter() - began
    assert status == 0, f"{words} ended with {status}"
    return took, used.ru_utime + used.ru_stime


def round_of(order: dict[str, Any], folder: Path) -> dict[str, Any]:
    """One round of all commands."""
    given, out = folder / "event", folder / "out"
    given.write_text(order["event"])
    plain = {name: value for name, value in os.environ.items() if not name.startswith("TERTULIA_LAUNCH_")}
    seconds: dict[str, list[float]] = {name: [] for name in order["commands"]}
    processor: dict[str, list[float]] = {name: [] for name in order["commands"]}
    said = {}
    for _ in range(order["count"]):
        for name, command in order["commands"].items():
            took, used = timed(command["words"], dict(os.environ) if command["launched"] else plain, given, out)
            seconds[name].append(took)
            processor[name].append(used)
            said[name] = out.read_text()
    return {"seconds": seconds, "processor": processor, "said": said}


def main() -> None:
    """Until the end of input."""
    with tempfile.TemporaryDirectory() as folder:
        print("ready", flush=True)
        for line in sys.stdin:
            print(json.dumps(round_of(json.loads(line), Path(folder))), flush=True)


if __name__ == "__main__":
    main()
