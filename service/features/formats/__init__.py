"""Games in the formats of other programs (README.md)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, TextIO

import typer

from service.cli.commands.arguments import Lossy, PlayedOn
from service.cli.program.results import AsJson, Quiet
from service.feature import CommandGroups, Feature

FORMATS = ("diplomacy", "jdip", "datc", "cases")
"""The values of `adjudicator.formats.forms.Format`, which only the commands themselves load."""


def add_commands(groups: CommandGroups) -> None:
    """Add `galloper game judge-again` and `convert`."""
    groups.games.command(
        "judge-again", epilog="Example: galloper game judge-again saved-games.jsonl")(game_judge_again)
    groups.games.command("convert", epilog=(
        "Example: galloper game convert saved-game.json cases.txt --format datc"))(game_convert)


def game_judge_again(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A saved game of another program.")],
    variant: PlayedOn = "standard",
    as_json: AsJson = False,
) -> None:
    """Judge every phase of a saved game again, and compare the results. Exit 1 if any differs."""
    from service.features.formats.saved_games import judge_again

    raise typer.Exit(judge_again(file, variant, sys.stdout, as_json=as_json))


def game_convert(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A saved game of another program.")],
    output: Annotated[Path, typer.Argument(metavar="OUT", help="A new file.")],
    form: Annotated[str, typer.Option("--format", metavar="F", help="The format of the new file.")],
    variant: PlayedOn = "standard",
    lossy: Lossy = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Write a saved game in another format, each phase with our judge's results."""
    from service.cli.commands.arguments import known_format
    from service.features.formats.saved_games import convert

    raise typer.Exit(convert(file, output, variant, known_format(form, FORMATS), sys.stdout, lossy=lossy,
                             as_json=as_json, quiet=quiet))


def export(
    folder: Path, game: str, output: Path, form: str, out: TextIO, *, lossy: bool, as_json: bool, quiet: bool
) -> int:
    """See `service.feature.GameExporter`."""
    from service.features.formats.saved_games import export_format

    return export_format(folder, game, output, form, out, lossy=lossy, as_json=as_json, quiet=quiet)


FEATURE = Feature("formats", add_commands, exporters=dict.fromkeys(FORMATS, export))
