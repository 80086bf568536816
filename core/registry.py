"""What several apps add to: each list is filled in `AppConfig.ready` and composed by `project`."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from core.actor import Actor

T = TypeVar("T")


class Registry(Generic[T]):
    """An ordered set of named things; a name is taken once."""

    def __init__(self, noun: str) -> None:
        self._noun = noun
        self._items: dict[str, T] = {}

    def add(self, name: str, item: T) -> T:
        """Register `item`; raises ValueError if the name is taken."""
        if name in self._items:
            raise ValueError(f"{self._noun} {name!r} is registered twice")
        self._items[name] = item
        return item

    def get(self, name: str) -> T | None:
        """The item of that name, or None."""
        return self._items.get(name)

    def __contains__(self, name: object) -> bool:
        return name in self._items

    def names(self) -> list[str]:
        """All names, in the order they came."""
        return list(self._items)

    def __iter__(self) -> Iterator[T]:
        return iter(self._items.values())

    def items(self) -> list[tuple[str, T]]:
        """Names with their items, in the order they came."""
        return list(self._items.items())


@dataclass(frozen=True, slots=True)
class ScopeSpec:
    """One OAuth scope: what a consent page tells the owner it allows."""

    name: str
    description: str


scopes: Registry[ScopeSpec] = Registry("scope")
health_checks: Registry[Callable[[], None]] = Registry("health check")
"""Called by `/readyz`: returns when the part answers, raises when it does not."""
account_deletions: Registry[Callable[[int], None]] = Registry("account deletion")
"""Called with an account's id before its row goes: removes what an app keeps of it, in batches."""


class Pruning(Protocol):
    """Removes what is past its time, in short batches; answers how many rows went (`dry_run`: would go, nothing changes).

    `progress(rows)` is called after each batch with how many more rows went in it.
    """

    def __call__(self, *, actor: Actor, dry_run: bool, progress: Callable[[int], None]) -> int:
        """Prune once."""
        ...


prunings: Registry[Pruning] = Registry("pruning")
"""Run every hour and by `manage.py prune`; a name is what the operator reads, such as `expired sign-ins`."""

sweeps: Registry[Callable[[Actor], int]] = Registry("sweep")
"""Run every minute: ends what is past its time by minutes rather than by days; answers how many."""


@dataclass(frozen=True, slots=True)
class HomeCard:
    """Something that waits for the owner: one sentence in his language, and the page where he settles it."""

    sentence: str
    address: str
    button: str


home_cards: Registry[Callable[[Actor], Sequence[HomeCard]]] = Registry("home card")
"""What the page Home asks each app for: what of it waits for this owner. Quick, for every look at the page asks all."""


@dataclass(frozen=True, slots=True)
class SettingsSection:
    """A part of the settings page with a form of its own: its template, and what that is given."""

    template: str
    context: dict[str, Any]


settings_sections: Registry[Callable[[Actor], SettingsSection]] = Registry("settings section")
"""What the settings page shows beneath the chat's: each app's section for this owner, who has an account of his own."""

live_keys: Registry[Callable[[int], str]] = Registry("live part")
"""What pages renew themselves by: a word a page knows, such as `chat`, and the key of its news for an account's id."""


@dataclass(frozen=True, slots=True)
class InboxBlock:
    """What else waits for an agent beside mentions: a line each, and a deed that notes that it was told of them.

    Both are called with the agent and the session name it gives itself, or None.
    """

    look: Callable[[Actor, str | None], Sequence[str]]
    note: Callable[[Actor, str | None], None]


inbox_blocks: Registry[InboxBlock] = Registry("inbox block")
"""What `chat_inbox` answers beside mentions and topics."""

digest_blocks: Registry[Callable[[Actor, str], str]] = Registry("digest block")
"""Called with the agent of a launch and the name of its hook's event: what more is put before its model, or nothing."""

hook_reasons: Registry[Callable[[Actor], bool]] = Registry("reason of hooks")
"""Called with the agent of a launch: whether its hooks would be told something now, also without a grant. Where no reason holds,
its launcher keeps its hooks from asking at all. Who makes one begin to hold rings the launch's key."""
