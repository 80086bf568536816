"""How the hub's processes write their log: one line an event, for a person or as JSON, and never a secret.

`LOGGING_CONFIG` names `configure`; Django, Celery, Daphne and Uvicorn all end up in the one handler made here.
"""

import logging
import logging.config
import re
from collections.abc import MutableMapping
from typing import Any

import structlog
from structlog.typing import Processor

from core.text import one_line

LONGEST = 4000
REMOVED = "[removed]"
_PRIVATE = r"password|passwd|secret|token|credential|verifier|user_code|device_code|api_?key"
SECRET_NAMES = re.compile(rf"(?i)authorization|cookie|{_PRIVATE}")
_NAME = rf"(?i)(['\"]?\b[\w-]*(?:{_PRIVATE})[\w-]*['\"]?\s*[:=]\s*)"
_PATTERNS = (
    (re.compile(r"(?i)(['\"]?\b[\w-]*(?:authorization|cookie)\b['\"]?\s*[:=]\s*)[^\r\n]+"), rf"\1{REMOVED}"),
    (re.compile(r"(?i)\b(bearer|basic)\s+[\w.~+/=-]+"), rf"\1 {REMOVED}"),
    (re.compile(r"\btt-[\w-]{8,}"), REMOVED),  # a ticket, wherever it stands
    (re.compile(r"\btw-[\w-]{8,}"), REMOVED),  # a webhook's address and secret
    (re.compile(r"(/oauth/[^\s?'\"]*)\?[^\s'\"]+"), rf"\1?{REMOVED}"),
    (re.compile(_NAME + r"(['\"])(?:\\.|(?!\2).)*\2"), rf"\1\2{REMOVED}\2"),
    (re.compile(_NAME + r"[^\s'\"&,;)}\]]+"), rf"\1{REMOVED}"),
    (re.compile(r"(?i)([?&]code=)[^\s&'\"]+"), rf"\1{REMOVED}"),
    (re.compile(r"(\b[a-z][a-z0-9+.-]*://)[^\s/@]+@"), rf"\1{REMOVED}@"),
)


def without_secrets(text: str) -> str:
    """`text` with bearer tokens, passwords, cookies and the query strings of OAuth addresses taken out."""
    for pattern, replacement in _PATTERNS:
        text = pattern.sub(replacement, text)
    return text


def _clean(name: str, value: Any) -> Any:
    if SECRET_NAMES.search(name) and value is not None:
        return REMOVED
    if isinstance(value, str):
        return without_secrets(value)
    if isinstance(value, MutableMapping):
        return {key: _clean(str(key), each) for key, each in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_clean("", each) for each in value]
    if isinstance(value, int | float | bool | None):
        return value
    return without_secrets(str(value))


def remove_secrets(logger: Any, method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """The structlog processor that keeps secrets out of every line, tracebacks included."""
    return {key: value if key.startswith("_") else _clean(key, value) for key, value in event.items()}


def fold_lines(logger: Any, method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """The processor that keeps an event on its line: text from elsewhere cannot forge another one. Tracebacks stay whole."""
    return {
        key: (_set_in(value) if key in {"exception", "stack"} else one_line(value, LONGEST)) if isinstance(value, str) else value
        for key, value in event.items()
    }


def _set_in(traceback: str) -> str:
    """No line at the margin, nothing that moves a terminal: an exception's own words may be a stranger's."""
    lines = ("".join(each if each.isprintable() else "?" for each in line) for line in traceback.expandtabs(4).splitlines())
    return "\n".join(f"    {line}" for line in lines)


def _common(as_json: bool) -> list[Processor]:
    return [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso" if as_json else "%Y-%m-%dT%H:%M:%SZ", utc=True),
        structlog.processors.format_exc_info,
        remove_secrets,
        fold_lines,
    ]


def _renderer(as_json: bool) -> Processor:
    if as_json:
        return structlog.processors.JSONRenderer(ensure_ascii=False)
    return structlog.dev.ConsoleRenderer(
        colors=False, pad_event_to=0, pad_level=False, exception_formatter=structlog.dev.plain_traceback
    )


def formatter(as_json: bool) -> logging.Formatter:
    """The one formatter: lines of structlog and of the standard library look the same."""
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=_common(as_json),
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, _renderer(as_json)],
    )


def configure(wanted: dict[str, Any]) -> None:
    """Set up logging of this process; `wanted` is the setting `LOGGING`: a `level` and whether `json`."""
    logging.config.dictConfig(
        {
            "version": 1,
            "disable_existing_loggers": False,
            "formatters": {"line": {"()": formatter, "as_json": wanted["json"]}},
            "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
            "root": {"handlers": ["stderr"], "level": wanted["level"]},
            "loggers": _loggers(wanted["level"]),
        }
    )
    logging.captureWarnings(True)
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *_common(wanted["json"]),
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        wrapper_class=structlog.stdlib.BoundLogger,
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=False,
    )


def _loggers(level: str) -> dict[str, Any]:
    """Frameworks say what went wrong, not what they do; at DEBUG everybody speaks."""
    quiet = level if level in {"DEBUG", "ERROR"} else "WARNING"
    servers = ("daphne", "twisted", "uvicorn", "uvicorn.error", "uvicorn.access", "mcp", "asyncio", "httpx2", "httpcore2")
    tasks = ("celery", "kombu", "django_celery_beat")
    names = (*servers, *tasks, "django", "django.server", "oauth2_provider")
    loggers = {name: {"handlers": [], "level": quiet, "propagate": True} for name in names}
    loggers["django.request"] = {"handlers": [], "level": "ERROR" if quiet == "WARNING" else quiet, "propagate": True}
    # A client of push servers tells of each thing it does not understand, with what that was: the hub tells why a call failed.
    loggers["mcp.client"] = {"handlers": [], "level": "DEBUG" if level == "DEBUG" else "CRITICAL", "propagate": True}
    return loggers
