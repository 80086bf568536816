"""What is kept of signing in to push servers, and of calls of their tools."""

from triggers.models import PushServer


def replace_sign_in(server_id: int, was: bytes, becomes: bytes) -> bool:
    """Put a sealed sign-in in the place of that one; False where somebody was there first. For the hub's own renewing."""
    held = PushServer.objects.filter(pk=server_id, sign_in_encrypted=was)
    return bool(held.update(sign_in_encrypted=becomes))
