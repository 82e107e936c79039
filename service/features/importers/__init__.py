"""Boards from the forms of other programs (README.md)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from service.cli.program.results import AsJson, Quiet
from service.feature import CommandGroups, Feature


def add_commands(groups: CommandGroups) -> None:
    """Add `galloper map import`."""
    groups.maps.command(
        "import", epilog="Example: galloper map import classic.map --out boards/classic")(map_import)


def map_import(
    source: Annotated[
        Path,
        typer.Argument(metavar="SOURCE", help="A folder of CSV tables, a .map file, or jDip's variants.xml."),
    ],
    folder: Annotated[
        Path,
        typer.Option("--out", metavar="FOLDER", help="A new folder for the board; its name is the board's."),
    ],
    name: Annotated[str, typer.Option("--name", help="The variant to take from variants.xml.")] = "",
    like: Annotated[
        str, typer.Option("--like", metavar="V", help="The board whose calendar, units and rules the new "
        "board gets.")
    ] = "standard",
    one_way: Annotated[bool, typer.Option("--one-way", help="Keep one-way borders.")] = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Read a board into our own tables, and check it."""
    from service.features.importers.import_board import run_import

    raise typer.Exit(run_import(source, folder, name=name, like=like, one_way=one_way, out=sys.stdout,
                                as_json=as_json, quiet=quiet))


FEATURE = Feature("importers", add_commands)
