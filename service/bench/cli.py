"""`galloper bench`: figures as JSON lines. What each one means stands in the module that measures it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from service.bench.desk_parts import Part

app = typer.Typer(no_args_is_help=True, help="Figures as JSON lines: what, value, unit, and a peer's where there is one.")


@app.command(epilog="Example: galloper bench adjudicate positions.jsonl")
def adjudicate(
    positions: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="Positions as JSON lines; those of tests/data by default.")
    ] = None,
) -> None:
    """The judge's speed and size, beside the packages diplomacy and pydip."""
    from service.bench.adjudicate import run

    raise typer.Exit(run(positions, sys.stdout, sys.stderr))


@app.command(epilog="Example: galloper bench read sheets/ --peers")
def read(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Photographs and their truth.json.")],
    peers: Annotated[bool, typer.Option("--peers", help="Read with plain RapidOCR and Tesseract too.")] = False,
    save: Annotated[Path | None, typer.Option("--save", help="Keep the readings as JSON lines.")] = None,
) -> None:
    """The reader's figures on sheets whose truth is known."""
    from service.bench.read import run

    raise typer.Exit(run(folder, peers=peers, save=save, out=sys.stdout, progress=sys.stderr))


@app.command(epilog="Example: galloper bench ingest --mails 8")
def ingest(
    mails: Annotated[int, typer.Option("--mails", min=1, max=16, help="How many mails, one after the other.")] = 8,
) -> None:
    """How long a player waits for a receipt, on one core, with reading off and on."""
    from service.bench.ingest import run

    raise typer.Exit(run(mails, sys.stdout, sys.stderr))


@app.command(epilog="Example: galloper bench desk --part reading --part undo")
def desk(
    part: Annotated[list[Part] | None, typer.Option("--part", help="Only this; may be given again. All by default.")] = None,
) -> None:
    """The desk's figures in a real browser: keys, times, what a killed server loses, first paint."""
    from service.bench.desk import run

    raise typer.Exit(run(part or [], sys.stdout, sys.stderr))


@app.command(epilog="Example: galloper bench paper --sheets 100")
def paper(
    sheets: Annotated[int, typer.Option("--sheets", min=1, help="How many blank sheets.")] = 100,
    first: Annotated[int, typer.Option("--first", min=0, help="The number of the first one; another number, other sheets.")] = 0,
) -> None:
    """Whether a printed and photographed blank sheet gives its heading back."""
    from service.bench.paper import run

    raise typer.Exit(run(sheets, first, sys.stdout, sys.stderr))


@app.command(epilog="Example: galloper bench letters")
def letters() -> None:
    """What a full set of results for ten powers, and the map, cost to draw and word, on one core."""
    from service.bench.letters import run

    raise typer.Exit(run(sys.stdout, sys.stderr))
