"""What the chat does when the floor beneath tells of something."""

from typing import Any

from django.dispatch import receiver

from accounts.models import Account, Launch
from accounts.signals import account_created, launch_changed, launch_ended
from chat import actions
from chat.grants.actions import GRANTABLE_PANES, end_stale


@receiver(account_created)
def give_the_account_its_chat(sender: type[Account], account: Account, **kwargs: Any) -> None:
    """In the transaction that made the account."""
    actions.open_chat(account)


@receiver(launch_ended)
def end_what_it_was_granted(sender: type[Launch], launch: Launch, **kwargs: Any) -> None:
    """In the transaction that ended the launch."""
    end_stale(launch, reason=launch.end_reason)


@receiver(launch_changed)
def end_what_its_pane_was_granted(sender: type[Launch], launch: Launch, **kwargs: Any) -> None:
    """In the transaction that found that the pane is no longer the launch's own."""
    if launch.pane_state not in GRANTABLE_PANES:
        end_stale(launch, reason=f"its pane is {launch.pane_state}")
