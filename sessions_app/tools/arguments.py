"""Arguments of tools that may be left out or must be made to fit, in few bytes of schema."""

from typing import Any

from pydantic import BeforeValidator, Field, WithJsonSchema

from sessions_app.numbers import within

NUMBER = WithJsonSchema({"type": "number"})


def text(description: str | None = None) -> Any:
    """A text that may be left out, in fewer bytes than `anyOf` with null and a default."""
    shape = {"type": "string"} | ({"description": description} if description else {})

    def lean(made: dict[str, Any]) -> None:
        made.clear()
        made.update(shape)

    return Field(default=None, json_schema_extra=lean)


def fitting(least: int, most: int | None, otherwise: int) -> BeforeValidator:
    """A number as `sessions_app.numbers.within` makes it fit."""
    return BeforeValidator(lambda given: within(given, least=least, most=most, otherwise=otherwise))
