"""`galloper user`: who may sign in at the desk; `galloper player`: what is stored of a player, and how it is
forgotten.

`user` is a group of commands whose first command may be left out: `galloper user DIR NAME` is `galloper user
add DIR NAME`.
"""

from __future__ import annotations

import difflib
import sys
from pathlib import Path
from typing import Annotated

import typer
from typer.core import TyperGroup

from service.cli.commands.arguments import NewFile, Site
from service.cli.program.results import AsJson, Quiet

DEFAULT = "add"

player_app = typer.Typer(
    no_args_is_help=True, help="A player: export a player's data, or forget a player.")

Who = Annotated[str, typer.Argument(metavar="PLAYER", help="A mail address, a name, or player-3.")]


class GroupWithDefault(TyperGroup):
    """Takes the words after the group's name for those of `add`, unless they begin with another command."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
        """The words with `add` before them where no command was named."""
        if args and args[0] not in self.commands and not args[0].startswith("-") and not self._is_slip(
            args[0]
        ):
            args = [DEFAULT, *args]
        return super().parse_args(ctx, args)

    def _is_slip(self, word: str) -> bool:
        """Whether a word is a command that was misspelt, and no folder."""
        near = difflib.get_close_matches(word, list(self.commands), 1, 0.7)
        return bool(near) and not Path(word).expanduser().exists()


user_app = typer.Typer(
    no_args_is_help=True, cls=GroupWithDefault,
    help="People who can sign in at the desk. `galloper user DIR NAME` is short for `galloper user add DIR "
    "NAME`.",
)



@user_app.command("add", epilog="Example: galloper user add ~/galloper-site Ada")
def user_add(
    folder: Site, name: Annotated[str, typer.Argument(metavar="NAME", help="The person's name at the desk.")],
    as_json: AsJson = False, quiet: Quiet = False,
) -> None:
    """Let someone sign in at the desk, or give a new password. Asks for it, or reads a line of standard
    input."""
    from service.cli.users import add_user

    raise typer.Exit(add_user(folder, name, sys.stdout, as_json=as_json, quiet=quiet))


@user_app.command("list", epilog="Example: galloper user list ~/galloper-site")
def user_list(folder: Site, as_json: AsJson = False) -> None:
    """Show who may sign in at the desk, with which role."""
    from service.cli.users import list_users

    raise typer.Exit(list_users(folder, sys.stdout, as_json=as_json))


@user_app.command(
    "role", epilog="Example: galloper user role ~/galloper-site Ada coordinator --game powick-bridge")
def user_role(
    folder: Site, name: Annotated[str, typer.Argument(metavar="NAME", help="The name, as in `user list`.")],
    role: Annotated[str, typer.Argument(
        metavar="ROLE", help="coordinator, second-reader, operator or by-game; with --game, none is allowed "
        "too.")],
    game: Annotated[str, typer.Option(metavar="GAME", help="The role applies to this game only.")] = "",
    as_json: AsJson = False, quiet: Quiet = False,
) -> None:
    """Give someone another role, of the whole site or in one game."""
    from service.cli.users import change_role

    raise typer.Exit(change_role(folder, name, role, sys.stdout, game=game, as_json=as_json, quiet=quiet))


@user_app.command("remove", epilog="Example: galloper user remove ~/galloper-site Ada")
def user_remove(
    folder: Site, name: Annotated[str, typer.Argument(metavar="NAME", help="The name, as in `user list`.")],
    as_json: AsJson = False, quiet: Quiet = False,
) -> None:
    """Let someone sign in no longer, and sign them out everywhere. One coordinator always stays."""
    from service.cli.users import remove_user

    raise typer.Exit(remove_user(folder, name, sys.stdout, as_json=as_json, quiet=quiet))


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
