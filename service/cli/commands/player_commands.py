"""`galloper player`: what is kept of a player, and how it is forgotten."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from service.cli.commands.arguments import NewFile, Site
from service.cli.program.results import AsJson, Quiet

player_app = typer.Typer(
    no_args_is_help=True, help="A player: all that is kept of one as a file, or forget one.")

Who = Annotated[str, typer.Argument(metavar="PLAYER", help="A mail address, a name, or player-3.")]


@player_app.command("forget", epilog="Example: galloper player forget ~/galloper-site ada@example.org")
def player_forget(folder: Site, player: Who, as_json: AsJson = False, quiet: Quiet = False) -> None:
    """Forget a player whose games are over: name, addresses, photographs, mails and letters. Orders stay."""
    from service.cli.players import forget_player

    raise typer.Exit(forget_player(folder, player, sys.stdout, as_json=as_json, quiet=quiet))


@player_app.command("data", epilog="Example: galloper player data ~/galloper-site ada@example.org ada.zip")
def player_data(
    folder: Site, player: Who, output: NewFile, as_json: AsJson = False, quiet: Quiet = False
) -> None:
    """Write all that the site keeps of a player into one file, for that player."""
    from service.cli.players import player_data as write_data

    raise typer.Exit(write_data(folder, player, output, sys.stdout, as_json=as_json, quiet=quiet))
