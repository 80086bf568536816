"""A trial of the whole way: a real mention of a granted launch, followed as far as it goes.

Within the agent it is posted through this machine's sign-in, looked for in the agent's own inbox, and marked as read, all in the
topic `doctor`. Elsewhere the owner posts it, and what became of it is asked of the hub.
"""

from collections.abc import Iterator

from tertulia import chat
from tertulia.doctor.bridge import Bridge
from tertulia.doctor.findings import Finding, note, ok, problem
from tertulia.launch.runtime import Running
from tertulia.launches import GRANTED, Launch, chosen, listed
from tertulia.owner import Owner
from tertulia.problems import Problem
from tertulia.receipts import came_of, outcome
from tertulia.signing import Hub
from tertulia.surroundings import world

PIECE, TOPIC, SESSION = "mention", "doctor", "doctor"
TEXT = "@{handle} This is a trial by tertulia doctor; nothing is to be answered."
SECONDS = 20.0
POLL_SECONDS = 2.0


def within(hub: Hub, launch: Running) -> Iterator[Finding]:
    """Mention the agent that this process belongs to, see it in its inbox, and mark it as read."""
    if not launch.granted:
        return
    body = TEXT.format(handle=launch.handle)
    try:
        seq = chat.post(hub, {"body": body, "topic": TOPIC, "session_name": SESSION})["seq"]
    except Problem as refused:
        mend = f"from a terminal of your own: tertulia doctor --mention {launch.handle}"
        yield note(PIECE, f"A trial cannot be posted from here: {refused}", mend)
        return
    try:
        with Bridge(launch.path) as bridge:
            bridge.greet()
            yield _in_inbox(bridge, seq)
            bridge.call("chat_read", {"topic": TOPIC, "after": seq - 1, "limit": 1, "mark_read": True})
    except (OSError, Problem) as failed:
        yield problem(
            PIECE, f"Mention #{seq} was posted, but the agent's tools fail: {failed}", "restart the agent's MCP servers"
        )


def _in_inbox(bridge: Bridge, seq: int) -> Finding:
    found = bridge.call("chat_inbox", {}).get("mentions")
    if any(isinstance(each, dict) and each.get("seq") == seq for each in (found if isinstance(found, list) else [])):
        return ok(PIECE, f"Mention #{seq} went through the hub and back into the agent's inbox.")
    return problem(PIECE, f"Mention #{seq} was posted and is not in the agent's inbox.", "tertulia chat grants")


def by_owner(owner: Owner, named: str) -> Iterator[Finding]:
    """Mention a granted launch as the owner, and follow it for a while."""
    launch: Launch = chosen(listed(owner)[0], named)
    if launch.state not in GRANTED:
        yield problem(PIECE, f"{launch.profile} is {launch.state}: nobody is told.", f"tertulia chat grant {launch.key}")
        return
    receipt = chat.post(owner, {"body": TEXT.format(handle=launch.handle), "topic": chat.GENERAL})
    seq = receipt["seq"]
    for sentence in outcome(receipt):
        yield note(PIECE, sentence)
    if launch.handle not in receipt.get("mentioned", []):
        yield problem(PIECE, f"Message #{seq} was stored, but mentions nobody.", "tertulia chat grants --maintainer")
        return
    yield ok(PIECE, f"Mention #{seq} is stored for @{launch.handle}.")
    yield _followed(owner, seq, launch)


def _followed(owner: Owner, seq: int, launch: Launch) -> Finding:
    until = world.monotonic() + SECONDS
    told = ""
    while world.monotonic() < until:
        told = came_of(owner.ask("GET", chat.receipts_path(seq)))
        if told and not told.endswith("stored"):
            return ok(PIECE, f"It arrived: {told}.")
        world.sleep(POLL_SECONDS)
    sentence = f"The agent has not been told in {SECONDS:.0f} seconds; it is at its next prompt, by its hooks."
    return note(PIECE, sentence, f"see that its hooks are installed: tertulia hooks install {launch.harness or 'HARNESS'}")
