"""Calls `manage.py agent_role`."""

import io

from django.core.management import call_command


def output(*arguments: str) -> str:
    """What it prints."""
    out = io.StringIO()
    call_command("agent_role", *arguments, stdout=out)
    return out.getvalue()
