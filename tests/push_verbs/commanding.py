"""`manage.py channel`, as an operator types it."""

import io

from django.core.management import call_command


def channel(*arguments: str) -> str:
    """What it prints."""
    out = io.StringIO()
    call_command("channel", *arguments, stdout=out)
    return out.getvalue()
