"""`galloper game`: a game is created, shown, changed, exported, and its sheets are printed."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from service.cli.commands.arguments import FormatName, Game, Lossy, NewFile, Site, known_format
from service.cli.program.results import AsJson, Quiet
from service.feature import GameChange, features

game_app = typer.Typer(
    no_args_is_help=True, help="A game: create it, show it, change it, export it, print its sheets."
)


def _seed_or_beacon(value: str) -> str:
    if value not in {"seed", "beacon"}:
        raise typer.BadParameter("write seed or beacon.")
    return value


@game_app.command("new", epilog="Example: galloper game new ~/galloper-site game.toml")
def game_new(
    folder: Site,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The game, as README.md shows it.")],
    as_json: AsJson = False,
    quiet: Quiet = False,
    **of_features: Any,
) -> None:
    """Create a game from a TOML file: its name, variant, first day and who plays which power."""
    from service.cli.games import create_game

    changes = [way(**{name: of_features[name] for name in inspect.signature(way).parameters})
               for way in _ways]
    raise typer.Exit(create_game(
        folder, file, sys.stdout, as_json=as_json, quiet=quiet, changes=changes))


_ways: list[Callable[..., GameChange]] = []
_NEW = inspect.signature(game_new, eval_str=True)


def new_game_options(ways: Sequence[Callable[..., GameChange]]) -> inspect.Signature:
    """The signature of `galloper game new` with the options of these ways to begin a game."""
    of_core = [each for each in _NEW.parameters.values() if each.kind is not each.VAR_KEYWORD]
    added = [each.replace(kind=each.POSITIONAL_OR_KEYWORD) for way in ways
             for each in inspect.signature(way, eval_str=True).parameters.values()]
    return _NEW.replace(parameters=[*of_core[:-2], *added, *of_core[-2:]])


def add_way_to_begin(way: Callable[..., GameChange]) -> None:
    """Add what a feature can do to a new game to `galloper game new` (`CommandGroups.new_game`)."""
    _ways.append(way)
    game_new.__signature__ = new_game_options(_ways)  # type: ignore[attr-defined]


# The program makes the options of a command from its signature, when it runs.
game_new.__signature__ = new_game_options(_ways)  # type: ignore[attr-defined]


@game_app.command("show", epilog="Example: galloper game show ~/galloper-site")
def game_show(folder: Site, as_json: AsJson = False) -> None:
    """Show the games of a site: phase, deadline, sheets that came in. Counts only before the deadline."""
    from service.cli.games import show_games

    raise typer.Exit(show_games(folder, sys.stdout, as_json=as_json))


@game_app.command("export", epilog=("Example: galloper game export ~/galloper-site powick-bridge "
                                    "powick-bridge.zip"))
def game_export(
    folder: Site,
    game: Game,
    output: NewFile,
    players: Annotated[
        bool, typer.Option("--players", help="For the players: only what all of them were sent.")
    ] = False,
    reason: Annotated[
        str, typer.Option("--reason", metavar="WORDS",
                          help="The reason for the whole archive while sheets are sealed; all players read "
                          "it.")
    ] = "",
    form: FormatName = None,
    lossy: Lossy = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Write a game into one file: its record, positions, photographs, mails and letters.

    With --format it writes what everybody may see, for another program (docs/formats.md).
    """
    from service.cli.archive import export_game

    if form is None:
        raise typer.Exit(export_game(folder, game, output, players=players, out=sys.stdout, reason=reason,
                                     as_json=as_json, quiet=quiet))
    exporters = {name: export for feature in features() for name, export in feature.exporters.items()}
    export = exporters[known_format(form, tuple(exporters))]
    raise typer.Exit(export(folder, game, output, form, sys.stdout, lossy=lossy, as_json=as_json,
                            quiet=quiet))


