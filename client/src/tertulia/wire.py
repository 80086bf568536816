"""One request to a hub and its JSON answer: bounded, never redirected, tried again while the hub is away for a moment."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from tertulia import __version__
from tertulia.address import is_loopback
from tertulia.inert import line
from tertulia.problems import CursorAhead, Problem, Refused
from tertulia.surroundings import world
from tertulia.voice import tell

if TYPE_CHECKING:
    import httpx

AWAY = frozenset({502, 503, 504})
TOO_MANY = 429
CONNECT_SECONDS, READ_SECONDS = 10.0, 20.0
LARGEST_ANSWER = 16 * 1024 * 1024
PATIENCE = 20.0
"""Seconds a command goes on trying while the hub is away: longer than a hub takes to start again."""
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 10.0


@dataclass(frozen=True, slots=True)
class Answer:
    """What the hub said. `data`: the JSON value, None where there is none."""

    status: int
    data: Any
    headers: Mapping[str, str]

    @property
    def object(self) -> dict[str, Any]:
        """The JSON object, empty where it is none."""
        return self.data if isinstance(self.data, dict) else {}


class _Away(Exception):
    """Worth another try. `pause`: seconds the hub asked for; `advice`: what to do when no try helped."""

    def __init__(self, sentence: str, pause: float = 0.0, advice: str = "") -> None:
        super().__init__(sentence)
        self.pause = pause
        self.advice = advice


class Wire:
    """Talks to one hub. Use as a context manager, or close it."""

    def __init__(self, hub: str) -> None:
        import httpx

        self.hub = hub
        direct = is_loopback(urlsplit(hub).hostname or "")  # no proxy leads to this machine itself
        self._http = httpx.Client(
            transport=world.transport() or (httpx.HTTPTransport() if direct else None),
            follow_redirects=False,
            timeout=httpx.Timeout(READ_SECONDS, connect=CONNECT_SECONDS),
            headers={"User-Agent": f"tertulia/{__version__}", "Accept": "application/json", "Accept-Encoding": "identity"},
        )

    def __enter__(self) -> "Wire":
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def send(
        self,
        method: str,
        path: str,
        *,
        token: str = "",
        query: Sequence[tuple[str, str]] = (),
        body: dict[str, Any] | None = None,
        form: dict[str, str] | None = None,
        read_seconds: float = READ_SECONDS,
        patience: float = PATIENCE,
    ) -> Answer:
        """Ask `path` (or a whole address) of the hub. Tried again for `patience` seconds after the first failure.

        Raises Problem for what is no answer of a hub; an error the hub itself reports is an answer like another.
        """
        request = self._http.build_request(
            method,
            urljoin(self.hub, path),
            params=tuple(query) or None,
            json=body,
            data=form,
            headers={"Authorization": f"Bearer {token}"} if token else {},
            timeout=self._timeout(read_seconds),
        )
        return self._until_it_answers(request, patience)

    def _timeout(self, read_seconds: float) -> Any:
        import httpx

        return httpx.Timeout(read_seconds, connect=min(CONNECT_SECONDS, read_seconds))

    def _until_it_answers(self, request: "httpx.Request", patience: float) -> Answer:
        failures = 0
        deadline = 0.0
        while True:
            try:
                return self._once(request)
            except _Away as away:
                now = world.monotonic()
                deadline = deadline or now + patience
                pause = max(away.pause, world.chance() * min(LONGEST_PAUSE, FIRST_PAUSE * 2**failures))
                if now + pause >= deadline:
                    raise Problem(f"{away}{away.advice}.") from None
                if not failures:
                    tell(f"{away}; trying again for {deadline - now:.0f} seconds.")
                failures += 1
                world.sleep(pause)

    def _once(self, request: "httpx.Request") -> Answer:
        with self._failures_told(), self._opened(request) as response:
            if 300 <= response.status_code < 400:
                raise self._led_away(response)
            raw = self._body(response)
        answer = Answer(response.status_code, self._parsed(response, raw), response.headers)
        if answer.status in AWAY or (answer.status == TOO_MANY and "retry-after" in answer.headers):
            said = _said(answer).rstrip(".")
            reason = said or f"The hub {self.hub} is not there at the moment (HTTP {answer.status})"
            advice = "" if said else "; try again later"
            raise _Away(reason, _seconds(answer.headers.get("retry-after", "")), advice)
        return answer

    @contextmanager
    def _opened(self, request: "httpx.Request") -> Iterator["httpx.Response"]:
        response = self._http.send(request, stream=True)
        try:
            yield response
        finally:
            response.close()

    @contextmanager
    def _failures_told(self) -> Iterator[None]:
        import httpx

        try:
            yield
        except httpx.TransportError as error:
            if "CERTIFICATE_VERIFY_FAILED" in str(error):
                raise Problem(
                    f"The certificate of {self.hub} is not trusted here; look at this machine's clock, "
                    "or name its file in SSL_CERT_FILE if it is your own."
                ) from None
            what, advice = _what_failed(error)
            raise _Away(f"The hub {self.hub} {what}", advice=advice) from None
        except httpx.RequestError:
            raise Problem(f"The hub {self.hub} sent an answer that cannot be read; ask whoever runs it.") from None

    def _led_away(self, response: "httpx.Response") -> Problem:
        target = urlsplit(urljoin(str(response.url), response.headers.get("location", "")))
        other = line(f"{target.scheme}://{target.netloc}", 120)
        if other == self.hub:
            return Problem(
                f"{self.hub} sends elsewhere instead of answering; look what stands before the hub, such as a proxy's sign-in."
            )
        return Problem(f"{self.hub} sends on to {other}, which is not followed; if that is your hub, run: tertulia login {other}")

    def _body(self, response: "httpx.Response") -> bytes:
        """Never unpacked: of a body packed twice a few bytes are more than all memory."""
        if response.headers.get("content-encoding", "identity").strip().lower() not in {"", "identity"}:
            raise Problem(f"The hub {self.hub} sent an answer that is packed, which was not asked for; ask whoever runs it.")
        raw = bytearray()
        for chunk in response.iter_bytes():
            raw += chunk
            if len(raw) > LARGEST_ANSWER:
                raise Problem(f"The hub {self.hub} sent an answer of more than {LARGEST_ANSWER >> 20} MiB; ask whoever runs it.")
        return bytes(raw)

    def _parsed(self, response: "httpx.Response", raw: bytes) -> Any:
        """The JSON value; None for an empty body, and for whatever a server or proxy writes about a failure."""
        if not raw:
            return None
        if "json" in response.headers.get("content-type", "").partition(";")[0]:
            try:
                return json.loads(raw, parse_constant=_refuse)
            except (ValueError, RecursionError):
                pass
        if response.status_code >= 500:
            return None
        raise Problem(
            f"{self.hub} answered with something that is not a hub's (HTTP {response.status_code}); "
            "look at the address, and whether a proxy or its sign-in page stands before the hub."
        )


def _refuse(constant: str) -> Any:
    raise ValueError(constant)  # NaN and the like are no JSON


def refusal(hub: str, answer: Answer, secrets: tuple[str, ...] = ()) -> Problem:
    """What an error answer says, as a Problem: the hub's own sentence and code, without a secret that it may have been told."""
    problem = _refusal(hub, answer, secrets)
    code = answer.object.get("error")
    problem.code = code if isinstance(code, str) else ""
    return problem


