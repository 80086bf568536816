"""The command line of a run: templates and their tokens. Pure."""

from collections.abc import Mapping, Sequence

TOKENS = ("message", "model", "session_id", "mcp_config")


def filled(template: Sequence[str], values: Mapping[str, str]) -> list[str]:
    """The arguments of a template, each token replaced within its own argument: nothing is split, no shell reads it.

    An argument that is a token alone whose value is empty goes, with the option before it (`--model {model}`). A message that
    begins like an option is set apart by a space.
    """
    words: list[str] = []
    for index, argument in enumerate(template):
        if argument[:1] == "{" and argument[-1:] == "}" and values.get(argument[1:-1]) == "":
            if index > 1 and words and words[-1].startswith("-") and words[-1] == template[index - 1]:
                words.pop()
            continue
        word = _replaced(argument, values)
        words.append(f" {word}" if argument == "{message}" and word.startswith("-") else word)
    return words


def _replaced(argument: str, values: Mapping[str, str]) -> str:
    """All tokens at once: what one of them brings in is never taken for another."""
    pieces, rest = [], argument
    while rest:
        found = [(rest.find("{" + name + "}"), name) for name in TOKENS if "{" + name + "}" in rest]
        if not found:
            break
        position, name = min(found)
        pieces += [rest[:position], values.get(name, "")]
        rest = rest[position + len(name) + 2 :]
    return "".join([*pieces, rest])


def takes_message(template: Sequence[str]) -> bool:
    """Whether the message is an argument; else it is written to standard input."""
    return any("{message}" in argument for argument in template)


def prompt(message: str, *, instructions: str, context: str, history: Sequence[Mapping[str, str]], most: int = 16_000) -> str:
    """What a program without a memory of its own is given: who it is, what it should know, what was said before, the message.

    A message with nothing around it stays as it is.
    """
    told = [part.strip() for part in (instructions, context) if part.strip()]
    before = _before(history, most)
    if not told and not before:
        return message
    parts = [*told]
    if before:
        parts.append(f"What was said in this session before (for your memory, not a task):\n{before}")
    return "\n\n".join([*parts, f"The message to answer now:\n{message}"])


def _before(history: Sequence[Mapping[str, str]], most: int) -> str:
    """The newest that fit. System entries are few and bounded, and their owner put them there: they stay."""
    lines: list[str] = []
    for each in reversed(history):
        line = f"[{each['role']}] {each['content']}"
        is_system = each["role"] == "system"
        most -= 0 if is_system else len(line)
        if is_system or most >= 0:
            lines.append(line)
    return "\n".join(reversed(lines))
