"""What every page shows of firings: a toast for each new one, and the navigation's badge."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from core.pages import fragment, number_in
from triggers.owning import reading
from triggers.owning.asking import own_actor

TOASTS_MOST = 3


@require_safe
def toasts_part(request: HttpRequest) -> HttpResponse:
    """The firings after a number as toasts, a few at most, and the badge."""
    actor = own_actor(request)
    after = number_in(request.GET.get("after", "")) or 0
    fresh, count = reading.fresh_firings(actor, after=after, most=TOASTS_MOST)
    return fragment(
        request,
        "triggers/toasts_new.html",
        fresh=fresh,
        more=max(0, count - len(fresh)),
        after=fresh[-1].number if fresh else after,
        badge=reading.told(actor),
    )
