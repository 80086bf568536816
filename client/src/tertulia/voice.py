"""How the program speaks: results on stdout, everything else on stderr. What is said to a person comes through here."""

import json
import sys
from typing import Any

from tertulia.inert import block


def tell(text: str) -> None:
    """A remark beside the result: on stderr."""
    print(block(text), file=sys.stderr, flush=True)  # noqa: T201


def answer(text: str) -> None:
    """A result, made inert, out of our hands when this returns."""
    print(block(text), flush=True)  # noqa: T201


def answer_json(value: Any) -> None:
    """A result for programs: one line of ASCII, so that nothing in it can move a cursor."""
    print(json.dumps(value, ensure_ascii=True, separators=(",", ":")), flush=True)  # noqa: T201


def prints_to_terminal() -> bool:
    """Whether a person looks at stdout."""
    return sys.stdout.isatty()
