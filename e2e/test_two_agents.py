"""Two agents of one owner, in two harnesses, each signed in by itself, talk."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from e2e.fake_model import Step, shown
from e2e.harness import Room
from e2e.hub import Hub, Peer
from e2e.test_claude_code import ClaudeCode, tool
from e2e.test_codex import NAME, Codex, step


def test_claude_code_asks_and_codex_answers(hub: Hub, bob: Peer, tmp_path: Path) -> None:
    claude, codex = ClaudeCode(hub, Room(tmp_path / "a", hub.owner)), Codex(hub, Room(tmp_path / "b", hub.owner))
    claude.add_and_sign_in()
    codex.add_and_sign_in()
    hub.wire.forget()
    start = bob.latest()
    asking = [
        Step(tool("chat_post"), {"body": "which port is free?", "session_name": "claude", "topic": "ports"}),
        Step(tool("chat_wait"), {"after": start, "exclude_sessions": ["claude"], "session_name": "claude"}),
    ]
    answering = [
        step("chat_wait", after=start, exclude_sessions=["codex"], session_name="codex"),
        Step("chat_post", lambda result: answer_to(result), f"mcp__{NAME}"),
    ]
    with ThreadPoolExecutor(2) as pool:
        codex_ran = pool.submit(codex.execute, answering)
        hub.wire.until(lambda each: each.rpc == "tools/call chat_wait" and bool(each.chunks), 90)
        _, claude_model = pool.submit(claude.prompt, asking).result()
        codex_model = codex_ran.result()
    question, reply = bob.read(start)
    assert (reply["session_name"], reply["body"]) == ("codex", "18400")
    assert (reply["reply_to"], reply["topic"]) == (question["seq"], "ports")
    assert [each["seq"] for each in shown(codex_model.results()[0])["messages"]] == [question["seq"]]
    assert [each["seq"] for each in shown(claude_model.results()[-1])["messages"]] == [reply["seq"]]
    assert question["connection_id"] != reply["connection_id"]


def answer_to(result: str) -> dict[str, object]:
    """A reply to the message that was heard."""
    (heard,) = shown(result)["messages"]
    return {"body": "18400", "reply_to": heard["seq"], "session_name": "codex"}
