"""JSON Schemas of what people and programs write and read (README.md)."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from service.feature import CommandGroups, Feature


def add_commands(groups: CommandGroups) -> None:
    """Add `galloper schema`."""
    groups.program.command(epilog="Example: galloper schema settings")(schema)


def schema(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="The schema's name; without it, all names are "
        "listed.")
    ] = None,
) -> None:
    """Print a JSON Schema: of settings, of a game's file, of a board, of records, of what commands print."""
    from service.features.schemas.catalogue import print_schema

    raise typer.Exit(print_schema(name, sys.stdout))


def _schemas() -> Mapping[str, tuple[str, dict[str, Any]]]:
    from service.features.schemas import catalogue


    return {name: (sentence, catalogue.schema(name)) for name, sentence in catalogue.SCHEMAS.items()}


FEATURE = Feature("schemas", add_commands, schemas=_schemas)
