"""Pages nobody wants to see still say what to do, and no more."""

import pytest
from django.test import Client
from django.urls import reverse

from tests import make


@pytest.mark.parametrize(
    ("address", "status", "says"),
    [
        ("/nowhere/", 404, "There is no such page"),
        ("/admin/accounts/user/", 403, "Your account may not open this page"),
        ("/admin/chat/message/?body__startswith=a", 400, "Use the links of the pages"),
    ],
)
def test_a_refused_page_says_what_to_do(address: str, status: int, says: str, as_alice: Client) -> None:
    answer = as_alice.get(address)
    page = answer.content.decode()
    assert answer.status_code == status and says in page


def test_a_failure_shows_no_trace_of_itself(alice: make.Person, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object) -> None:
        raise RuntimeError("the inner workings")

    monkeypatch.setattr("chat.pages._settings_of", fail)
    client = Client(raise_request_exception=False)
    client.force_login(alice.user)
    answer = client.get(reverse("admin:settings"))
    page = answer.content.decode()
    assert answer.status_code == 500 and "whoever runs this hub finds the reason in its log" in page
    assert "inner workings" not in page and "Traceback" not in page
