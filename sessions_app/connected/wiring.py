"""What this part adds to the registries."""

from accounts import signals as accounts
from core.registry import InboxBlock, digest_blocks, inbox_blocks, sweeps
from sessions_app import signals
from sessions_app.connected import offering, receivers, sweeping
from sessions_app.tools import connected


def register() -> None:
    """Called once, when the app is ready."""
    accounts.launch_begun.connect(receivers.launch_begun)
    accounts.launch_ended.connect(receivers.launch_ended)
    accounts.connection_revoked.connect(receivers.connection_revoked)
    signals.run_begun.connect(receivers.run_begun)
    sweeps.add("connected runs", sweeping.sweep)
    inbox_blocks.add("runs", InboxBlock(offering.inbox_lines, offering.inbox_noted))
    digest_blocks.add("runs", offering.digest)
    connected.register()
