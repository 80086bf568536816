"""In which language a person reads the pages: his choice in the profile, else as the browser asks."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.utils import translation


def language_of(request: HttpRequest) -> str:
    """The code of one of `settings.LANGUAGES`."""
    chosen = getattr(request.user, "language", "")
    return chosen or translation.get_language_from_request(request)


class ChosenLanguage:
    """Middleware after authentication: what the profile says goes before what the browser asks for."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer in the person's language."""
        if request.user.is_authenticated and request.user.language:
            translation.activate(request.user.language)
            request.LANGUAGE_CODE = translation.get_language()
        return self.get_response(request)
