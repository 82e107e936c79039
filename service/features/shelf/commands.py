"""`galloper game shelve` and `unshelve`."""

from __future__ import annotations

import sys

import typer

from service.cli.commands.arguments import Game, Site
from service.cli.program.results import AsJson, Quiet
from service.feature import CommandGroups


def add_commands(groups: CommandGroups) -> None:
    """Add `galloper game shelve` and `unshelve`."""
    groups.games.command(
        "shelve", epilog="Example: galloper game shelve ~/galloper-site powick-bridge")(game_shelve)
    groups.games.command(
        "unshelve", epilog="Example: galloper game unshelve ~/galloper-site powick-bridge")(game_unshelve)


def game_shelve(folder: Site, game: Game, as_json: AsJson = False, quiet: Quiet = False) -> None:
    """Move the rows of a game that is over out of the database, into a file next to its photographs."""
    from service.features.shelf.shelve_game import shelve_game

    raise typer.Exit(shelve_game(folder, game, sys.stdout, as_json=as_json, quiet=quiet))


def game_unshelve(folder: Site, game: Game, as_json: AsJson = False, quiet: Quiet = False) -> None:
    """Bring back a game that is on the shelf. A page of it does so, too."""
    from service.features.shelf.shelve_game import unshelve_game

    raise typer.Exit(unshelve_game(folder, game, sys.stdout, as_json=as_json, quiet=quiet))
