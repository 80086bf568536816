"""What an owner writes down of an agent or of a provider of models, checked before it is kept. Pure."""

import re
from dataclasses import dataclass, fields
from typing import Any

from core.errors import Invalid
from core.text import first_control_character
from sessions_app import keys

RUNNERS = ("connected", "command", "model")
PRESETS = ("", "claude", "codex", "pi")
VARIABLE = re.compile(r"^[A-Za-z_][A-Za-z0-9_]{0,63}$")
PATTERN = re.compile(r"^[A-Za-z0-9_.:/-]{1,127}\*?$")
OWN_NAMES = re.compile(r"^(TERTULIA_|DATABASE_URL$|REDIS_URL$|AGENT_DATABASE_URL$|LD_|DJANGO_)")
LONGEST_INSTRUCTIONS = 32_768
MOST_ARGUMENTS = 64
MOST_NAMES = 200
LONGEST_TIME = 86_400
MOST_OUTPUT = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentDraft:
    """An agent as its owner wants it; the words of `sessions_app.models.Agent`. `provider`: the id of one of his providers."""

    slug: str
    name: str = ""
    runner: str = "connected"
    enabled: bool = True
    sandboxed: bool = False
    instructions: str = ""
    provider: int | None = None
    model: str = ""
    subagent_model: str = ""
    model_names: tuple[str, ...] = ()
    preset: str = ""
    argv: tuple[str, ...] = ()
    environment: tuple[str, ...] = ()
    working_directory: str = ""
    timeout_seconds: int = 600
    output_bytes: int = 262_144
    tools: tuple[str, ...] = ()
    allow_agents: tuple[str, ...] = ()

    def columns(self) -> dict[str, Any]:
        """What is kept of it beside its slug and its provider."""
        kept = {each.name: getattr(self, each.name) for each in fields(self) if each.name not in {"slug", "provider"}}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in kept.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderDraft:
    """Where models answer. `key` None leaves the key that is kept; empty takes it away."""

    name: str
    base_url: str
    key: str | None = None
    model_names: tuple[str, ...] = ()


def check_agent(draft: AgentDraft) -> None:
    """Raises Invalid with the first thing that is wrong."""
    if not keys.SLUG.match(draft.slug):
        raise Invalid("An agent's id is 1 to 64 characters of a-z 0-9 - _ and begins with a letter or a digit.")
    if draft.runner not in RUNNERS:
        raise Invalid(f"The runner is one of {', '.join(RUNNERS)}.")
    _check_text("name", draft.name, 64)
    _check_text("instructions", draft.instructions, LONGEST_INSTRUCTIONS)
    for model in (draft.model, draft.subagent_model, *draft.model_names):
        _check_text("model", model, 128)
    _check_names("model names", draft.model_names)
    _check_numbers(draft)
    _check_patterns(draft)
    if draft.runner == "command":
        _check_command(draft)
    if draft.runner == "model" and draft.provider is None:
        raise Invalid("A model needs a provider: the address where it answers; make one first.")


def _check_command(draft: AgentDraft) -> None:
    if draft.preset not in PRESETS:
        raise Invalid("The preset is one of claude, codex and pi, or none.")
    if not draft.preset and not draft.argv:
        raise Invalid("Give the command, one argument a line, or choose a preset.")
    if len(draft.argv) > MOST_ARGUMENTS:
        raise Invalid(f"A command takes at most {MOST_ARGUMENTS} arguments.")
    for argument in draft.argv:
        if len(argument) > 4096 or "\0" in argument:
            raise Invalid("An argument is at most 4,096 characters and holds no NUL.")
    if draft.argv and not draft.argv[0].strip():
        raise Invalid("The command's first argument names the program.")
    if draft.argv and "{" in draft.argv[0]:
        raise Invalid("The program itself is fixed; put what changes into the arguments after it.")
    for name in draft.environment:
        if not VARIABLE.match(name):
            raise Invalid("The environment is a list of names such as ANTHROPIC_API_KEY, without values.")
        if OWN_NAMES.match(name.upper()):
            raise Invalid("The hub's own settings are not handed to commands; name other variables.")
    _check_text("working directory", draft.working_directory, 500)
    if draft.preset == "pi" and draft.working_directory:
        raise Invalid("Pi looks for its tools where it works, so it gets a folder of its own; leave the working directory empty.")
    if draft.working_directory and not draft.working_directory.startswith("/"):
        raise Invalid("Give the working directory from the root on, such as /srv/project.")


def _check_numbers(draft: AgentDraft) -> None:
    if not 1 <= draft.timeout_seconds <= LONGEST_TIME:
        raise Invalid(f"The time limit is 1 to {LONGEST_TIME:,} seconds.")
    if not 1024 <= draft.output_bytes <= MOST_OUTPUT:
        raise Invalid(f"The limit of output is 1,024 to {MOST_OUTPUT:,} bytes.")


def _check_patterns(draft: AgentDraft) -> None:
    for pattern in draft.tools:
        if pattern != "*" and not PATTERN.match(pattern):
            raise Invalid("A tool is named as it is called, or by its beginning and one * at the end, such as chat_*.")
    for agent in draft.allow_agents:
        if agent != "*" and not keys.SLUG.match(agent.strip().lower()):
            raise Invalid("Agents are named by their ids; * stands for all.")
    for given in (draft.tools, draft.allow_agents, draft.environment):
        _check_names("list", given)


def _check_names(what: str, given: tuple[str, ...]) -> None:
    if len(given) > MOST_NAMES:
        raise Invalid(f"The {what} takes at most {MOST_NAMES} entries.")


def _check_text(what: str, text: str, longest: int) -> None:
    if len(text) > longest or first_control_character(text) is not None:
        raise Invalid(f"The {what} is at most {longest:,} characters and holds no control characters.")


def check_provider(draft: ProviderDraft) -> None:
    """Raises Invalid; the address itself is checked by `core.addresses`."""
    if not draft.name.strip():
        raise Invalid("Give the provider a name.")
    _check_text("name", draft.name, 64)
    if "\n" in draft.name or len(draft.base_url) > 500:
        raise Invalid("The name is one line, and the address at most 500 characters.")
    if draft.key is not None and (len(draft.key) > 4096 or not draft.key.isascii() or not draft.key.isprintable()):
        raise Invalid("A key is at most 4,096 printable characters without accents.")
    _check_names("list of models", draft.model_names)
    for model in draft.model_names:
        _check_text("model", model, 128)
