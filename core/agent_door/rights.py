"""What the agent's door may do to each table; a table that nobody declared is shut. Rows are deleted in none."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Model

from core.registry import Registry


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRights:
    """Of one table the columns that are read and those that are changed, and whether rows are added."""

    table: str
    read: frozenset[str]
    insert: bool = False
    update: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class WordIndex:
    """SQLite's index of words, an FTS5 table with tables of its own behind it, and the table of its marks.

    They are written within `trigger` alone, which a message's insertion sets off.
    """

    table: str
    marks: str
    trigger: str


tables: Registry[TableRights] = Registry("table of the agent's door")
word_indexes: Registry[WordIndex] = Registry("index of words")


def open_table(
    model: type[Model],
    *,
    read: Iterable[str] | None = None,
    hidden: Iterable[str] = (),
    insert: bool = False,
    update: Iterable[str] = (),
) -> None:
    """Declare a model's rights by the names of its fields: `read` (None: all) without those that are `hidden`."""
    every = [field.name for field in model._meta.concrete_fields]
    shown = set(every if read is None else read) - set(hidden)
    table = model._meta.db_table
    rights = TableRights(table=table, read=_columns(model, shown), insert=insert, update=_columns(model, update))
    tables.add(table, rights)


def _columns(model: type[Model], names: Iterable[str]) -> frozenset[str]:
    return frozenset(str(model._meta.get_field(name).column) for name in names)  # type: ignore[union-attr]
