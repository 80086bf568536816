"""Fixtures of the whole suite: the cast, inline executors, a quick hasher."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

import pytest
import pytest_django
from django.conf import settings
from django.core.cache import cache

from accounts.throttle import Throttle
from core import executors
from tests import door, emptying, make, services, snapshot
from tests.asgi import sync
from tests.clock import Clock


def pytest_configure() -> None:
    import_module(settings.ROOT_URLCONF)  # which fills the admin site, that some tests look through as they are collected
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher", *settings.PASSWORD_HASHERS]
    database = settings.DATABASES["default"]
    if database["ENGINE"].endswith("sqlite3"):  # a file, as in service: in memory, threads fail at once where they would wait
        database.setdefault("TEST", {})["NAME"] = str(settings.TERTULIA_HOME / "test.sqlite3")
    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
    executors.use(sync, for_agents=door.through_the_door)
    emptying.empty_quickly()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """A test marked `browser` or `service` runs only where its browser or service is."""
    services.skip_or_fail(item)


@pytest.fixture(scope="session")
def kept_copy(request: pytest.FixtureRequest) -> Path:
    """Where the copy of a migrated SQLite database lies, or will lie."""
    return snapshot.place(request.config.cache.mkdir("database"))


@pytest.fixture(scope="session")
def django_db_keepdb(django_db_keepdb: bool, django_db_modify_db_settings: None, kept_copy: Path) -> bool:
    """Begin with the copy of a database that was migrated before, where there is one."""
    database = settings.DATABASES["default"]
    if not database["ENGINE"].endswith("sqlite3"):
        return django_db_keepdb
    return snapshot.put(kept_copy, Path(database["TEST"]["NAME"]))


@pytest.fixture(scope="session")
def migrate(kept_copy: Path) -> Callable[[dict[str, str]], None]:
    """Prepares the SQLite database of a hub of its own, whose environment it takes: by the kept copy, or as an operator does."""

    def prepare(env: dict[str, str]) -> None:
        home = Path(env["TERTULIA_HOME"])
        home.mkdir(mode=0o700, exist_ok=True)
        if not snapshot.put(kept_copy, home / "tertulia.sqlite3"):
            words = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
            subprocess.run(words, cwd=settings.BASE_DIR, env=env, check=True, timeout=110)
        (home / "tertulia.sqlite3").chmod(0o600)

    return prepare


@pytest.fixture(scope="session")
def django_db_setup(
    django_db_setup: None,
    django_db_blocker: pytest_django.DjangoDbBlocker,
    django_db_keepdb: bool,
    kept_copy: Path,
) -> Iterator[None]:
    """The test database is as private as the hub keeps its own, and has the role of the agent's door."""
    database = settings.DATABASES["default"]
    if database["ENGINE"].endswith("sqlite3"):
        Path(database["NAME"]).chmod(0o600)
        if not django_db_keepdb:
            snapshot.keep(Path(database["NAME"]), kept_copy)
    with django_db_blocker.unblock():
        door.make_role()
    yield
    with django_db_blocker.unblock():
        door.drop_role()


@pytest.fixture(autouse=True)
def fresh_counters() -> None:
    """No test is held to a limit that another one used up."""
    cache.clear()


@pytest.fixture(autouse=True)
def _no_edge_of_a_window(monkeypatch: pytest.MonkeyPatch) -> None:
    """Throttles count by the minutes of the machine's clock: for a test that sets no clock of its own none of them ends."""
    began, slot = time.time(), Throttle._slot

    def held(throttle: Throttle, key: str, now: float) -> str:
        return slot(throttle, key, began if throttle.clock is time.time else now)

    monkeypatch.setattr(Throttle, "_slot", held)


@pytest.fixture
def alice(db: None) -> make.Person:
    """An owner."""
    return make.person("alice@example.org")


@pytest.fixture
def bob(db: None) -> make.Person:
    """Another owner, with an account of his own."""
    return make.person("bob@example.org")


@pytest.fixture
def charlie(db: None) -> make.Person:
    """An owner who must never get in to alice's."""
    return make.person("charlie@example.org")


@pytest.fixture
def staff(db: None) -> make.Person:
    """A member of staff."""
    return make.person("staff@example.org", is_staff=True)


@pytest.fixture
def threaded() -> Iterator[None]:
    """Real executor threads, for tests of locks, commits and news (with `django_db(transaction=True)`)."""
    executors.use(None)
    yield
    executors.use(sync, for_agents=door.through_the_door)
    executors.shut_down()


@pytest.fixture
def clock() -> Iterator[Clock]:
    """The hub's clock, in the test's hand."""
    from core import clock as hub_clock

    held = Clock()
    hub_clock.use(held)
    yield held
    hub_clock.use(None)


@pytest.fixture(autouse=True)
def _no_memory_between_tests() -> Iterator[None]:
    """What a process remembers of tokens and of rules is forgotten, so that tests run in any order."""
    from accounts import bearer
    from triggers.rules import reading as rules

    yield
    bearer.cache.clear()
    rules._engines.clear()
