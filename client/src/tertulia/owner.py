"""The owner in person at a hub: shown afresh by the password or in a browser, for five minutes, and kept in memory alone."""

from collections.abc import Callable
from typing import Any

from tertulia.address import belongs_to
from tertulia.inert import line
from tertulia.problems import Problem, Refused
from tertulia.signing import Hub
from tertulia.surroundings import world
from tertulia.voice import tell
from tertulia.wire import PATIENCE, READ_SECONDS, Answer, refusal

PROOF, APPROVALS, APPROVAL = "/api/proof/", "/api/proof/approvals/", "/api/proof/approvals/token/"
WRONG_PASSWORD = "wrong_password"  # noqa: S105 - a code of the hub's
TRIES = 3
POLL_SECONDS = 2.0
LONGEST_APPROVAL = 600.0
"""Seconds; the hub ends an approval sooner."""
Prove = Callable[[Hub], str]
"""Gets an owner's token of the hub, of whom it asks for it; raises Problem."""


class Unproved(Refused):
    """The owner has to show himself first."""


class Owner:
    """A hub asked as its owner in person. He is asked to show himself at the first question, and again once that has ended."""

    in_person = True

    def __init__(self, hub: Hub, prove: Prove) -> None:
        self.hub = hub
        self._prove = prove
        self._token = ""

    @property
    def address(self) -> str:
        """Where the hub is."""
        return self.hub.address

    @property
    def is_proved(self) -> bool:
        """Whether he has shown himself, and the hub has not said since that this is over."""
        return bool(self._token)

    def prove(self) -> None:
        """Have him show himself now, unless he has; raises Problem."""
        self._token = self._token or self._prove(self.hub)

    def ask(self, method: str, path: str, **how: Any) -> Any:
        """As `Hub.ask`, in person."""
        for fresh in (not self._token, True):
            self.prove()
            answer = self._send(method, path, how)
            if answer.status != 401 or fresh:
                break
        return self._data(answer)

    def ask_quietly(self, method: str, path: str, **how: Any) -> Any:
        """The same, but he is not asked to show himself; raises Unproved where he would be."""
        if not self._token:
            raise Unproved(f"Prove that you are the owner of {self.address} first.")
        answer = self._send(method, path, how)
        if answer.status == 401:
            raise Unproved("The five minutes of your proof are over; prove it again.")
        return self._data(answer)

    def _send(self, method: str, path: str, how: dict[str, Any]) -> Answer:
        given = {"read_seconds": READ_SECONDS, "patience": PATIENCE, **how}
        token = self._token
        answer = self.hub.wire.send(method, path, token=token, **given)
        if answer.status == 401 and token == self._token:
            self._token = ""
        return answer

    def _data(self, answer: Answer) -> Any:
        if answer.status >= 400:
            raise refusal(self.address, answer, tuple(filter(None, (*self.hub.held.secrets, self._token))))
        return answer.data


def by_password(hub: Hub, password: str) -> str:
    """An owner's token for his password; raises Problem, of code WRONG_PASSWORD where it is not his."""
    return _token_in(hub, hub.ask("POST", PROOF, body={"password": password}))


def by_browser(hub: Hub) -> str:
    """An owner's token once he has allowed it on the hub's page; raises Problem."""
    asked = hub.ask("POST", APPROVALS)
    code, secret, address = (asked.get(name) for name in ("code", "secret", "address")) if isinstance(asked, dict) else ("",) * 3
    if not (isinstance(code, str) and isinstance(secret, str) and belongs_to(hub.address, address)):
        raise Problem(f"The hub {hub.address} gave no page to approve on; ask whoever runs it.")
    tell(f"Open {address}\nand approve there; the page shows the code {line(code, 40)}.")
    if world.has_browser():
        world.open_browser(str(address))
    return _approved(hub, secret)


def _approved(hub: Hub, secret: str) -> str:
    until = world.monotonic() + LONGEST_APPROVAL
    while world.monotonic() < until:
        world.sleep(POLL_SECONDS)
        said = hub.ask("POST", APPROVAL, body={"secret": secret})
        if isinstance(said, dict) and "token" in said:
            return _token_in(hub, said)
    raise Refused("Nobody approved in the browser in time; run it again.")


def _token_in(hub: Hub, said: Any) -> str:
    token = said.get("token") if isinstance(said, dict) else None
    if not isinstance(token, str) or not token:
        raise Problem(f"The hub {hub.address} gave no owner's token; ask whoever runs it.")
    return token


def at_terminal(*, browser: bool) -> Prove:
    """Ask for the password at the terminal, or, where that is wanted or nothing is typed, for the owner's word in a browser."""

    def prove(hub: Hub) -> str:
        if not world.interactive():
            raise Refused("This is asked of the owner at a terminal of his own; run it in one.")
        return by_browser(hub) if browser else _by_typed_password(hub)

    return prove


def _by_typed_password(hub: Hub) -> str:
    who = line(hub.held.account, 200) or "the owner"
    tries = TRIES
    while password := world.ask_secret(f"Password of {who} at {hub.address} (Enter alone: approve in a browser): "):
        tries -= 1
        try:
            return by_password(hub, password)
        except Problem as problem:
            if problem.code != WRONG_PASSWORD or not tries:
                raise
            tell(str(problem))
    return by_browser(hub)
