"""The sign-ins of this user, one a hub, in `credentials.json`; one of the hubs is the default."""

import contextlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from tertulia.address import hub_address, short_name
from tertulia.inert import line
from tertulia.problems import Problem, SignedOut
from tertulia.store.files import PrivateFile


@dataclass(frozen=True, slots=True)
class SignIn:
    """What a hub gave this client. `account`: whose, as the hub told; may be empty."""

    hub: str
    client_id: str
    access_token: str = field(repr=False)
    refresh_token: str = field(repr=False)
    token_endpoint: str
    revocation_endpoint: str
    client_name: str = ""
    account: str = ""

    @property
    def secrets(self) -> tuple[str, ...]:
        """What must not be shown."""
        return tuple(filter(None, (self.access_token, self.refresh_token)))


NAMES = tuple(each.name for each in fields(SignIn))


class Credentials:
    """The file, read anew at each question."""

    def __init__(self) -> None:
        self.file = PrivateFile("credentials.json")

    def all(self) -> dict[str, SignIn]:
        """By hub, in the order of signing in."""
        held = self.file.read().get("hubs")
        rows = held.values() if isinstance(held, dict) else []
        found = [SignIn(**{name: row[name] for name in NAMES}) for row in rows if _is_whole(row)]
        return {each.hub: each for each in found}

    def default(self) -> str | None:
        """The hub that is meant where none is named."""
        known = self.all()
        chosen = self.file.read().get("default")
        return chosen if chosen in known else next(iter(known), None)

    def find(self, named: str | None) -> SignIn:
        """The sign-in at the hub named by address or short name, else at the default one; raises Problem."""
        known = self.all()
        if named is None:
            default = self.default()
            if default is None:
                raise SignedOut("You are not signed in to any hub; run: tertulia login HUB_URL")
            return known[default]
        hubs = [hub for hub in known if short_name(hub) == named] or [hub for hub in known if hub == hub_address(named)]
        if not hubs:
            raise SignedOut(f"You are not signed in to {line(named, 80)}; run: tertulia login {line(named, 80)}")
        return known[hubs[0]]

    def keep(self, sign_in: SignIn) -> None:
        """Store a sign-in in the place of an earlier one at its hub."""
        with self.file.locked():
            self.keep_locked(sign_in)

    def keep_locked(self, sign_in: SignIn) -> None:
        """The same for who holds the file's lock already."""
        data = self.file.read()
        data["hubs"] = {**_hubs(data), sign_in.hub: asdict(sign_in)}
        data.setdefault("default", sign_in.hub)
        self._write(data)

    def forget(self, hub: str) -> None:
        """Remove the sign-in at a hub."""
        with self._change() as data:
            data["hubs"] = {name: row for name, row in _hubs(data).items() if name != hub}
            if data.get("default") == hub:
                data.pop("default")

    def use(self, hub: str) -> None:
        """Make a hub the default."""
        with self._change() as data:
            data["default"] = hub

    @contextlib.contextmanager
    def _change(self) -> Iterator[dict[str, Any]]:
        """The file's object to be changed in place, with no other process between."""
        with self.file.locked():
            data = self.file.read()
            yield data
            self._write(data)

    def _write(self, data: dict[str, Any]) -> None:
        self.file.write({"version": 1, **data})


def _hubs(data: dict[str, Any]) -> dict[str, Any]:
    held = data.get("hubs")
    return held if isinstance(held, dict) else {}


def _is_whole(row: Any) -> bool:
    whole = isinstance(row, dict) and all(isinstance(row.get(name), str) for name in NAMES)
    if not whole:
        raise Problem(f"{PrivateFile('credentials.json').path} is damaged; remove it and run: tertulia login")
    return True
