"""`conformant.py URL`: what an owner and his hub do with a push server, for the client scenarios of the conformance suite.

The suite starts a server and this program. The server is added to the hub whose data `TERTULIA_HOME` names; its listener (a
process of its own) connects. Where it says that it wants a sign-in, the owner signs in on the hub's pages; then a run calls the
server's first tool. Ends with 0 if all of it went well, else says why not.
"""

import asyncio
import json
import os
import re
import sys
import time
from html import unescape
from pathlib import Path
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "project.settings")
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
django.setup()

import httpx2  # noqa: E402
from django.conf import settings  # noqa: E402
from django.test import Client  # noqa: E402
from django.urls import reverse  # noqa: E402

from accounts.models import Account  # noqa: E402
from core.actor import operator  # noqa: E402
from core.errors import DomainError  # noqa: E402
from sessions_app.finding.actions import ensure  # noqa: E402
from sessions_app.models import Run  # noqa: E402
from sessions_app.runs.actions import begin  # noqa: E402
from sessions_app.values import Asked  # noqa: E402
from triggers.calling.toolset import offered  # noqa: E402
from triggers.models import PushServer  # noqa: E402
from triggers.servers.actions import save_server, set_enabled  # noqa: E402
from triggers.servers.drafts import ServerDraft  # noqa: E402

SECONDS = 20.0
MOST_SIGN_INS = 2
SETTLED = frozenset({PushServer.LISTENING, PushServer.SILENT, PushServer.SIGN_IN, PushServer.FAILED})
LINK = re.compile(r'href="([^"]*response_type=code[^"]*)"')
TAGS = re.compile(r"<[^>]*>")
FAILING = "The hub could not go on"


class Story:
    """One server from its address to a call of its tool."""

    def __init__(self, url: str, scenario: str, context: dict[str, Any]) -> None:
        self.account = Account.objects.select_related("owner").get()
        self.context = context
        self.sign_ins = 0
        name = re.sub("[^a-z0-9-]+", "-", f"{scenario}-{os.getpid()}")
        self.server = save_server(operator(self.account.pk), ServerDraft(name=name, url=url))
        self.browser = Client(headers={"host": settings.ALLOWED_HOSTS[0]})
        self.browser.force_login(self.account.owner)

    def told(self) -> None:
        """Until the listener has found out; a sign-in where it wants one, and again where that was not enough."""
        while True:
            self._settled()
            if self.server.state != PushServer.SIGN_IN:
                break
            self._sign_in()
        if self.server.state == PushServer.FAILED:
            print(f"listening: {self.server.reason}")

    def call(self) -> None:
        """Call its first tool, with a sign-in for more where it wants that."""
        while True:
            try:
                print(asyncio.run(self._called()))
                return
            except DomainError as refusal:
                print(refusal.detail)
                if "sign the hub in" not in refusal.detail:
                    raise
                self._sign_in()

    async def _called(self) -> str:
        from asgiref.sync import sync_to_async

        tools = await sync_to_async(lambda: offered(self._run()))()
        if not tools:
            return "no tools"
        known = {name: number for number, name in enumerate(tools[0].schema.get("properties", {}), start=2)}
        return await tools[0].call(known)

    def leave(self) -> None:
        """Switch it off, and wait until the listener has let go: the suite waits for open streams to end."""
        set_enabled(operator(self.account.pk), self.server.name, False)
        time.sleep(1)

    def _run(self) -> Run:
        PushServer.objects.exclude(pk=self.server.pk).update(tools=[])
        session = ensure(self.account.pk, "agent:main:conformance")
        return begin(operator(self.account.pk), session, Asked(message="call it", purpose=Run.OWNER))

    def _settled(self) -> None:
        ends = time.monotonic() + SECONDS
        since = self.server.version
        while time.monotonic() < ends:
            self.server.refresh_from_db()
            heard = self.server.state in SETTLED and self.server.listener and self.server.version == since
            if heard and (self.server.state in {PushServer.SIGN_IN, PushServer.FAILED} or self.server.tools_at):
                return
            time.sleep(0.1)
        print(f"waited for {self.server.state}: {self.server.reason}")
        if self.server.state not in SETTLED:
            raise SystemExit(FAILING)

    def _sign_in(self) -> None:
        self.sign_ins += 1
        if self.sign_ins > MOST_SIGN_INS:
            raise SystemExit("Signed in often enough.")
        before = self.server.version
        given = {name: self.context[name] for name in ("client_id", "client_secret") if name in self.context}
        page = self.browser.post(reverse("admin:push-server-sign-in", args=[self.server.pk]), given, secure=self._secure)
        there = LINK.search(page.content.decode())
        if there is None:
            raise SystemExit(" ".join(TAGS.sub(" ", page.content.decode()).split())[-1500:])
        back = httpx2.get(unescape(there[1]), follow_redirects=False).headers["location"]
        print(f"signed in at {there[1].partition('?')[0]}, back to {back.partition('?')[0]}")
        end = self.browser.get(back.removeprefix(settings.TERTULIA_URL), secure=self._secure)
        print([str(each) for each in end.wsgi_request._messages])
        self.server.refresh_from_db()
        if self.server.version == before:
            raise SystemExit(FAILING)

    @property
    def _secure(self) -> bool:
        return settings.TERTULIA_URL.startswith("https")


def main() -> None:
    """See the module."""
    context = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT") or "{}")
    story = Story(unescape(sys.argv[1]), os.environ.get("MCP_CONFORMANCE_SCENARIO", "server"), context)
    try:
        story.told()
        story.call()
    finally:
        story.leave()


if __name__ == "__main__":
    main()
