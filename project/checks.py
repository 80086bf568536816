"""System checks: one for each mistake an operator can make that is no reason to refuse to start; each with an id and a hint.

What makes starting senseless is a `SettingError` instead. docs/settings.md lists both.
"""

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, register
from django.core.checks import Warning as Caution

from project.address import is_loopback

NETWORK_FILE_SYSTEMS = frozenset({"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "fuse.sshfs", "afs", "ceph"})
LONG_RETENTION_DAYS = 3650
FEWEST_DISTINCT = 10
PRIVATE = re.compile(r"\.key$|\.sqlite3|^audit\.jsonl")
_check: Callable[..., Any] = register(Tags.security)
_deploy_check: Callable[..., Any] = register(Tags.security, deploy=True)


@_check
def address_is_safe(**kwargs: Any) -> list[CheckMessage]:
    """W001: plain http where others listen in; W002: debug in the open."""
    address = urlsplit(settings.TERTULIA_URL)
    if is_loopback(address.hostname or ""):
        return []
    found: list[CheckMessage] = []
    if address.scheme == "http":
        found.append(
            Caution(
                f"{settings.TERTULIA_URL} carries passwords and tokens in plain text.",
                hint="Put a proxy with TLS in front and set TERTULIA_URL to its https:// address (docs/operations.md).",
                id="tertulia.W001",
            )
        )
    if settings.DEBUG:
        found.append(
            Caution(
                "TERTULIA_DEBUG shows settings and source code to whoever causes an error.",
                hint="Unset TERTULIA_DEBUG.",
                id="tertulia.W002",
            )
        )
    return found


@_check
def callers_are_told_apart(**kwargs: Any) -> list[CheckMessage]:
    """W009: behind a proxy whose word is not taken, every caller is the proxy, and one stranger's tries count for all."""
    if urlsplit(settings.TERTULIA_URL).scheme != "https" or settings.TERTULIA_PROXY_HEADERS:
        return []
    return [
        Caution(
            "Limits count the proxy in front as one caller: a stranger's wrong passwords shut everybody out.",
            hint="Have the proxy set X-Forwarded-For to the caller's address, then set TERTULIA_PROXY_HEADERS=true.",
            id="tertulia.W009",
        )
    ]


@_deploy_check
def deployed_off_loopback(**kwargs: Any) -> list[CheckMessage]:
    """W008: a deployment that only this machine reaches is most likely a forgotten setting."""
    if not is_loopback(urlsplit(settings.TERTULIA_URL).hostname or ""):
        return []
    return [
        Caution(
            f"Only this machine reaches {settings.TERTULIA_URL}.",
            hint="Set TERTULIA_URL to the https:// address that others use.",
            id="tertulia.W008",
        )
    ]


@_check
def secret_key_is_strong(**kwargs: Any) -> list[CheckMessage]:
    """E001: a long key of few different characters is guessed."""
    if len(set(settings.SECRET_KEY)) >= FEWEST_DISTINCT:
        return []
    return [
        Error(
            "TERTULIA_SECRET_KEY is easy to guess.",
            hint="Leave it out (a key is made in the data folder), or set at least 32 random characters.",
            id="tertulia.E001",
        )
    ]


@_check
def processes_share_what_they_need(**kwargs: Any) -> list[CheckMessage]:
    """W003 and W004: half of the grown set-up. One without the other serves one machine only."""
    if settings.REDIS_URL and not settings.DATABASE_URL:
        return [
            Caution(
                "REDIS_URL is set, but the database is SQLite: several machines cannot share it.",
                hint="Set DATABASE_URL to a PostgreSQL server, or unset REDIS_URL.",
                id="tertulia.W003",
            )
        ]
    if settings.DATABASE_URL and not settings.REDIS_URL:
        return [
            Caution(
                "DATABASE_URL is set without REDIS_URL: processes on other machines get no tasks and no wake-ups.",
                hint="Set REDIS_URL too, or keep every process on this machine.",
                id="tertulia.W004",
            )
        ]
    return []


@_check
def agents_have_a_login_of_their_own(**kwargs: Any) -> list[CheckMessage]:
    """W010: a role that is only taken can be dropped again by whoever gets a statement of his own to the database."""
    if not settings.DATABASE_URL or settings.AGENT_DATABASE_URL:
        return []
    return [
        Caution(
            "Calls of agents come to the database by the hub's own login; the role they take stops bugs, not injected SQL.",
            hint="Set AGENT_DATABASE_URL to a login of its own, then run manage.py agent_role --apply (docs/operations.md).",
            id="tertulia.W010",
        )
    ]


@_check
def chat_limits_make_sense(**kwargs: Any) -> list[CheckMessage]:
    """W005 and E002: limits that contradict themselves or what is meant by them."""
    found: list[CheckMessage] = []
    if settings.CHAT_RETENTION_DAYS > LONG_RETENTION_DAYS:
        found.append(
            Caution(
                f"CHAT_RETENTION_DAYS keeps the chat for {settings.CHAT_RETENTION_DAYS} days.",
                hint="It counts days; 14 is the default.",
                id="tertulia.W005",
            )
        )
    if 0 < settings.CHAT_STORAGE_BYTES < settings.CHAT_BODY_BYTES:
        found.append(
            Error(
                "CHAT_BODY_BYTES is more than CHAT_STORAGE_BYTES: one message would fill an account.",
                hint="Lower CHAT_BODY_BYTES or raise CHAT_STORAGE_BYTES.",
                id="tertulia.E002",
            )
        )
    return found


@_check
def data_folder_is_private(**kwargs: Any) -> list[CheckMessage]:
    """W006 and W007: somebody else may read the data, or owns it."""
    found: list[CheckMessage] = []
    for path in _private_paths():
        status = path.lstat()
        if status.st_mode & 0o077 and not path.is_symlink():
            found.append(
                Caution(
                    f"Others on this machine may open {path}.",
                    hint=f"chmod go= {path}",
                    id="tertulia.W006",
                )
            )
        if status.st_uid != os.geteuid():
            found.append(
                Caution(
                    f"{path} belongs to another user.",
                    hint="Run the hub as one user always, and give that user the folder (chown -R).",
                    id="tertulia.W007",
                )
            )
    return found


def _private_paths() -> list[Path]:
    home: Path = settings.TERTULIA_HOME
    return [home, *sorted(path for path in home.iterdir() if PRIVATE.search(path.name))]


@_check
def sqlite_is_on_a_local_disk(**kwargs: Any) -> list[CheckMessage]:
    """E003: write-ahead logging needs memory that processes share; over a network the database is damaged."""
    if settings.DATABASE_URL:
        return []
    kind = file_system_of(settings.TERTULIA_HOME, _mounts())
    if kind not in NETWORK_FILE_SYSTEMS:
        return []
    return [
        Error(
            f"The data folder {settings.TERTULIA_HOME} lies on {kind}; SQLite would damage its file there.",
            hint="Set TERTULIA_HOME to a folder on a local disk, or DATABASE_URL to a PostgreSQL server.",
            id="tertulia.E003",
        )
    ]


def _mounts() -> str:
    try:
        return Path("/proc/self/mounts").read_text()
    except OSError:
        return ""


def file_system_of(folder: Path, mounts: str) -> str:
    """The kind of file system `folder` lies on, from the text of `/proc/self/mounts`; empty when it does not tell."""
    best = ("", "")
    for line in mounts.splitlines():
        _, point, kind, *_ = line.split()
        point = point.encode("latin-1", "replace").decode("unicode_escape")
        if folder.is_relative_to(point) and len(point) >= len(best[0]):
            best = (point, kind)
    return best[1]
