"""Signing in to a hub, refreshing, and asking it as who is signed in."""

import platform
from dataclasses import replace
from typing import Any, Protocol

from tertulia.address import is_open
from tertulia.inert import line
from tertulia.problems import Problem, SignedOut
from tertulia.store.credentials import Credentials, SignIn
from tertulia.store.marks import forget_marks
from tertulia.surroundings import world
from tertulia.voice import tell
from tertulia.wire import PATIENCE, READ_SECONDS, Answer, Wire, refusal

ME = "/api/me/"
LONGEST_ACCOUNT = 254
"""Of an e-mail address. What one hub says is kept beside the sign-ins at all others, and must leave room for them."""


def client_name() -> str:
    """What the consent page and *Connections* call this client."""
    return f"Tertulia client on {line(platform.node() or 'this machine', 60)}"


def sign_in(wire: Wire, *, name: str = "", browser: bool | None = None) -> SignIn:
    """Sign in, and keep it in the place of an earlier sign-in, which is given up. `browser` None: where there is one."""
    from tertulia.oauth.code import by_browser
    from tertulia.oauth.device import by_device
    from tertulia.oauth.discovery import discover

    credentials = Credentials()
    earlier = credentials.all().get(wire.hub)
    credentials.file.rehearse()  # before the owner is bothered
    if is_open(wire.hub):
        tell(f"{wire.hub} is not encrypted: others on the way can read your chat and take your sign-in.")
    server = discover(wire)
    way = by_browser if (world.has_browser() if browser is None else browser) else by_device
    called = name or (earlier.client_name if earlier else "") or client_name()
    client_id, tokens = way(wire, server, called)
    fresh = SignIn(wire.hub, client_id, tokens.access, tokens.refresh, server.token, server.revoke, called)
    credentials.keep(fresh)
    if account := _account(wire, fresh):
        fresh = replace(fresh, account=account)
        credentials.keep(fresh)
    if earlier is not None:
        _leave(wire, earlier, fresh)
    return fresh


def _account(wire: Wire, held: SignIn) -> str:
    """Whose it is; empty where the hub does not say."""
    try:
        account = wire.send("GET", ME, token=held.access_token).object.get("account")
    except Problem:
        return ""
    return account if isinstance(account, str) and len(account) <= LONGEST_ACCOUNT else ""


def _leave(wire: Wire, earlier: SignIn, fresh: SignIn) -> None:
    from tertulia.oauth.tokens import give_up

    if earlier.account != fresh.account:
        forget_marks(fresh.hub)
    try:
        give_up(wire, earlier)
    except Problem:
        tell("The earlier sign-in could not be ended at the hub; revoke it there under Connections.")


class Asked(Protocol):
    """A hub that can be asked. `in_person`: as its owner, who comes through no connection."""

    in_person: bool

    @property
    def address(self) -> str:
        """Where it is."""

    def ask(self, method: str, path: str, **how: Any) -> Any:
        """The JSON value of a good answer; raises Problem with the hub's own sentence for another. `how`: see `Wire.send`."""


class Hub:
    """A hub asked as who is signed in there. A token that ran out is refreshed; one that has ended is got anew, once."""

    in_person = False

    def __init__(self, wire: Wire, held: SignIn) -> None:
        self.wire = wire
        self.held = held
        self._signed_again = False

    @property
    def address(self) -> str:
        """Where it is."""
        return self.held.hub

    def ask(self, method: str, path: str, **how: Any) -> Any:
        """The JSON value of a good answer; raises Problem with the hub's own sentence for another. `how`: see `Wire.send`."""
        answer = self._send(method, path, how)
        if answer.status == 401 and self.refresh():
            answer = self._send(method, path, how)
        if answer.status == 401 and self._sign_in_again():
            answer = self._send(method, path, how)
        if answer.status == 401:
            raise SignedOut(f"Your sign-in to {self.address} has ended; run: tertulia login {self.address}")
        if answer.status >= 400:
            raise refusal(self.address, answer, self.held.secrets)
        return answer.data

    def _send(self, method: str, path: str, how: dict[str, Any]) -> Answer:
        given = {"read_seconds": READ_SECONDS, "patience": PATIENCE, **how}
        return self.wire.send(method, path, token=self.held.access_token, **given)

    def refresh(self) -> bool:
        """Fresh tokens, by us or by a process that was quicker; whether there are any."""
        from tertulia.oauth.tokens import refreshed

        credentials = Credentials()
        with credentials.file.locked():
            kept = credentials.all().get(self.address)
            if kept is None:
                return False
            if kept.access_token != self.held.access_token:
                self.held = kept
                return True
            credentials.file.rehearse()  # a token that was spent and could not be kept would end the sign-in
            fresh = refreshed(self.wire, kept) if kept.refresh_token else None
            if fresh is None:
                return False
            credentials.keep_locked(fresh)
        self.held = fresh
        return True

    def _sign_in_again(self) -> bool:
        if self._signed_again or not world.interactive():
            return False
        self._signed_again = True
        tell(f"Your sign-in to {self.address} has ended; signing in once more.")
        self.held = sign_in(self.wire)
        return True
