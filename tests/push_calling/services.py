"""An authorization server and a push server behind it, on loopback, that tell what they were asked."""

import base64
import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from tests.loopback import serving

Answer = tuple[int, dict[str, str], Any]


class SignedService:
    """Both on one origin. `answers` maps a path to what is answered there instead; each request is noted in `asked`."""

    def __init__(self, **metadata: Any) -> None:
        self.asked: list[tuple[str, str, dict[str, str], dict[str, str]]] = []
        self.answers: dict[str, Callable[[dict[str, str]], Answer] | Answer] = {}
        self.tokens: list[str] = []
        self.challenges: dict[str, str] = {}
        self.metadata = metadata
        self.url = ""

    def answer(self, method: str, path: str, form: dict[str, str], headers: dict[str, str]) -> Answer:
        """What is answered to one request."""
        self.asked.append((method, path, form, headers))
        given = self.answers.get(path)
        if given is not None:
            return given(form) if callable(given) else given
        found = getattr(self, "_" + path.strip("/").replace("/", "_").replace(".", "").replace("-", "_"), None)
        return found(form, headers) if found is not None else (404, {}, {})

    def paths(self) -> list[str]:
        """Where it was asked, in order."""
        return [each[1] for each in self.asked]

    def forms(self, path: str) -> list[dict[str, str]]:
        """What was posted there."""
        return [form for _method, asked, form, _headers in self.asked if asked == path]

    def _mcp(self, form: dict[str, str], headers: dict[str, str]) -> Answer:
        if headers.get("authorization", "").removeprefix("Bearer ") in self.tokens:
            return 200, {}, {"jsonrpc": "2.0", "id": 1, "result": {}}
        said = f'Bearer resource_metadata="{self.url}/.well-known/oauth-protected-resource/mcp"'
        return 401, {"www-authenticate": said}, {}

    def _well_known_oauth_protected_resource_mcp(self, form: dict[str, str], headers: dict[str, str]) -> Answer:
        return 200, {}, {"resource": f"{self.url}/mcp", "authorization_servers": [self.url], "scopes_supported": ["push"]}

    def _well_known_oauth_authorization_server(self, form: dict[str, str], headers: dict[str, str]) -> Answer:
        said = {
            "issuer": self.url,
            "authorization_endpoint": f"{self.url}/authorize",
            "token_endpoint": f"{self.url}/token",
            "registration_endpoint": f"{self.url}/register",
            "response_types_supported": ["code"],
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": ["none"],
        }
        return 200, {}, {**said, **self.metadata}

    def _register(self, form: dict[str, str], headers: dict[str, str]) -> Answer:
        return 201, {}, {**form, "client_id": "hub-1"}

    def allow(self, address: str, **more: str) -> dict[str, str]:
        """What an owner who allows it brings back from the page at `address`."""
        asked = dict(parse_qsl(urlsplit(address).query))
        self.challenges["code-1"] = asked["code_challenge"]
        return {"code": "code-1", "state": asked["state"], **more}

    def _token(self, form: dict[str, str], headers: dict[str, str]) -> Answer:
        if form["grant_type"] == "authorization_code":
            digest = hashlib.sha256(form["code_verifier"].encode()).digest()
            if base64.urlsafe_b64encode(digest).decode().rstrip("=") != self.challenges.get(form["code"]):
                return 400, {}, {"error": "invalid_grant"}
        self.tokens.append(f"token-{len(self.tokens) + 1}")
        said = {"access_token": self.tokens[-1], "token_type": "bearer", "expires_in": 3600, "refresh_token": "refresh-2"}
        return 200, {}, said


@contextmanager
def signed_service(**metadata: Any) -> Iterator[SignedService]:
    """The two, until the end of the block."""
    service = SignedService(**metadata)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _any(self) -> None:
            raw = self.rfile.read(int(self.headers.get("content-length") or 0))
            form = json.loads(raw) if raw.startswith(b"{") else dict(parse_qsl(raw.decode()))
            headers = {name.lower(): value for name, value in self.headers.items()}
            status, more, said = service.answer(self.command, urlsplit(self.path).path, form, headers)
            body = said if isinstance(said, bytes) else json.dumps(said).encode()
            self.send_response(status)
            for name, value in {"content-type": "application/json", **more, "content-length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = do_DELETE = _any

        def log_message(self, *args: Any) -> None:
            """Be quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    service.url = f"http://127.0.0.1:{server.server_port}"
    with serving(server):
        yield service
