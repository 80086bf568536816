"""Signing in where there is no browser: a code that the owner types on another machine (RFC 8628)."""

from tertulia.address import belongs_to
from tertulia.inert import line
from tertulia.oauth.discovery import Server
from tertulia.oauth.tokens import DEVICE_CODE, SCOPE, Tokens, exchange, register, tokens_in
from tertulia.problems import Problem, Refused
from tertulia.surroundings import world
from tertulia.voice import tell
from tertulia.wire import Wire, refusal

INTERVAL, SLOWER = 5.0, 5.0
LONGEST = 1800.0


def by_device(wire: Wire, server: Server, client_name: str) -> tuple[str, Tokens]:
    """The client's id and its tokens, once the owner has typed the code and allowed it; raises Problem."""
    if not server.device:
        raise Problem(f"The hub {wire.hub} signs in by a browser only; run it on a machine that has one.")
    client_id = register(wire, server, client_name=client_name, grant_type=DEVICE_CODE, redirect_uris=[])
    form = {"client_id": client_id, "scope": SCOPE, "resource": server.resource}
    answer = wire.send("POST", server.device, form=form)
    if answer.status != 200:
        raise refusal(wire.hub, answer)
    said = answer.object
    device_code, user_code, page = (said.get(name) for name in ("device_code", "user_code", "verification_uri"))
    if not (isinstance(device_code, str) and isinstance(user_code, str) and belongs_to(wire.hub, page)):
        raise Problem(f"The hub {wire.hub} gave no code to sign in with; ask whoever runs it.")
    lives = _number(said.get("expires_in"), LONGEST)
    tell(f"Open {page}\nand type the code {line(user_code, 40)}\n\nWaiting for your answer, at most {lives / 60:.0f} minutes.")
    return client_id, _poll(wire, server, client_id, device_code, lives, _number(said.get("interval"), INTERVAL))


def _poll(wire: Wire, server: Server, client_id: str, device_code: str, lives: float, interval: float) -> Tokens:
    form = {"grant_type": DEVICE_CODE, "device_code": device_code, "client_id": client_id}
    until = world.monotonic() + lives
    while world.monotonic() < until:
        world.sleep(interval)
        answer = exchange(wire, server, form)
        match answer.object.get("error") if answer.status != 200 else None:
            case "authorization_pending":
                continue
            case "slow_down":
                interval += SLOWER
            case "access_denied":
                raise Refused("You refused this client in the browser; nothing is signed in.")
            case "expired_token":
                break
            case _:
                return tokens_in(wire.hub, answer)
    raise Problem("Nobody typed the code in time; run it again for a fresh one.")


def _number(value: object, default: float) -> float:
    sound = isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= LONGEST
    return float(value) if sound else default  # type: ignore[arg-type]
