"""`manage.py screenshots DIR`: a picture of every page, from a hub of its own that is thrown away."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connections

from accounts.models import Connection
from chat.models import Message
from core.commands import HubCommand
from core.errors import Invalid
from project.screenshots import album, scene
from project.screenshots.launched import TOPIC
from project.screenshots.place import is_throw_away
from project.supervisor import storage


class Command(HubCommand):
    help = "Write a picture of every page, wide and narrow, light and dark. Nothing of this hub's data is touched."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", metavar="DIR", help="where the pictures go; made if it is not there")
        parser.add_argument("--only", metavar="NAME", action="append", help="only this page, such as chat; repeatable")

    def run(self, **options: Any) -> None:
        if not is_throw_away(settings.TERTULIA_HOME):
            raise Invalid("Run it as `manage.py screenshots DIR`: only so does it get a data folder of its own.")
        folder = Path(options["folder"])
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise Invalid(f"{folder} cannot be made ({error.strerror}); give another folder.") from None
        album.tools()
        storage.migrate()
        storage.collect_static_files()
        scene.play()
        found = self._found()
        connections.close_all()
        with album.serving():
            pages = [shot for shot in album.shots(**found) if not options["only"] or shot.name in options["only"]]
            count = 0
            for name in album.photograph(folder, pages):
                count += 1
                self.stdout.write(name)
                self.stdout.flush()
        self.stdout.write(f"{count} pictures are in {folder}.")

    def _found(self) -> dict[str, Any]:
        """What of the scene the addresses name: a message in the middle, one to answer, a thread, a connection with messages."""
        newest = Message.objects.order_by("-seq").filter(topic="release/0.1.0").values_list("seq", flat=True)
        busy = Connection.objects.filter(client_name="Claude Code", revoked_at=None).values_list("pk", flat=True)
        thread = Message.objects.filter(topic=TOPIC).order_by("seq").values_list("seq", flat=True)[0]
        return {"message": newest[3], "answered": newest[0], "thread": thread, "connection": busy[0]}
