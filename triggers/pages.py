"""The addresses of the owner's pages of push messages, firings, servers, rules and webhooks, within the admin site."""

from collections.abc import Callable

from django.http import HttpResponse

View = Callable[..., HttpResponse]


def page_urls() -> list[tuple[str, View, str]]:
    """Each page's address, its view and its name."""
    from triggers.calling import pages as calling
    from triggers.managing import addresses as managing
    from triggers.owning import addresses as owning

    return [*owning.page_urls(), *managing.page_urls(), *calling.page_urls()]
