"""What every page must look like: within its window, and nothing that axe calls serious; with pictures for whoever wants them."""

import base64
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Page

ALBUM = os.environ.get("TERTULIA_TEST_ALBUM", "")
"""A folder for pictures of what is tested, where somebody wants to look at them."""

in_every_look = pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (390, "dark"), (1280, "light"), (1280, "dark")])
"""Both widths in both schemes: the arguments `width` and `scheme` of a test."""


def picture(page: "Page", name: str) -> None:
    """The whole page into the album, where there is one."""
    if ALBUM:
        Path(ALBUM).mkdir(parents=True, exist_ok=True)
        Path(f"{ALBUM}/{name}.png").write_bytes(base64.b64decode(taken(page, captureBeyondViewport=True)))


def part(page: "Page", selector: str) -> str:
    """A picture of what stands where this element is, in base64."""
    return taken(page, clip={**(page.locator(selector).bounding_box() or {}), "scale": 1})


def taken(page: "Page", **more: object) -> str:
    """By the browser alone: Playwright's own way puts a style into the page, of which its policy complains."""
    told = page.context.new_cdp_session(page).send("Page.captureScreenshot", {"format": "png", **more})
    return str(told["data"])


def check_looks(page: "Page", addresses: list[str], name: str) -> None:
    """Each page, with all unfolded, fits its window, and axe finds nothing serious; `name` ends those of the pictures."""
    found: list[tuple[str, ...]] = []
    for address in addresses:
        page.goto(address)
        for part in page.locator("#content details").all():
            part.evaluate("each => { each.open = true }")
        picture(page, f"{address.strip('/').replace('/', '-')[:60]}-{name}")
        if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
            found.append((address, "too wide"))
        found += [(address, *each) for each in serious(page)]
    assert not found, "\n".join(map(str, found))


def serious(page: "Page") -> Iterator[tuple[str, str, str]]:
    """What axe finds serious or worse in the page: the rule, where, why. Skips the test where axe is not installed."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed; run: uv sync --all-groups")
    for each in axe.Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]:
        if each["impact"] in {"serious", "critical"}:
            yield each["id"], each["nodes"][0]["html"][:200], each["nodes"][0]["failureSummary"][:200]
