"""`galloper map`: a board, its faults, its valid moves and its picture."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from service.cli.commands.arguments import Board, board_names
from service.cli.program.results import AsJson, Quiet

map_app = typer.Typer(no_args_is_help=True, help="A board: its faults, its valid moves, its picture.")


@map_app.command("check", epilog="Example: galloper map check w3k")
def map_check(
    variant: Annotated[
        str, typer.Argument(metavar="V", help="A board, or the folder of one.", autocompletion=board_names)
    ],
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Report every fault of a board, with its file and row."""
    from service.cli.check_board import run_check

    raise typer.Exit(run_check(variant, sys.stdout, as_json=as_json, quiet=quiet))


@map_app.command("moves", epilog='Example: galloper map moves w3k "Lyme Bay" --unit F')
def map_moves(
    variant: Board,
    name: Annotated[str, typer.Argument(metavar="NAME", help="A region, in any spelling of a sheet.")],
    unit: Annotated[
        str | None, typer.Option("--unit", help="Only units of this kind, by its letter, such as A or F.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Every valid move from a region. It does not show whether a move is wise."""
    import maps
    from service.cli.check_board import run_moves

    raise typer.Exit(run_moves(maps.load(variant), name, unit, as_json=as_json, out=sys.stdout))


@map_app.command("draw", epilog="Example: galloper map draw w3k -o map.pdf")
def map_draw(
    variant: Board,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE", help="The file's ending is the format: svg, "
        "png or pdf.")
    ],
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Draw a board with the control of its opening position."""
    import maps
    from service.cli.draw_board import run_draw

    raise typer.Exit(run_draw(maps.load(variant), output, as_json=as_json, quiet=quiet))
