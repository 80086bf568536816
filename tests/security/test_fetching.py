"""Fetching a document from an address a stranger chose: a real TLS server of the stranger's, at the other end."""

import contextlib
import json
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from oauth2_provider.cimd import CIMDError
from oauth2_provider.settings import oauth2_settings

from accounts.oauth import fetching

HOST = "stranger.example"
TIME = 0.4
FOUND = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
Talk = Callable[[ssl.SSLSocket], None]
own_context = ssl.create_default_context


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Key and certificate of `HOST`, trusted here alone."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, HOST)])
    now = datetime.now(UTC)
    made = x509.CertificateBuilder(name, name, key.public_key(), 1, now - timedelta(days=1), now + timedelta(days=1))
    signed = made.add_extension(x509.SubjectAlternativeName([x509.DNSName(HOST)]), False).sign(key, hashes.SHA256())
    pem = serialization.Encoding.PEM
    private = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    file = tmp_path_factory.mktemp("tls") / "both.pem"
    file.write_bytes(private + signed.public_bytes(pem))
    return file


class Stranger:
    """A server that answers each connection by `talk`, in a thread of its own."""

    def __init__(self, certificate: Path) -> None:
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(certificate)
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.talk: Talk = lambda line: None
        self.speaks_tls = True
        self.requests: list[bytes] = []
        self.ended = threading.Event()
        threading.Thread(target=self._serve, daemon=True).start()

    def address(self, path: str = "/client.json") -> str:
        return f"https://{HOST}:{self._socket.getsockname()[1]}{path}"

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                line, _ = self._socket.accept()
                with line, contextlib.suppress(OSError):
                    if not self.speaks_tls:
                        self.ended.wait(5)
                        continue
                    with self._context.wrap_socket(line, server_side=True) as secure:
                        self.requests.append(secure.recv(4096))
                        self.talk(secure)

    def drip(self, line: ssl.SSLSocket) -> None:
        """A byte at a time, each well within any time a single read may take, until the other end is gone."""
        for _ in range(100):
            line.sendall(b" ")
            if self.ended.wait(TIME / 8):
                return

    def close(self) -> None:
        self.ended.set()
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()


@pytest.fixture
def stranger(certificate: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stranger]:
    monkeypatch.setattr(fetching, "_resolve_and_validate", lambda host, port: ["127.0.0.1"])
    monkeypatch.setattr(ssl, "create_default_context", lambda: own_context(cafile=str(certificate)))
    monkeypatch.setattr(oauth2_settings, "CIMD_FETCH_TIMEOUT_SECONDS", TIME)
    server = Stranger(certificate)
    yield server
    server.close()


def refused(stranger: Stranger, path: str = "/client.json") -> tuple[str, float]:
    began = time.monotonic()
    with pytest.raises(CIMDError) as refusal:
        fetching.GuardedFetcher().fetch(stranger.address(path))
    return str(refusal.value), time.monotonic() - began


def test_a_sound_document_is_read(stranger: Stranger) -> None:
    document = {"client_id": stranger.address(), "redirect_uris": ["http://127.0.0.1/cb"]}
    stranger.talk = lambda line: line.sendall(FOUND + b"Cache-Control: max-age=900\r\n\r\n" + json.dumps(document).encode())
    assert fetching.GuardedFetcher().fetch(stranger.address("/client.json?a=b")) == (document, 900)
    assert stranger.requests[0].startswith(b"GET /client.json?a=b HTTP/1.1\r\n")


def test_nothing_of_the_hubs_goes_along(stranger: Stranger) -> None:
    stranger.talk = lambda line: line.sendall(FOUND + b"\r\n{}")
    fetching.GuardedFetcher().fetch(stranger.address())
    names = {line.split(b":")[0].lower() for line in stranger.requests[0].split(b"\r\n")[1:] if line}
    assert names == {b"host", b"accept", b"connection", b"accept-encoding"}


def test_a_body_that_drips_is_cut_when_the_time_is_up(stranger: Stranger) -> None:
    def talk(line: ssl.SSLSocket) -> None:
        line.sendall(FOUND + b"Content-Length: 1000\r\n\r\n")
        stranger.drip(line)

    stranger.talk = talk
    assert TIME / 2 < refused(stranger)[1] < TIME * 4


def test_headers_that_drip_are_cut_when_the_time_is_up(stranger: Stranger) -> None:
    def talk(line: ssl.SSLSocket) -> None:
        line.sendall(FOUND + b"X: ")
        stranger.drip(line)

    stranger.talk = talk
    assert TIME / 2 < refused(stranger)[1] < TIME * 4


