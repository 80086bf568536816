"""Asides: a reply that is nothing but one line such as `@channels list` is not the answer; it is answered, and the run goes on.

Each aside leads to tools of the hub, called by the run itself: it can do nothing that the run's token cannot.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from core.errors import DomainError
from core.registry import Registry
from sessions_app.runners.toolsets import OfferedTool

MOST_IN_A_ROW = 8
"""After so many a reply stands as it is: a model that only ever asks is not answered for ever."""
LINE = re.compile(r"@([a-z]+)(?:[ \t]+(\S.*))?")
Given = str | Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Aside:
    """What stands behind one name. `read(given)` says which tool is meant by words or by an object, and its arguments; it
    raises Invalid with a sentence for the model; `leads_to` names all the tools it may mean. `description` and `schema` offer
    it as a tool beside."""

    description: str
    schema: dict[str, Any]
    leads_to: frozenset[str]
    read: Callable[[Given], tuple[str, dict[str, Any]]]


asides: Registry[Aside] = Registry("aside")


def aside_in(reply: str) -> tuple[str, str] | None:
    """The name and the words of a reply that is an aside and nothing else, or None."""
    found = LINE.fullmatch(reply.strip())
    return (found[1], found[2] or "") if found is not None and found[1] in asides else None


class Answering:
    """Answers the asides of one run by the hub's tools that it may use without asking anybody."""

    def __init__(self, usable: Iterable[OfferedTool]) -> None:
        self._usable = {each.name: each for each in usable}

    async def answer(self, name: str, given: Given) -> str:
        """What the model is told; a refusal is an answer too."""
        try:
            return await self._called(name, given)
        except DomainError as refusal:
            return refusal.detail

    async def _called(self, name: str, given: Given) -> str:
        aside = asides.get(name)
        assert aside is not None
        tool, arguments = aside.read(given)
        if tool not in self._usable:
            return f"This run may not use {tool}; go on without it."
        return await self._usable[tool].call(arguments)

    def tools(self) -> list[OfferedTool]:
        """Each aside that leads somewhere as a tool of its name, where nothing else has that name."""
        mine = self._usable.keys()
        found = [(name, aside) for name, aside in asides.items() if name not in mine and aside.leads_to & mine]
        return [
            OfferedTool(name=name, description=aside.description, schema=aside.schema, call=partial(self._called, name))
            for name, aside in found
        ]
