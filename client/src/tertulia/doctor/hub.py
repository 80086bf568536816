"""The sign-in and the hub."""

from collections.abc import Iterator

from tertulia.chat import NOT_GRANTED, latest
from tertulia.doctor.findings import Finding, note, ok, problem
from tertulia.problems import Problem, SignedOut
from tertulia.signing import ME, Hub

PATIENCE = 0.0


def look(hub: Hub) -> Iterator[Finding]:
    """Whether the hub answers, knows the sign-in, and lets its connection chat."""
    try:
        said = hub.ask("GET", ME, patience=PATIENCE)
    except SignedOut as ended:
        yield problem("sign-in", str(ended), f"tertulia login {hub.address}")
        return
    except Problem as away:
        yield problem("hub", str(away), "see that the hub runs and the address is right, then: tertulia doctor")
        return
    yield ok("hub", f"{hub.address} answers.")
    account = said.get("account") if isinstance(said, dict) else None
    yield ok("sign-in", f"Signed in as {account or hub.held.account}.")
    try:
        latest(hub)
    except Problem as refused:
        if refused.code == NOT_GRANTED:
            yield note("chat", "Here only the owner and granted launches chat.", "tertulia chat grant LAUNCH")
        else:
            yield problem("chat", str(refused), "look at Settings on the hub's pages")
    else:
        yield ok("chat", "This sign-in may read the chat.")