def _refusal(hub: str, answer: Answer, secrets: tuple[str, ...]) -> Problem:
    said = _said(answer)
    for secret in secrets:
        said = said.replace(secret, "…")
    if answer.status == 403:
        return Refused(said or f"The hub {hub} refuses this.")
    if answer.object.get("error") == "cursor_ahead":
        return CursorAhead(said)
    if said:
        return Problem(said)
    if answer.status == 404:
        return Problem(f"The hub {hub} does not know this address; it may be older than this client.")
    return Problem(f"The hub {hub} failed (HTTP {answer.status}); try again, or ask whoever runs it.")


def _said(answer: Answer) -> str:
    told = [answer.object.get(name) for name in ("detail", "error_description")]
    sentence = next((each for each in told if isinstance(each, str) and each.strip()), "")
    return line(" ".join(sentence.split()), 400)


def _seconds(text: str) -> float:
    return float(text) if text.isascii() and text.isdigit() and len(text) < 6 else 0.0


def _what_failed(error: "httpx.TransportError") -> tuple[str, str]:
    import httpx

    if isinstance(error, httpx.ConnectTimeout | httpx.ConnectError):
        return "cannot be reached", "; look at the address, and whether the hub runs"
    if isinstance(error, httpx.TimeoutException):
        return "took too long", "; try again later"
    return "broke off its answer", "; try again later"
