"""Old sheets read again by the reader of today (README.md)."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Annotated

import typer

from service.cli.program.results import AsJson, Quiet
from service.feature import CommandGroups, Feature


def add_commands(groups: CommandGroups) -> None:
    """Add `galloper game read-again`."""
    groups.games.command("read-again", epilog=(
        "Example: galloper game read-again powick-bridge.zip --phase 3"))(game_read_again)


def game_read_again(
    archive: Annotated[Path, typer.Argument(metavar="ARCHIVE", help="A game's whole archive.")],
    phase: Annotated[
        int | None, typer.Option("--phase", metavar="N", help="Only this phase, by its number.")
    ] = None,
    hand: Annotated[
        str, typer.Option("--hand", metavar="WHICH",
                          help="The player's hand: then (as recorded), now (as learnt up to now) or none.")
    ] = "then",
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Read a game's old sheets with today's reader and compare. Changes nothing."""
    import maps
    from service.features.reread.reread import ReadWith, run_reread
    from service.intake.sheets.recognizer import EngineRecognizer

    if hand not in set(ReadWith):
        raise typer.BadParameter(f"there is no hand {hand!r}; write {', '.join(ReadWith)}.")
    raise typer.Exit(
        run_reread(archive, EngineRecognizer(), maps.load, phase, sys.stdout,
                   io.StringIO() if quiet else sys.stderr, as_json=as_json, read_with=ReadWith(hand)))


FEATURE = Feature("reread", add_commands)
