"""In which language a person reads the pages: his choice in the profile, else as the browser asks. Programs read English."""

import re
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.cache import patch_vary_headers

_PROGRAMS = re.compile(r"/api/(?!docs/$)|/\.well-known/|/(oauth/)?(token|revoke|register|device-authorization)(/|$)")


def language_of(request: HttpRequest) -> str:
    """The code of one of `settings.LANGUAGES`."""
    chosen = getattr(request.user, "language", "")
    return chosen if chosen in dict(settings.LANGUAGES) else translation.get_language_from_request(request)


def is_for_programs(path: str) -> bool:
    """Whether what answers at this path of Django is read by programs, whose words stay the same in every country."""
    return _PROGRAMS.match(path) is not None


class PageLanguage:
    """Middleware after authentication, in the place of Django's: the profile goes before the browser.

    The language ends with the request: the thread may next raise a refusal that goes to an agent or into a log.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer in the person's language."""
        if is_for_programs(request.path_info):
            with translation.override(settings.LANGUAGE_CODE):
                return self.get_response(request)
        language = language_of(request)
        with translation.override(language):
            request.LANGUAGE_CODE = language
            answer = self.get_response(request)
        answer.headers.setdefault("Content-Language", language)
        patch_vary_headers(answer, ("Accept-Language",))
        return answer
