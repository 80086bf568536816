"""What the machine must give before the hub starts, and the one line when it does not."""

import os
import resource
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.errors import Conflict, DomainError, Invalid
from project.env import SettingError
from project.supervisor import place
from project.supervisor.arguments import hand_to_settings


@pytest.fixture
def taken_port() -> Iterator[int]:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield listener.getsockname()[1]


def test_a_port_in_use_is_refused_by_number(taken_port: int) -> None:
    with pytest.raises(Conflict, match=rf"^Port {taken_port} on 127\.0\.0\.1 is in use; .* choose another with --port\.$"):
        place.check_port("127.0.0.1", taken_port)


@pytest.mark.parametrize("host", ["203.0.113.9", "no such host", "a" * 300])
def test_a_host_of_another_machine_is_refused(host: str) -> None:
    with pytest.raises(Invalid, match="is no address of this machine"):
        place.check_port(host, 0)


def test_a_free_port_is_fine() -> None:
    place.check_port("127.0.0.1", 0)


def test_a_data_folder_has_one_hub_and_is_free_again_after_it(tmp_path: Path) -> None:
    with place.sole_hub(tmp_path):
        refusal = pytest.raises(Conflict, match=rf"already \(process {os.getpid()}\); stop it first, or set TERTULIA_HOME")
        with refusal, place.sole_hub(tmp_path):
            raise AssertionError("two hubs on one folder")
    with place.sole_hub(tmp_path):
        assert (tmp_path / "up.lock").stat().st_mode & 0o777 == 0o600


def test_the_limit_on_open_files_is_raised_to_what_the_system_allows() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))
        assert place.raise_open_files() == hard
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.parametrize(
    ("given", "host", "port"),
    [
        (["--port", "9000"], None, "9000"),
        (["--host=::1", "--port=9000", "--owner", "a@example.org"], "::1", "9000"),
        ([], None, None),
    ],
)
def test_host_and_port_reach_the_settings_of_every_process(
    monkeypatch: pytest.MonkeyPatch, given: list[str], host: str | None, port: str | None
) -> None:
    for name in ("TERTULIA_HOST", "TERTULIA_PORT"):
        monkeypatch.setenv(name, "kept")
        monkeypatch.delenv(name)
    hand_to_settings(given)
    assert (os.environ.get("TERTULIA_HOST"), os.environ.get("TERTULIA_PORT")) == (host, port)


@pytest.mark.parametrize("port", ["0", "65536", "http", "-1", "8760.5", ""])
def test_a_port_that_is_none_is_one_sentence(port: str) -> None:
    with pytest.raises(SettingError, match="; give a whole number from 1 to 65535"):
        hand_to_settings([f"--port={port}"])


def test_every_refusal_of_the_machine_is_one_line(taken_port: int) -> None:
    for host, port in (("127.0.0.1", taken_port), ("203.0.113.9", 1)):
        with pytest.raises(DomainError) as refusal:
            place.check_port(host, port)
        assert "\n" not in refusal.value.detail
        assert "Traceback" not in refusal.value.detail
