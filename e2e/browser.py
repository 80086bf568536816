"""The owner at a browser: signs in, reads the consent page, presses a button, is sent back to the client.

Also a program: stands where `xdg-open` stands, so that a client's own login opens it (`e2e/harness.py` puts it there).
"""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import httpx2

MOST_REDIRECTS = 10


@dataclass
class Form:
    """One form of a page: where it goes and what it sends."""

    action: str
    method: str
    fields: dict[str, str] = field(default_factory=dict)
    buttons: set[tuple[str, str]] = field(default_factory=set)


class _Forms(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.forms: list[Form] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.forms.append(Form(said.get("action", ""), said.get("method", "get").lower()))
        elif self.forms and tag == "button" and said.get("type", "submit") == "submit":
            self.forms[-1].buttons.add((said.get("name", ""), said.get("value", "")))
        elif self.forms and tag == "input" and "name" in said:
            self._input(said)

    def _input(self, said: dict[str, str]) -> None:
        ticked = said.get("type") not in {"checkbox", "radio"} or "checked" in said
        if ticked:
            self.forms[-1].fields[said["name"]] = said.get("value", "on" if said.get("type") == "checkbox" else "")

    def handle_data(self, data: str) -> None:
        self.text.append(data)


@dataclass
class Page:
    """What the browser shows."""

    url: str
    status: int
    html: str
    policy: str

    @property
    def forms(self) -> list[Form]:
        """Its forms, in their order."""
        parser = _Forms()
        parser.feed(self.html)
        return parser.forms

    @property
    def text(self) -> str:
        """What a person reads, in one line."""
        parser = _Forms()
        parser.feed(self.html)
        return " ".join(" ".join(parser.text).split())

    def form_with(self, *names: str) -> Form:
        """The form that has these fields or buttons."""
        for form in self.forms:
            if set(names) <= set(form.fields) | {name for name, _ in form.buttons}:
                return form
        raise LookupError(f"no form with {names} at {self.url} ({self.status}): {self.text[:500]}")


class Browser:
    """One browser profile: cookies, redirects, and the content policy's `form-action`, which stops a redirect it does not name.

    `home`, where given, is the one origin it visits: a redirect elsewhere is shown, not followed.
    """

    def __init__(self, home: str = "") -> None:
        self._home = home
        self._http = httpx2.Client(follow_redirects=False, timeout=30, trust_env=False)

    def close(self) -> None:
        """Close every connection."""
        self._http.close()

    def open(self, url: str) -> Page:
        """Follow a link to where it leads."""
        return self._follow(self._http.get(url), allowed=None)

    def submit(self, page: Page, form: Form, **values: str) -> Page:
        """Fill in a form and send it."""
        target = urljoin(page.url, form.action or page.url)
        headers = {"origin": _origin(page.url), "referer": page.url}
        answer = self._http.post(target, data={**form.fields, **values}, headers=headers)
        return self._follow(answer, allowed=_form_action(page))

    def _follow(self, answer: httpx2.Response, allowed: set[str] | None) -> Page:
        for _ in range(MOST_REDIRECTS):
            if answer.status_code not in {301, 302, 303, 307, 308}:
                return Page(str(answer.url), answer.status_code, answer.text, answer.headers.get("content-security-policy", ""))
            target = urljoin(str(answer.url), answer.headers["location"])
            if allowed is not None and _origin(target) not in allowed | {_origin(str(answer.url))}:
                raise PermissionError(f"the page's form-action {sorted(allowed)} does not lead to {_origin(target)}")
            if self._home and _origin(target) != self._home:
                return Page(target, answer.status_code, "", "")
            answer = self._http.get(target)
        raise RuntimeError("too many redirects")


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def _form_action(page: Page) -> set[str] | None:
    for directive in page.policy.split(";"):
        name, *sources = directive.split()
        if name == "form-action":
            return {_origin(page.url) if source == "'self'" else source for source in sources}
    return None


@dataclass(frozen=True)
class Owner:
    """Who owns the account on a hub."""

    email: str
    password: str
    url: str

    @contextmanager
    def browser(self, home: str = "") -> Iterator[Browser]:
        """A browser in which the owner is not yet signed in."""
        browser = Browser(home)
        try:
            yield browser
        finally:
            browser.close()

    def signed_in(self, browser: Browser, page: Page) -> Page:
        """Fill in the sign-in page, if that is what is shown."""
        if urlsplit(page.url).path != "/sign-in/":
            return page
        return browser.submit(page, page.form_with("email", "password"), email=self.email, password=self.password)

    def authorize(self, url: str, decision: str = "allow", *, land: bool = True) -> tuple[Page, Page]:
        """Follow a client's authorization link to its end: the consent page, and the client's own page.

        Without `land` nobody listens at the client's address: its page is only the address the browser was sent to.
        """
        with self.browser("" if land else self.url) as browser:
            consent = self.signed_in(browser, browser.open(url))
            form = consent.form_with("decision")
            assert ("decision", decision) in form.buttons
            return consent, browser.submit(consent, form, decision=decision)

    def allow_chat(self, allowed: bool) -> None:
        """Turn the switch on the settings page."""
        with self.browser() as browser:
            page = self.signed_in(browser, browser.open(f"{self.url}/admin/settings/"))
            form = page.form_with("retention_days")
            form.fields.pop("allowed", None)
            answer = browser.submit(page, form, **({"allowed": "on"} if allowed else {}))
            assert "Settings saved." in answer.text

    def connections(self) -> Page:
        """The page of connections."""
        with self.browser() as browser:
            return self.signed_in(browser, browser.open(f"{self.url}/admin/connections/"))

    def revoke_newest(self, client_name: str) -> str:
        """Find the newest connection of a client by its name on the page, and revoke it; its id."""
        card = self.connections().html.split(client_name)[1]
        connection_id = card.split("<code>")[1].split("</code>")[0]
        self.revoke(connection_id)
        return connection_id

    def revoke(self, connection_id: str) -> None:
        """Press *Revoke* and confirm."""
        with self.browser() as browser:
            page = self.signed_in(browser, browser.open(f"{self.url}/admin/connections/{connection_id}/revoke/"))
            form = next(each for each in page.forms if each.action == "" and each.method == "post")
            answer = browser.submit(page, form)
            assert f"Connection {connection_id} is revoked." in answer.text


def main() -> None:
    """`browser.py CONFIG URL`: play the owner whom the file describes, and note what was seen beside it."""
    config = Path(sys.argv[1])
    said = json.loads(config.read_text())
    seen: dict[str, object] = {"opened": sys.argv[2]}
    try:
        consent, end = Owner(said["email"], said["password"], said["url"]).authorize(sys.argv[2], said["decision"])
        seen |= {"consent": consent.text, "landed": end.url.partition("?")[0], "status": end.status, "said": end.text[:300]}
    except Exception as error:
        seen["failed"] = repr(error)
        raise
    finally:
        with config.with_name("opened.jsonl").open("a") as log:
            log.write(json.dumps(seen) + "\n")


if __name__ == "__main__":
    main()