def test_a_handshake_that_never_comes_is_cut_when_the_time_is_up(stranger: Stranger) -> None:
    stranger.speaks_tls = False
    assert TIME / 2 < refused(stranger)[1] < TIME * 4


@pytest.mark.parametrize("status", ["301 Moved", "302 Found", "307 Temporary Redirect", "308 Permanent Redirect"])
def test_a_redirect_is_not_followed(stranger: Stranger, status: str) -> None:
    answer = f"HTTP/1.1 {status}\r\nLocation: https://169.254.169.254/latest\r\nContent-Length: 0\r\n\r\n".encode()
    stranger.talk = lambda line: line.sendall(answer)
    assert "returned HTTP 30" in refused(stranger)[0]
    assert len(stranger.requests) == 1


ANSWERS = {
    "too large": FOUND + b"\r\n" + b'{"a":"' + b"x" * 20_000 + b'"}',
    "compressed": FOUND + b"Content-Encoding: gzip\r\n\r\n\x1f\x8b\x08",
    "html": b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{}",
    "no type": b"HTTP/1.1 200 OK\r\n\r\n{}",
    "no JSON": FOUND + b"\r\n{",
    "a list": FOUND + b"\r\n[]",
    "nested": FOUND + b"\r\n" + b"[" * 15_000,
    "a long number": FOUND + b"\r\n" + b"9" * 5000,
    "no HTTP": b"SSH-2.0-OpenSSH_9\r\n",
    "nothing": b"",
    "many headers": b"HTTP/1.1 200 OK\r\n" + b"".join(b"X%d: y\r\n" % number for number in range(200)) + b"\r\n{}",
    "a long header": b"HTTP/1.1 200 OK\r\nX: " + b"y" * 70_000 + b"\r\n\r\n{}",
    "an error": b"HTTP/1.1 500 Oops\r\nContent-Type: application/json\r\n\r\n{}",
}


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
def test_any_other_answer_is_refused(stranger: Stranger, answer: bytes) -> None:
    stranger.talk = lambda line: line.sendall(answer)
    assert refused(stranger)[1] < TIME * 4


def test_a_server_that_cannot_prove_its_name_is_refused(stranger: Stranger) -> None:
    stranger.talk = lambda line: line.sendall(FOUND + b"\r\n{}")
    with pytest.raises(CIMDError, match="certificate"):
        fetching.GuardedFetcher().fetch(stranger.address().replace(HOST, "other.example"))


def test_an_address_is_looked_up_once_and_connected_to_as_it_was_found(
    stranger: Stranger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that answers with a public address first and a private one later gains nothing."""
    looked_up: list[str] = []
    monkeypatch.setattr(fetching, "_resolve_and_validate", lambda host, port: looked_up.append(host) or ["127.0.0.1"])
    monkeypatch.setattr(socket, "getaddrinfo", no_look_up(socket.getaddrinfo))
    stranger.talk = lambda line: line.sendall(FOUND + b"\r\n{}")
    fetching.GuardedFetcher().fetch(stranger.address())
    assert looked_up == [HOST]


def no_look_up(resolve: Callable[..., object]) -> Callable[..., object]:
    def inner(host: str, *args: object, **kwargs: object) -> object:
        assert host == "127.0.0.1", "a name was looked up again"
        return resolve(host, *args, **kwargs)

    return inner


@pytest.mark.parametrize(
    "address",
    [
        "https://[::1",
        "https://" + "a" * 70 + ".example/c",
        "https://a..b.example/c",
        "https://xn--\u00e9.example/c",
        "https://client.example/a b",
        "https://client.example/\u00e9",
        "https://[fe80::1%25eth0]/c",
        "https://0x7f000001/c",
        "https://2130706433/c",
        "https://127.1/c",
        "https://localhost./c",
        "https://[64:ff9b::10.0.0.1]/c",
        "https://[2002:0a00:0001::]/c",
        "https://0.0.0.0/c",
        "https://100.64.0.1/c",
    ],
)
def test_odd_spellings_of_an_address_reach_nothing_private(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*args: object, **kwargs: object) -> socket.socket:
        raise AssertionError("a connection was tried")

    monkeypatch.setattr(socket, "create_connection", never)
    monkeypatch.setattr(socket, "getaddrinfo", only_literals(socket.getaddrinfo))
    with pytest.raises(CIMDError):
        fetching.GuardedFetcher().fetch(address)


def only_literals(resolve: Callable[..., object]) -> Callable[..., object]:
    """Numbers and this machine's own name are looked up as ever; a name of the network is unknown."""

    def inner(host: str, *args: object, **kwargs: object) -> object:
        if host.rstrip(".").endswith("example"):
            host.encode("idna")
            raise socket.gaierror("unknown")
        return resolve(host, *args, **kwargs)

    return inner
