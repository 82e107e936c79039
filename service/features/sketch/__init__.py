"""Sketch maps of boards that bring no drawing (README.md)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from service.cli.program.results import AsJson, Quiet
from service.feature import CommandGroups, Feature


def add_commands(groups: CommandGroups) -> None:
    """Add `galloper map sketch`."""
    groups.maps.command(
        "sketch", epilog='Example: galloper map sketch boards/classic --north "Barents Sea"')(map_sketch)


def map_sketch(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder of a board that has no map.")],
    north: Annotated[str, typer.Option("--north", metavar="P", help="A province for the top.")] = "",
    west: Annotated[str, typer.Option("--west", metavar="P", help="A province for the left.")] = "",
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Draw a board that brings no drawing: a sketch from its tables, in which what touches is adjacent."""
    from service.features.sketch.sketch_board import run_sketch

    raise typer.Exit(run_sketch(folder, north, west, sys.stdout, as_json=as_json, quiet=quiet))


FEATURE = Feature("sketch", add_commands)
