"""JSON Schemas of what people and programs write and read (README.md)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from service.feature import Feature
from service.features.schemas.commands import add_commands


def _schemas() -> Mapping[str, tuple[str, dict[str, Any]]]:
    from service.features.schemas.catalogue import SCHEMAS, schema

    return {name: (sentence, schema(name)) for name, sentence in SCHEMAS.items()}


FEATURE = Feature("schemas", add_commands, schemas=_schemas)
