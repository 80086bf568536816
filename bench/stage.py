"""Where a benchmark plays: a data folder of its own, people with tokens, and real servers in processes of their own.

`prepare` must run before anything imports the hub's models.
"""

import contextlib
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
START_SECONDS = 60
SETTINGS = ("TERTULIA_", "CHAT_", "DATABASE_URL", "AGENT_DATABASE_URL", "REDIS_URL")
LIMITS_OFF = dict.fromkeys(
    (
        "CHAT_POSTS_PER_MINUTE",
        "CHAT_STORAGE_BYTES",
        "TERTULIA_HELD_PER_CONNECTION",
        "SESSION_RUNS_PER_MINUTE",
        "SESSION_QUEUED_RUNS",
        "SESSION_BYTES_PER_DAY",
    ),
    "0",
)
QUIET = {"TERTULIA_LOG_LEVEL": "ERROR"}
"""The SDK warns of each older client that leaves a call, and 1,000 leave at once here."""


def prepare(home: Path, *, server: str, port: int, database: str | None = None) -> None:
    """Settle this process's environment, load Django on the bench's own database (or `database`), and make its tables."""
    for name in [
        name for name in os.environ if name.startswith(("TERTULIA_", "CHAT_", "DATABASE_URL", "AGENT_DATABASE_URL", "REDIS_URL"))
    ]:
        del os.environ[name]
    os.environ |= {"TERTULIA_HOME": str(home), "TERTULIA_SERVER": server, "TERTULIA_PORT": str(port), **LIMITS_OFF, **QUIET}
    os.environ |= {"DATABASE_URL": database} if database else {}
    os.environ["DJANGO_SETTINGS_MODULE"] = "project.settings"
    import django

    django.setup()
    from django.core.management import call_command

    from project.supervisor.place import raise_open_files

    raise_open_files()
    call_command("migrate", verbosity=0, interactive=False)


@dataclass
class Person:
    """An account and the access tokens of its connections."""

    account_id: int
    tokens: list[str] = field(default_factory=list)


def people(count: int, *, connections: int) -> list[Person]:
    """`count` accounts with that many connections each, a token a connection. They cannot sign in: no password is hashed."""
    from django.db import transaction

    from accounts.models import Account, User
    from chat.models import ChatSettings, Counter

    with transaction.atomic():
        users = User.objects.bulk_create(User(email=f"{secrets.token_hex(6)}@bench.invalid", password="!") for _ in range(count))
        accounts = Account.objects.bulk_create(Account(owner=user) for user in users)
        ChatSettings.objects.bulk_create(ChatSettings(account=account) for account in accounts)
        Counter.objects.bulk_create(Counter(account=account) for account in accounts)
        made = [Person(account.pk) for account in accounts]
        for _ in range(connections):
            for person, token in zip(made, _tokens(accounts), strict=True):
                person.tokens.append(token)
    return made


def _tokens(accounts: list[Any]) -> list[str]:
    """One fresh connection with an access token for each account, stored as the token endpoint stores it."""
    from django.conf import settings
    from django.utils import timezone
    from oauth2_provider.models import get_access_token_model, get_refresh_token_model, set_token_value

    from accounts.models import Application, Connection

    access_model, refresh_model = get_access_token_model(), get_refresh_token_model()
    now = timezone.now()
    client, _ = Application.objects.get_or_create(
        name="bench",
        defaults={
            "client_type": "public",
            "authorization_grant_type": "authorization-code",
            "client_secret": "",
            "hash_client_secret": False,
        },
    )
    raw, access, refresh, held = [], [], [], []
    for account in accounts:
        family = uuid.uuid4()
        raw.append(secrets.token_urlsafe(24))
        common = {"user_id": account.owner_id, "application": client}
        access.append(
            access_model(**common, expires=now + timedelta(hours=12), scope="mcp", resource=[settings.TERTULIA_RESOURCE])
        )
        set_token_value(access[-1], raw[-1])
        refresh.append(refresh_model(**common, access_token=access[-1], token_family=family))
        set_token_value(refresh[-1], secrets.token_urlsafe(24))
        held.append(
            Connection(
                id=f"c-{secrets.token_hex(8)}", account=account, user_id=account.owner_id, application=client,
                client_name="bench", token_family=family, scopes="mcp", created_at=now,
            )
        )  # fmt: skip
    access_model.objects.bulk_create(access)
    refresh_model.objects.bulk_create(refresh)
    Connection.objects.bulk_create(held)
    return raw


class Running:
    """A server's process."""

    def __init__(self, process: "subprocess.Popen[bytes]", port: int) -> None:
        self._process, self.port, self.pid = process, port, process.pid

    def rss_kib(self) -> float:
        """Its resident memory."""
        pages = int(Path(f"/proc/{self.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1024

    def cpu_seconds(self) -> float:
        """What it has used so far, in user and system mode."""
        numbers = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(numbers[11]) + int(numbers[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        """End it and wait."""
        if self._process.poll() is None:
            self._process.send_signal(how)
            try:
                self._process.wait(20)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()


@contextlib.contextmanager
def hub(environment: dict[str, str] | None = None, *, beside: bool = False) -> Iterator[Running]:
    """The hub's web process, by the command line that `up` uses; `beside` another one, on the next port.

    Its address stays the same: what is asked of it names `settings.TERTULIA_PORT` in the Host header.
    """
    from project.supervisor.parts import web

    command = web()
    with _serving(command if not beside else _on_the_next_port(command), environment or {}) as running:
        yield running


@contextlib.contextmanager
def echo() -> Iterator[Running]:
    """The floors of `bench.echo` on the same server program with the same options, on the next port."""
    from project.supervisor.parts import web

    with _serving((*_on_the_next_port(web()[:-1]), "bench.echo:application"), {}) as running:
        yield running


def _on_the_next_port(command: tuple[str, ...]) -> tuple[str, ...]:
    from django.conf import settings

    own = str(settings.TERTULIA_PORT)
    return tuple(str(settings.TERTULIA_PORT + 1) if word == own else word for word in command)


@contextlib.contextmanager
def _serving(command: tuple[str, ...], environment: dict[str, str]) -> Iterator[Running]:
    port = next(int(word) for flag, word in pairwise(command) if flag in {"-p", "--port"})
    process = subprocess.Popen((sys.executable, *command), cwd=ROOT, env={**os.environ, **environment}, stdin=subprocess.DEVNULL)
    running = Running(process, port)
    try:
        _until_it_listens(process, port)
        yield running
    finally:
        running.stop()


def _until_it_listens(process: "subprocess.Popen[bytes]", port: int) -> None:
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until:
        if process.poll() is not None:
            raise RuntimeError(f"the server ended with status {process.returncode}; its lines above say why")
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.05)
    raise RuntimeError(f"the server does not listen on port {port}")
