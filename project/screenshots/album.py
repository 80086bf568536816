"""Which pages are photographed, and the photographing itself by Playwright in Debian's Chromium."""

import base64
import hashlib
import json
import shutil
import threading
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django.conf import settings

from core.errors import Invalid
from project.screenshots.launched import KEYS, TOPIC
from project.screenshots.scene import BEGINNER, OWNER, PASSWORD, STAFF

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome")
SWITCHES = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
SIZES = ((1280, 900), (390, 844))
SCHEMES = ("light", "dark")
START_SECONDS = 20
DEVICE = "urn:ietf:params:oauth:grant-type:device_code"
MISSING = "Taking pictures needs {}; run `uv sync --group ci` and, on Debian, `apt-get install chromium`."


@dataclass(frozen=True, slots=True)
class Shot:
    """One page: its file's name, its address, who is signed in, and what to do there before the picture; `whole`: also what
    the window does not show."""

    name: str
    address: str
    who: str = OWNER
    prepare: "Callable[[Page], None] | None" = None
    whole: bool = True


def shots(*, message: int, answered: int, thread: int, connection: str) -> list[Shot]:
    """Every page; the arguments are numbers and an id of the scene."""
    release = urlencode({"topic": "release/0.1.0"})
    return [
        Shot("sign-in", "/sign-in/", ""),
        Shot("sign-in-refused", "/sign-in/", "", _refused),
        Shot("consent", _consent()),
        Shot("device", "/oauth/device"),
        Shot("device-confirm", f"/oauth/device?user_code={_device_code()}", OWNER, _press_continue),
        Shot("home-first-run", "/admin/", BEGINNER),
        Shot("home", "/admin/"),
        Shot("home-staff", "/admin/", STAFF),
        Shot("connect", "/admin/connect/"),
        Shot("connect-done", "/admin/connect/?since=0"),
        Shot("chat", "/admin/chat/"),
        Shot("chat-empty", "/admin/chat/", BEGINNER),
        Shot("chat-topic", f"/admin/chat/?{release}"),
        Shot("chat-permalink", f"/admin/chat/m/{message}/"),
        Shot("chat-search", "/admin/chat/search/?q=release+tag"),
        Shot("chat-search-nothing", "/admin/chat/search/?q=nowhere"),
        Shot("chat-answering", f"/admin/chat/?{release}&reply_to={answered}"),
        Shot("chat-new", f"/admin/chat/?{urlencode({'topic': TOPIC})}"),
        Shot("chat-thread", f"/admin/chat/t/{thread}/"),
        Shot("chat-archived", "/admin/chat/?topic=ops%2Fnightly-backup"),
        Shot("chat-names", "/admin/chat/", OWNER, _begin_a_name),
        Shot("launches", "/admin/launches/"),
        Shot("launches-none", "/admin/launches/", BEGINNER),
        Shot("grant", f"/admin/launches/{KEYS['tests']}/grant/"),
        Shot("grant-dialog", "/admin/launches/", OWNER, _open_grant, whole=False),
        Shot("grant-refused", "/admin/launches/", OWNER, _grant_refused, whole=False),
        Shot("grant-revoke", f"/admin/launches/{KEYS['lead']}/revoke/"),
        *_pushed(),
        Shot("sessions", "/admin/sessions/"),
        Shot("sessions-none", "/admin/sessions/", BEGINNER),
        Shot("session-figures", "/admin/sessions/figures/"),
        Shot("agents", "/admin/agents/"),
        Shot("connections", "/admin/connections/"),
        Shot("connections-none", "/admin/connections/", BEGINNER),
        Shot("connection-messages", f"/admin/connections/{connection}/messages/"),
        Shot("revoke", f"/admin/connections/{connection}/revoke/"),
        Shot("audit", "/admin/audit-log/"),
        Shot("audit-refused", "/admin/audit-log/?since=2026-02-02&until=2026-02-01"),
        Shot("settings", "/admin/settings/"),
        Shot("settings-off", "/admin/settings/", STAFF),
        Shot("chat-off", "/admin/chat/", STAFF),
        Shot("profile", "/admin/profile/"),
        Shot("password", "/admin/password_change/"),
        Shot("menu", "/admin/settings/", OWNER, _open_menu),
        Shot("error", "/nowhere/"),
        Shot("api-docs", "/api/docs/"),
    ]


def _pushed() -> list[Shot]:
    """The pages of push servers, rules and the inbox."""
    return [
        Shot("inbox", "/admin/inbox/", whole=False),
        Shot("inbox-whole", "/admin/inbox/"),
        Shot("inbox-none", "/admin/inbox/", BEGINNER),
        Shot("inbox-message", "/admin/inbox/7/"),
        Shot("inbox-figures", "/admin/inbox/figures/"),
        Shot("journal", "/admin/inbox/journal/"),
        Shot("firings", "/admin/inbox/firings/"),
        Shot("firing", "/admin/inbox/firings/3/"),
        Shot("push-servers", "/admin/push-servers/"),
        Shot("push-servers-none", "/admin/push-servers/", BEGINNER),
        Shot("push-server", "/admin/push-servers/1/"),
        Shot("push-server-new", "/admin/push-servers/add/"),
        Shot("push-servers-import", "/admin/push-servers/import/"),
        Shot("webhook-new", "/admin/push-servers/webhooks/add/"),
        Shot("rules", "/admin/rules/"),
        Shot("rules-none", "/admin/rules/", BEGINNER),
        Shot("rule", "/admin/rules/2/"),
        Shot("rules-import", "/admin/rules/import/"),
    ]


