"""What other parts of the hub put at the end of a run's system prompt."""

from collections.abc import Callable, Iterator

import structlog

from core.registry import Registry
from sessions_app.models import Run

log = structlog.get_logger(__name__)
prompt_blocks: Registry[Callable[[Run], str]] = Registry("prompt block")
"""Called with a run before it is executed, in a thread that may ask the database: a text, or nothing."""


def told_to(run: Run) -> str:
    """All blocks for this run, an empty line between them; one that fails costs itself alone."""
    return "\n\n".join(filter(None, _blocks(run)))


def _blocks(run: Run) -> Iterator[str]:
    for name, block in prompt_blocks.items():
        try:
            yield block(run).strip()
        except Exception:
            log.warning("prompt_block_failed", block=name, run=run.run_id, exc_info=True)
