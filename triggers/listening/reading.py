"""What a listener looks up about servers, without writing."""

from collections.abc import Iterable, Mapping

from core import clock
from triggers.listening.actions import wanted
from triggers.models import PushServer


def is_due(name: str, known: Mapping[int, PushServer]) -> bool:
    """Whether a beat would change anything: a server was edited, or nobody holds it."""
    own = {each.pk: each for each in wanted().filter(listener=name).only("version", "refresh_asked_at")}
    if own.keys() != known.keys():
        return True
    if any((each.version, each.refresh_asked_at) != (known[pk].version, known[pk].refresh_asked_at) for pk, each in own.items()):
        return True
    free = wanted().exclude(listener=name)
    return free.filter(lease_until__isnull=True).exists() or free.filter(lease_until__lt=clock.now()).exists()


def still_enabled(server_ids: Iterable[int]) -> set[int]:
    """Those of them that are to be listened to by somebody."""
    return set(wanted().filter(pk__in=list(server_ids)).values_list("pk", flat=True))


def held(name: str, server_ids: Iterable[int]) -> dict[int, PushServer]:
    """Those of them that this listener holds, as they are now."""
    return {each.pk: each for each in wanted().filter(listener=name, pk__in=list(server_ids))}
