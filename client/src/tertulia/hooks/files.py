"""A configuration file that belongs to another program: read whole, replaced whole, never when it cannot be understood."""

import contextlib
import json
import os
import re
import stat
import tempfile
from pathlib import Path
from typing import Any

from tertulia.problems import Problem
from tertulia.store.files import reason

INDENT = re.compile(r'^[\[{]\r?\n([ \t]+)"')
PRIVATE = 0o600
LARGEST = 4 * 1024 * 1024


def read_text(path: Path) -> str | None:
    """What it holds, None where there is no such file; raises Problem."""
    try:
        with path.open("rb") as file:
            raw = file.read(LARGEST + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Problem(f"Cannot read {path}: {reason(error)}; nothing is changed.") from None
    try:
        if len(raw) > LARGEST:
            raise ValueError
        return raw.decode()
    except ValueError:
        raise Problem(f"{path} is no text; nothing is changed.") from None


def settings_in(path: Path, text: str | None) -> dict[str, Any]:
    """The JSON object, empty for an empty file; raises Problem for what is none, or would not stay whole when written anew."""
    if text is None or not text.strip():
        return {}
    try:
        data = json.loads(text, object_pairs_hook=_once, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        where = f" (line {error.lineno})" if isinstance(error, json.JSONDecodeError) else ""
        raise Problem(f"{path} is not sound JSON{where}; mend it first, nothing is changed.") from None
    if not isinstance(data, dict):
        raise Problem(f"{path} holds no JSON object; mend it first, nothing is changed.")
    return data


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    held = dict(pairs)
    if len(held) != len(pairs):
        raise ValueError  # one of the two would be lost
    return held


def _refuse(constant: str) -> Any:
    raise ValueError(constant)


def text_of(settings: dict[str, Any], before: str | None) -> str:
    """The settings as text, indented as they were, and ended as they were."""
    indent = INDENT.match(before or "")
    text = json.dumps(settings, indent=indent[1] if indent else 2, ensure_ascii=False)
    if not text.isascii() and not _has_utf8(text):
        text = json.dumps(settings, indent=indent[1] if indent else 2)
    return text + ("\n" if before is None or not before.strip() or before.endswith("\n") else "")


def _has_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def write_text(path: Path, text: str, before: str | None) -> None:
    """Put `text` in the place of `before`, with its rights, behind a link too. Raises Problem, and then nothing is changed."""
    target = path.resolve()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, beside = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                os.fchmod(file.fileno(), stat.S_IMODE(target.stat().st_mode) if target.exists() else PRIVATE)
                file.write(text.encode())
                file.flush()
                os.fsync(file.fileno())
            if read_text(target) != before:
                raise Problem(f"{path} changed meanwhile; run it again.")
            Path(beside).replace(target)
        finally:
            with contextlib.suppress(OSError):
                Path(beside).unlink()
    except OSError as error:
        raise Problem(f"Cannot write {path}: {reason(error)}; nothing is changed.") from None


def remove(path: Path) -> None:
    """Take a file of ours away; raises Problem."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise Problem(f"Cannot remove {path}: {reason(error)}.") from None
