"""stdio: a program of the owner's, its lines, its end."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from tests import make
from tests.asgi import run, sync, until
from tests.push_listening.holding import claimed, claimed_at, contents, held, state, until_state, until_stored
from tests.push_listening.servers import Server, playing
from triggers.models import PushServer

GREETS = """
import json, sys, os, time
def say(**more): print(json.dumps({"jsonrpc": "2.0", **more}), flush=True)
def push(content): say(method="channel/message", params={"channel": "ci", "content": content})
first = json.loads(sys.stdin.readline())
say(id=first["id"], result={"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": {}})
sys.stdin.readline()
"""


@pytest.fixture
def owner(db: None) -> make.Person:
    """Somebody who may have the hub run commands."""
    return make.person("alice@example.org", may_run_commands=True)


def program(who: make.Person, then: str, name: str = "prog", **more: Any) -> PushServer:
    argv = [sys.executable, "-c", GREETS + then]
    return sync(lambda: claimed(who, name, transport=PushServer.STDIO, url="", argv=argv, **more))


ANSWERS = """
print("Welcome to the server!", flush=True)
print("42", flush=True)
push("built")
asked = json.loads(sys.stdin.readline())
print("{not json", flush=True)
say(id=asked["id"], result={"ok": asked["method"]})
sys.stdin.read()
"""


def test_c_57_a_line_without_id_is_stored_one_with_an_id_answers_and_plain_text_is_dropped(owner: make.Person) -> None:
    async def body() -> None:
        async with held(program(owner, ANSWERS)) as connection:
            await until_state(connection.server, PushServer.LISTENING)
            assert await connection.call("do/it") == {"ok": "do/it"}
            assert await until_stored(1) == ["built"]

    run(body())
    assert contents() == ["built"]


def test_c_58_a_child_that_exits_is_disconnected_and_others_go_on(owner: make.Person) -> None:
    async def body() -> None:
        ends = program(owner, "push('last'); print('out of paper', file=sys.stderr, flush=True); os._exit(3)")
        async with playing(Server()) as server, held(claimed_at(owner, server, name="other")), held(ends):
            reason = await until_state(ends, PushServer.DISCONNECTED)
            assert reason == "The program ended with status 3: out of paper"
            await until(lambda: server.streams)
            await server.streams[0].push("ci", "still here")
            assert sorted(await until_stored(2)) == ["last", "still here"]
            assert state(ends)[0] == PushServer.DISCONNECTED

    run(body())


@pytest.mark.parametrize(("last", "stored"), [('{"method":"x","params":"last"}', ["first", "last"]), ('{"method":', ["first"])])
def test_a_last_line_without_an_end_is_heard_if_it_is_whole(owner: make.Person, last: str, stored: list[str]) -> None:
    async def body() -> None:
        row = program(owner, f"push('first'); sys.stdout.write({last!r}); sys.stdout.flush(); os._exit(0)")
        async with held(row):
            await until_state(row, PushServer.DISCONNECTED)
            await until_stored(len(stored))
        assert contents() == stored

    run(body())


def test_a_program_that_does_not_exist_is_told_to_its_owner(owner: make.Person) -> None:
    async def body() -> None:
        row = sync(lambda: claimed(owner, transport=PushServer.STDIO, url="", argv=["/does/not/exist"]))
        async with held(row):
            assert "installed on the hub's machine" in await until_state(row, PushServer.FAILED)

    run(body())


@pytest.mark.parametrize("code", ["", "import sys; sys.stdin.readline()", "import os; os.kill(os.getpid(), 9)"])
def test_a_program_that_dies_before_it_greets_is_disconnected(owner: make.Person, code: str) -> None:
    async def body() -> None:
        argv = [sys.executable, "-c", code]
        row = sync(lambda: claimed(owner, transport=PushServer.STDIO, url="", argv=argv))
        async with held(row):
            assert "The program " in await until_state(row, PushServer.DISCONNECTED)

    run(body())


def test_without_leave_to_run_commands_nothing_is_started(alice: make.Person) -> None:
    async def body() -> None:
        server = sync(lambda: PushServer.objects.create(**row_of(alice)))
        async with held(server) as connection:
            await until(lambda: connection.state == PushServer.FAILED)
            assert "may not run commands" in connection.reason

    run(body())


def row_of(who: make.Person) -> dict[str, Any]:
    from core import clock

    argv = [sys.executable, "-c", "raise SystemExit"]
    return {"account": who.account, "name": "x", "transport": PushServer.STDIO, "argv": argv, "created_at": clock.now()}


def test_the_program_sees_little_of_the_hub_and_what_its_owner_gave(owner: make.Person, monkeypatch: pytest.MonkeyPatch) -> None:
    from core.sealing import seal

    monkeypatch.setenv("DATABASE_URL", "postgresql://secret")

    async def body() -> None:
        variables = seal(json.dumps({"HUE_KEY": "k-1"}))
        async with held(program(owner, "push(json.dumps(dict(os.environ))); sys.stdin.read()", environment_encrypted=variables)):
            told = json.loads((await until_stored(1))[0])
            assert told["HUE_KEY"] == "k-1"
            assert not [name for name in told if name.startswith(("TERTULIA", "DATABASE", "DJANGO", "PYTEST"))]

    run(body())


def test_what_it_started_ends_with_it(owner: make.Person) -> None:
    async def body() -> None:
        forks = "import subprocess; push(str(subprocess.Popen(['sleep', '60']).pid)); sys.stdin.read()"
        async with held(program(owner, forks)):
            child = int((await until_stored(1))[0])
            assert is_running(child)
        await until(lambda: not is_running(child))

    run(body())


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z" and os.getpid() > 0
    except OSError:
        return False


def test_a_line_of_20_mb_is_let_go_and_counted(owner: make.Person) -> None:
    async def body() -> None:
        floods = "sys.stdout.write('{' + 'x' * 20_000_000 + '\\n'); push('after'); sys.stdin.read()"
        async with held(program(owner, floods)) as connection:
            assert await until_stored(1) == ["after"]
            await until(lambda: sync(lambda: PushServer.objects.get(pk=connection.server.pk).shed) == 1)

    run(body())


def test_it_speaks_lines_that_are_no_utf_8(owner: make.Person) -> None:
    async def body() -> None:
        raw = 'sys.stdout.buffer.write(b\'{"method":"x","params":"\\xff"}\\n\'); sys.stdout.flush(); sys.stdin.read()'
        async with held(program(owner, raw)):
            assert await until_stored(1) == ["\ufffd"]

    run(body())


def test_a_byte_order_mark_before_its_first_line_is_none_of_it(owner: make.Person) -> None:
    """As programs on .NET write it."""

    async def body() -> None:
        marked = GREETS.replace("import json, sys, os, time", r"import json, sys, os, time; sys.stdout.write('\ufeff')")
        argv = [sys.executable, "-X", "utf8", "-c", f"{marked}push('built'); sys.stdin.read()"]
        row = sync(lambda: claimed(owner, transport=PushServer.STDIO, url="", argv=argv))
        async with held(row):
            await until_state(row, PushServer.LISTENING)
            assert await until_stored(1) == ["built"]

    run(body())
