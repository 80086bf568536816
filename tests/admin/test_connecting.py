"""The lines for clients stand in one place, whoever shows them."""

import re
from pathlib import Path

from django.conf import settings
from django.test import Client
from django.urls import reverse
from django.utils.html import escape

from project.connecting import ways
from project.supervisor.greeting import greeting


def test_up_and_the_home_page_tell_the_same_lines(as_alice: Client) -> None:
    page = re.sub(r"<[^>]+>", "", as_alice.get(reverse("admin:index")).content.decode())
    printed = greeting(settings.TERTULIA_URL, settings.TERTULIA_RESOURCE, Path("data"))
    for line in (line for way in ways(settings.TERTULIA_RESOURCE) for line in way.lines):
        assert escape(line) in page
        assert f"  {line}\n" in printed
