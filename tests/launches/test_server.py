"""The launcher's line over a real socket, as the client's library opens it."""

import json
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from accounts import actions as accounts
from tests import make
from tests.launches.launcher import PATH, registered
from tests.live import serving

pytestmark = pytest.mark.django_db(transaction=True)
SECONDS = 10


def test_a_launcher_speaks_and_is_spoken_to_until_its_connection_is_revoked(alice: make.Person, settings: Any) -> None:
    launcher = registered(alice)
    with serving(settings) as address:
        where = address.replace("http", "ws", 1) + PATH
        token = make.token(alice, connection_=launcher.connection)  # for this address
        headers = {"Authorization": f"Bearer {token}", "Tertulia-Launch": launcher.body["credential"]}
        with pytest.raises(InvalidStatus):
            connect(where, additional_headers=headers, origin=Origin("http://evil.example"), open_timeout=SECONDS)
        with connect(where, additional_headers=headers, open_timeout=SECONDS) as line:
            assert json.loads(line.recv(SECONDS))["launch"] == launcher.body["key"]
            line.send(json.dumps({"type": "hook", "id": 5, "event": "none"}))
            assert heard(line, "hook") == {"type": "hook", "id": 5, "text": ""}
            accounts.revoke_connection(alice.actor, connection_id=launcher.connection.pk)
            with pytest.raises(ConnectionClosed) as closed:
                heard(line, "nothing of that kind")
    assert closed.value.rcvd is not None and closed.value.rcvd.code == 4401


def heard(line: Any, kind: str) -> Any:
    """The next frame of a kind."""
    while (frame := json.loads(line.recv(SECONDS)))["type"] != kind:
        pass
    return frame
