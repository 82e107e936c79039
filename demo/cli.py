"""The command `galloper demo`. Loads nothing heavy: the program reads this module at every start."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer()


@app.command("demo", epilog="Example: galloper demo --variant bretwalda --fast")
def play(
    variant: Annotated[str, typer.Option("--variant", metavar="V", help="The game that is played.")] = "w3k",
    fast: Annotated[
        bool, typer.Option("--fast", help="Play the whole turn automatically and check the result.")
    ] = False,
    hands: Annotated[
        bool, typer.Option("--hands", help="Read the doubtful lines yourself, at the desk in a browser.")
    ] = False,
    folder: Annotated[Path | None, typer.Option("--dir", help="Where the demo site is put.")] = None,
    keep: Annotated[bool, typer.Option("--keep", help="Keep the demo site afterwards.")] = False,
) -> None:
    """Watch photographed handwritten orders arrive by mail, be read, be judged, and the results leave."""
    from demo.play import run_demo

    if fast and hands:
        raise typer.BadParameter("--fast plays without you; choose --fast or --hands.")
    raise typer.Exit(run_demo(fast=fast, folder=folder, keep=keep, variant=variant, hands=hands))
