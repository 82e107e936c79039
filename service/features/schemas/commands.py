"""`galloper schema`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from service.feature import CommandGroups


def add_commands(groups: CommandGroups) -> None:
    """Add `galloper schema`."""
    groups.program.command(epilog="Example: galloper schema settings")(schema)


def schema(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="Which one; without it, the list of all.")
    ] = None,
) -> None:
    """Print a JSON Schema: of settings, of a game's file, of a board, of records, of what commands print."""
    from service.features.schemas.catalogue import print_schema

    raise typer.Exit(print_schema(name, sys.stdout))
