"""The static files: what is not there is 404, and nothing outside their folder is ever served."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings

from tests.asgi import client, hub, run


@pytest.fixture
def folder() -> Iterator[Path]:
    root = Path(settings.STATIC_ROOT)
    root.mkdir(exist_ok=True)
    (root / "served.txt").write_text("served")
    (root.parent / "beside.txt").write_text("private")
    link = root / "link.txt"
    link.symlink_to(root.parent / "beside.txt")
    yield root
    link.unlink()


def ask(path: str, method: str = "GET", **headers: str) -> tuple[int, str]:
    async def body() -> tuple[int, str]:
        async with hub() as app, client(app, **headers) as http:
            answer = await http.request(method, path)
            return answer.status_code, answer.text

    return run(body())


def test_a_file_of_the_folder_is_served(folder: Path) -> None:
    assert ask("/static/served.txt") == (200, "served")


@pytest.mark.parametrize(
    "path",
    [
        "/static/nothing.css",
        "/static/",
        "/static/%00",
        "/static/" + "a" * 5000,
        "/static/%2e%2e/beside.txt",
        "/static/..%2fbeside.txt",
        "/static/%2fetc/passwd",
        "/static/link.txt",
        "/static/%5c..%5cbeside.txt",
    ],
)
def test_what_is_not_in_the_folder_is_not_found(folder: Path, path: str) -> None:
    status, text = ask(path)
    assert (status, "private" in text, "root:" in text) == (404, False, False)


def test_static_files_are_read_only(folder: Path) -> None:
    assert ask("/static/served.txt", "POST")[0] == 405


def test_a_static_file_at_another_host_is_misdirected(folder: Path) -> None:
    assert ask("/static/served.txt", host="evil.example")[0] == 421
