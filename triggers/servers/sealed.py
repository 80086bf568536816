"""What a push server's owner gave for it in secret, its headers or its variables, as it lies in the server's row."""

import json
from collections.abc import Mapping

from core.errors import Invalid
from core.sealing import seal, unseal

HEADERS, VARIABLES = "headers", "variables"
SEALED_BY_ANOTHER_KEY = "What is kept secret of this server cannot be opened with the hub's key file; save its {what} again."


def sealed(pairs: Mapping[str, str]) -> bytes | None:
    """As the row may keep it; None for nothing."""
    return seal(json.dumps(dict(pairs))) if pairs else None


def opened(kept: bytes | memoryview | None, what: str) -> dict[str, str]:
    """Names and values again. Raises Invalid where the hub's keys do not open them, saying `what` is to be saved again."""
    if not kept:
        return {}
    try:
        return {str(name): str(value) for name, value in json.loads(unseal(kept)).items()}
    except ValueError:
        raise Invalid(SEALED_BY_ANOTHER_KEY.format(what=what)) from None
