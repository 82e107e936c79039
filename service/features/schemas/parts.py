"""The parts that schemas are made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
FILLED: Schema = {"type": "string", "minLength": 1}
WHOLE: Schema = {"type": "integer"}
COUNT: Schema = {"type": "integer", "minimum": 0}
FLAG: Schema = {"type": "boolean"}
DIGEST: Schema = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
DAY: Schema = {"type": "string", "pattern": r"^\d{4}-\d\d-\d\d$"}
INSTANT: Schema = {"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$"}


def one_of(*values: str | type[StrEnum]) -> Schema:
    """A text out of a closed set."""
    texts: list[str] = []
    for value in values:
        texts += [value] if isinstance(value, str) else [member.value for member in value]
    return {"enum": texts}


def list_of(item: Schema, **limits: int) -> Schema:
    """A list whose elements are all of one kind. `limits`: minItems, maxItems."""
    return {"type": "array", "items": item, **limits}


def or_null(schema: Schema) -> Schema:
    """The same, or null."""
    return {"anyOf": [schema, {"type": "null"}]}


def table_of(value: Schema) -> Schema:
    """An object with any keys, whose values are all of one kind."""
    return {"type": "object", "additionalProperties": value}


def with_text(schema: Schema, description: str) -> Schema:
    """The same, with what it means."""
    return {**schema, "description": description}


def an_object(
    properties: Mapping[str, Schema], optional: Iterable[str] = (), *, closed: bool = True
) -> Schema:
    """An object with these keys, all of them needed but those of `optional`. `closed`: it has no others."""
    may_miss = set(optional)
    schema: Schema = {
        "type": "object",
        "properties": dict(properties),
        "required": [key for key in properties if key not in may_miss],
    }
    return schema | ({"additionalProperties": False} if closed else {})