def photograph(folder: Path, album: list[Shot]) -> Iterator[str]:
    """Write each page at each width in each scheme; names the files as they are written. Raises Invalid."""
    sync_playwright, program = tools()
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=program, args=SWITCHES)
        signed_in = {who: _sign_in(browser, who) for who in sorted({shot.who for shot in album})}
        for width, height in SIZES:
            for scheme in SCHEMES:
                for who, state in signed_in.items():
                    context = browser.new_context(
                        viewport={"width": width, "height": height},
                        color_scheme=scheme,
                        base_url=settings.TERTULIA_URL,
                        storage_state=state,
                    )
                    context.route("**/admin/chat/read/", lambda route: route.abort())  # the next picture shows it as new again
                    page = context.new_page()
                    for shot in (each for each in album if each.who == who):
                        if _take(page, shot, folder / (name := f"{shot.name}-{width}-{scheme}.png")):
                            yield name
                    context.close()
        browser.close()


def _take(page: "Page", shot: Shot, file: Path) -> bool:
    answer = page.goto(shot.address)
    if answer is not None and answer.status == 404 and shot.name != "error":
        return False  # the page is not part of this hub
    if shot.prepare is not None:
        shot.prepare(page)
    page.evaluate("document.fonts.ready.then(() => new Promise((done) => setTimeout(done, 150)))")
    page.screenshot(path=file, full_page=shot.whole)
    return True


def tools() -> tuple[Any, str]:
    """Playwright and the path of Chromium. Raises Invalid where one is missing."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        raise Invalid(MISSING.format("Playwright")) from None
    program = next(filter(None, map(shutil.which, CHROMIUM_NAMES)), None)
    if program is None:
        raise Invalid(MISSING.format("Chromium"))
    return sync_playwright, program


def _sign_in(browser: "Browser", who: str) -> Any:
    context = browser.new_context(base_url=settings.TERTULIA_URL)
    if who:
        page = context.new_page()
        page.goto("/sign-in/")
        page.locator("#id_email").fill(who)
        page.locator("#id_password").fill(PASSWORD)
        page.keyboard.press("Enter")
        page.wait_for_url("**/admin/")
    state = context.storage_state()
    context.close()
    return state


def _refused(page: "Page") -> None:
    page.locator("#id_email").fill(OWNER)
    page.locator("#id_password").fill("not this one")
    page.keyboard.press("Enter")
    page.locator(".problem").first.wait_for()


def _press_continue(page: "Page") -> None:
    page.locator("main form button").first.click()
    page.locator("button[value=allow]").wait_for()


def _begin_a_name(page: "Page") -> None:
    page.locator("#compose textarea").press_sequentially("Thank you, @")
    page.locator(".hub-names").wait_for()


def _open_grant(page: "Page") -> None:
    page.locator(f"#grant-{KEYS['tests']}").click()
    page.locator("#dialog[open] form").wait_for()


def _grant_refused(page: "Page") -> None:
    _open_grant(page)
    page.locator("#id_typed").fill("test")
    page.keyboard.press("Enter")
    page.locator("#dialog .errornote").wait_for()


def _open_menu(page: "Page") -> None:
    button = page.locator("header [data-menu]")
    if button.is_visible():
        button.click()
    page.locator("details.hub-you summary").click()


def _consent() -> str:
    """The address of an authorization request, of a client that registered itself."""
    redirect = "http://127.0.0.1:33418/callback"
    told = _post(
        "/oauth/register", {"client_name": "Claude Code", "redirect_uris": [redirect], "token_endpoint_auth_method": "none"}
    )
    challenge = base64.urlsafe_b64encode(hashlib.sha256(b"of a verifier").digest()).rstrip(b"=").decode()
    asked = {"response_type": "code", "client_id": told["client_id"], "redirect_uri": redirect, "scope": "mcp", "state": "s"}
    pkce = {"code_challenge": challenge, "code_challenge_method": "S256", "resource": settings.TERTULIA_RESOURCE}
    return f"/oauth/authorize?{urlencode({**asked, **pkce})}"


def _device_code() -> str:
    """The code that a device without a browser shows."""
    asked = {"client_name": "tertulia (command line)", "grant_types": [DEVICE, "refresh_token"], "redirect_uris": []}
    told = _post("/oauth/register", {**asked, "token_endpoint_auth_method": "none"})
    return str(_post("/oauth/device-authorization", {"client_id": told["client_id"], "scope": "mcp"}, form=True)["user_code"])


def _post(path: str, values: dict[str, Any], *, form: bool = False) -> dict[str, Any]:
    body = urlencode(values) if form else json.dumps(values)
    kind = "application/x-www-form-urlencoded" if form else "application/json"
    request = urllib.request.Request(  # noqa: S310 -- our own address
        settings.TERTULIA_URL + path, body.encode(), {"Content-Type": kind}
    )
    with urllib.request.urlopen(request, timeout=START_SECONDS) as answer:  # noqa: S310
        told: dict[str, Any] = json.load(answer)
    return told


@contextmanager
def serving() -> Iterator[None]:
    """Within, the hub answers at its address, from a thread of this process."""
    import uvicorn

    from project.asgi import make_application

    listening = threading.Event()

    class Server(uvicorn.Server):
        async def startup(self, sockets: Any = None) -> None:
            await super().startup(sockets)
            listening.set()

    config = uvicorn.Config(
        make_application(), host=settings.TERTULIA_HOST, port=settings.TERTULIA_PORT, log_config=None, access_log=False
    )
    server = Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    if not listening.wait(START_SECONDS):
        raise Invalid("The hub for the pictures does not start; look at its log above.")
    try:
        yield
    finally:
        server.should_exit = True
        thread.join(START_SECONDS)
