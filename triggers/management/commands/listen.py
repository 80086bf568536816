"""`manage.py listen`: hold a connection to every push server, until stopped."""

from typing import Any

from core.commands import HubCommand
from triggers.listening import running


class Command(HubCommand):
    help = "Listen to the push servers of all accounts until stopped. Several listeners share the servers."

    def run(self, **options: Any) -> None:
        running.run()