@game_app.command("import", epilog="Example: galloper game import ~/new-site powick-bridge.zip")
def game_import(
    folder: Site,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The game's whole archive.")],
    yes: Annotated[bool, typer.Option("--yes", help="Confirm the players and addresses.")] = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Continue a game on another site, from its whole archive. Every digest is checked first; its players and
    addresses are shown for a yes."""
    from service.cli.archive import import_game

    raise typer.Exit(import_game(folder, file, sys.stdout, yes=yes, as_json=as_json, quiet=quiet))


@game_app.command("paper", epilog="Example: galloper game paper ~/galloper-site powick-bridge paper")
def game_paper(
    folder: Site,
    game: Game,
    output: Annotated[Path, typer.Argument(metavar="OUT", help="A folder for the PDF files.")],
    day: Annotated[
        str, typer.Option("--day", metavar="DAY", help="The day the letters are posted; today by default.")
    ] = "",
    units: Annotated[
        bool, typer.Option("--units", help="List each power's units below the lines of its sheet.")
    ] = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Print blank order sheets, envelopes and labels of a game into a folder. Envelopes carry home
    addresses."""
    from service.cli.print_paper import write_paper

    raise typer.Exit(write_paper(
        folder, game, output, day, sys.stdout, names_units=units, as_json=as_json, quiet=quiet))


@game_app.command("move-deadline", epilog=(
    "Example: galloper game move-deadline ~/galloper-site powick-bridge --to 2027-03-14 "
    "--why 'The post is on strike.'"))
def game_move_deadline(
    folder: Site,
    game: Game,
    day: Annotated[str, typer.Option("--to", metavar="DAY", help="The new day, such as 2027-03-14.")],
    why: Annotated[str, typer.Option("--why", help="The reason, in a sentence that every player reads.")],
    hour: Annotated[str, typer.Option("--hour", metavar="HH:MM", help="The new time, in GMT.")] = "07:00",
    phase: Annotated[
        str, typer.Option("--phase", metavar="PHASE",
                          help="The phase's number or title, such as 'Autumn 1642 retreats'; the open one "
                          "by default.")
    ] = "",
    later: Annotated[bool, typer.Option("--later", help="Move every later phase by the same time.")] = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Move a deadline, for a reason. Every player gets a letter, and it goes on record."""
    from service.cli.game_acts import Printing, move_deadline

    raise typer.Exit(move_deadline(folder, game, phase, day, hour, why, Printing(sys.stdout, as_json, quiet),
                                   later=later))


@game_app.command("set", epilog=(
    "Example: galloper game set ~/galloper-site powick-bridge units_on_map yes "
    "--why 'All players asked for it.'"))
def game_set(
    folder: Site,
    game: Game,
    option: Annotated[str, typer.Argument(metavar="OPTION", help="An option, by its name in the game file.")],
    value: Annotated[str, typer.Argument(
        metavar="VALUE", help="yes, no, a word of the option or a number; `default` resets it.")],
    why: Annotated[str, typer.Option("--why", help="The reason, in a sentence that every player reads.")],
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Change an option of a running game, for a reason. All players are informed in the next results."""
    from service.cli.game_acts import Printing, set_option

    raise typer.Exit(set_option(folder, game, option, value, why, Printing(sys.stdout, as_json, quiet)))


@game_app.command("new-key", epilog=(
    "Example: galloper game new-key ~/galloper-site powick-bridge --why 'The old server was sold.'"))
def game_new_key(
    folder: Site,
    game: Game,
    why: Annotated[str, typer.Option("--why", help="The reason, in a sentence for the record.")],
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Sign the game's receipts with another key from now on. All players are informed in the next results."""
    from service.cli.game_acts import Printing, change_key

    raise typer.Exit(change_key(folder, game, why, Printing(sys.stdout, as_json, quiet)))


@game_app.command("lots", epilog=(
    "Example: galloper game lots ~/galloper-site powick-bridge --without beacon "
    "--why 'It has not answered.'"))
def game_lots(
    folder: Site,
    game: Game,
    without: Annotated[str, typer.Option(
        "--without", metavar="seed|beacon", callback=_seed_or_beacon,
        help="What is missing: seed (the site's key is lost) or beacon (it does not answer).")],
    why: Annotated[str, typer.Option("--why", help="The reason, in a sentence that every player reads.")],
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Draw the lots of the closed phase without its seed or its beacon. It goes on record."""
    from service.cli.game_acts import Printing, settle_lots

    raise typer.Exit(settle_lots(folder, game, without, why, Printing(sys.stdout, as_json, quiet)))


@game_app.command("seat", epilog=(
    "Example: galloper game seat ~/galloper-site powick-bridge Montrose --player 'Ada Byron' "
    "--mail ada@example.org --why 'The former player has moved away.'"))
def game_seat(
    folder: Site,
    game: Game,
    power: Annotated[str, typer.Argument(metavar="[POWER]", help="Without it, every seat is shown.")] = "",
    player: Annotated[str, typer.Option("--player", metavar="NAME", help="The new player.")] = "",
    mail: Annotated[
        list[str] | None, typer.Option("--mail", metavar="ADDRESS", help="Their address; may be repeated.")
    ] = None,
    zone: Annotated[str, typer.Option("--zone", help="Their time zone.")] = "Europe/London",
    empty: Annotated[bool, typer.Option("--empty", help="Leave the seat empty.")] = False,
    why: Annotated[str, typer.Option("--why", help="The reason, in a sentence for the record.")] = "",
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Show who plays a power, give it to another player, or leave its seat empty. A new player gets a
    welcome."""
    from service.cli.game_acts import Holder, Printing, addresses_in, change_seat, show_seats

    printing = Printing(sys.stdout, as_json, quiet)
    changes = bool(player or mail or empty)
    if not changes and not why:
        raise typer.Exit(show_seats(folder, game, power, printing))
    if not power or empty == bool(player or mail):
        raise typer.BadParameter("give a power, and either --player with --mail, or --empty.")
    holder = Holder(player.strip(), zone.strip(), addresses_in(" ".join(mail or ())))
    raise typer.Exit(change_seat(folder, game, power, holder, why, printing))


@game_app.command("address", epilog=(
    "Example: galloper game address ~/galloper-site powick-bridge Montrose --add ada@example.com"))
def game_address(
    folder: Site,
    game: Game,
    power: Annotated[str, typer.Argument(metavar="POWER", help="The player's power.")],
    add: Annotated[
        list[str] | None, typer.Option("--add", metavar="ADDRESS", help="Accept orders from this address "
        "from now on.")
    ] = None,
    remove: Annotated[
        list[str] | None, typer.Option("--remove", metavar="ADDRESS", help="Refuse orders from this address "
        "from now on.")
    ] = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Add or remove mail addresses of the player of a power. A player keeps at least one."""
    from service.cli.game_acts import Printing, change_addresses

    if not add and not remove:
        raise typer.BadParameter("give an address with --add or --remove.")
    raise typer.Exit(change_addresses(folder, game, power, add or [], remove or [],
                                      Printing(sys.stdout, as_json, quiet)))
