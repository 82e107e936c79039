"""The program `galloper`: every command of the contract, thin over the functions that do the work.

Results go to standard output, progress to standard error. Exit 0 on success, 2 on bad usage, 1 on failure
with one sentence that says what to do, 130 after Ctrl-C.
"""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from adjudicator.errors import UserFacingError
from service.cli.extra_commands import add_extra_commands
from service.cli.program import faults
from service.cli.program.default_command import GroupWithDefault
from service.cli.program.results import AsJson, Quiet, print_result
from service.cli.program.run import run_program

app = typer.Typer(
    no_args_is_help=True, invoke_without_command=True, rich_markup_mode=None, pretty_exceptions_enable=False,
    help=("Galloper takes postal Diplomacy orders in by mail, reads the handwriting, judges the turn and "
          "mails the results."),
)
map_app = typer.Typer(no_args_is_help=True, help="A board: its faults, its valid moves, its picture.")
game_app = typer.Typer(
    no_args_is_help=True, help="A game: create it, show it, change it, export it, print its sheets."
)
user_app = typer.Typer(
    no_args_is_help=True, cls=GroupWithDefault,
    help="Who may sign in at the desk. `galloper user DIR NAME` is short for `galloper user add DIR NAME`.",
)
app.add_typer(map_app, name="map")
app.add_typer(game_app, name="game")
app.add_typer(user_app, name="user")
add_extra_commands(app)


@app.callback()
def begin(
    context: typer.Context,
    show_version: Annotated[
        bool, typer.Option("--version", help="Print the version of Galloper, of Python and of the system.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="With --version: as one JSON object.")] = False,
) -> None:
    # The callback of every command; its text would be the help of the whole program, which `app` has.
    # A site names the folder in its setting `boards`; commands without a site have no settings.
    boards = os.environ.get("GALLOPER_BOARDS", "")
    if show_version:
        print_version(as_json=as_json)
        raise typer.Exit
    if context.invoked_subcommand is None:
        raise typer.BadParameter("name a command, or --version.")
    if boards:
        import maps

        maps.add_folder(Path(boards))


def print_version(*, as_json: bool) -> None:
    """Print which Galloper, Python and system this is, on one line."""
    import json
    import platform

    from service.version import version

    names = {"galloper": version() or "not installed", "python": platform.python_version(),
             "platform": platform.platform()}
    print(json.dumps(names) if as_json
          else f"galloper {names['galloper']}, Python {names['python']}, {names['platform']}")


class Refusal(UserFacingError):
    """A fault that a person can correct. Its sentence is printed and the program ends with 1."""


def main() -> None:
    """Run the program."""
    raise SystemExit(run_program(app))


def _boards(incomplete: str) -> list[str]:
    """The boards whose names begin so, for the completion of a shell."""
    import maps

    return [name for name in maps.variants() if name.startswith(incomplete)]


Site = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a site, with its galloper.toml.")]
Game = Annotated[
    str, typer.Argument(metavar="GAME", help="A game's name, or its short name as in its addresses.")
]
Board = Annotated[
    str, typer.Argument(metavar="V", help="A board, such as w3k or standard.", autocompletion=_boards)
]
Variant = Annotated[
    str, typer.Option("--variant", metavar="V", help="The game that is played, such as w3k or standard.",
                      autocompletion=_boards)
]
PHASES = "movement, retreat or adjustment; turn on brittania."
PhaseName = Annotated[str | None, typer.Option("--phase", metavar="P", help=PHASES)]
FormatName = Annotated[
    str | None,
    typer.Option("--format", metavar="F", help="For another program: diplomacy, jdip, datc or cases.")
]
PlayedOn = Annotated[
    str, typer.Option("--variant", metavar="V", help="The board it is played on.", autocompletion=_boards)
]
Lossy = Annotated[
    bool, typer.Option("--lossy", help="Leave out what the format cannot hold, and say what that is.")
]
NewFile = Annotated[
    Path, typer.Argument(metavar="FILE", help="A new file; an existing one is never overwritten.")
]


@app.command(epilog="Example: galloper init ~/galloper-site")
def init(folder: Site, as_json: AsJson = False, quiet: Quiet = False) -> None:
    """Write a commented settings file for a new site."""
    # Each command imports what it needs when it runs: `galloper --help` must load no network.
    from service.cli.schemas import write_settings_schema
    from service.site_folder import write_settings

    path = write_settings(folder)
    write_settings_schema(folder)
    print_result(
        sys.stdout, f"Wrote {path}. Fill in the mailbox and the addresses, then run: galloper check {folder}",
        {"settings": str(path)}, as_json=as_json, quiet=quiet)


@app.command(epilog="Example: galloper check ~/galloper-site")
def check(folder: Site, as_json: AsJson = False, quiet: Quiet = False) -> None:
    """Test the mailbox, sending, the clock, the disk and the reader of a site."""
    from service.cli.check_site import check_site

    raise typer.Exit(check_site(folder, sys.stdout, as_json=as_json, quiet=quiet))


@app.command(epilog="Example: galloper login ~/galloper-site --provider microsoft --client-id 12ab34cd-...")
def login(
    folder: Site,
    provider: Annotated[str, typer.Option(help="Who runs the mailbox: google or microsoft.")],
    client_id: Annotated[str, typer.Option(help="The name under which you registered Galloper there.")],
    client_secret_file: Annotated[
        Path | None, typer.Option(help="A file with the secret of that name, if it has one.")
    ] = None,
    paste: Annotated[
        bool, typer.Option("--paste", help="The browser is on another machine: paste the address it ends at.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Let Galloper into a mailbox that takes no password: you allow it once, in a browser."""
    from service.cli.login import LoginOptions, log_in

    log_in(folder, LoginOptions(provider, client_id, client_secret_file, paste=paste), sys.stdout,
           as_json=as_json)


@app.command(epilog="Example: galloper serve ~/galloper-site")
def serve(folder: Site) -> None:
    """Run a site: the poller, the workers, the scheduler and the desk in one process."""
    from service.cli.serve import run_site

    raise typer.Exit(run_site(folder))


@app.command(epilog="Example: galloper worker ~/galloper-site --threads 8")
def worker(
    folder: Site,
    threads: Annotated[int, typer.Option("--threads", min=1, max=64, help="How many jobs run at once.")] = 4,
) -> None:
    """Run a worker for a site on PostgreSQL beside `galloper serve`. Any number may run, on any number of
    machines."""
    from service.cli.serve import run_worker

    raise typer.Exit(run_worker(folder, threads))


@user_app.command("add", epilog="Example: galloper user add ~/galloper-site Ada")
def user_add(
    folder: Site, name: Annotated[str, typer.Argument(metavar="NAME", help="As it is shown at the desk.")],
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


@user_app.command("remove", epilog="Example: galloper user remove ~/galloper-site Ada")
def user_remove(
    folder: Site, name: Annotated[str, typer.Argument(metavar="NAME", help="As `user list` shows it.")],
    as_json: AsJson = False, quiet: Quiet = False,
) -> None:
    """Let someone sign in no longer, and sign them out everywhere. One coordinator always stays."""
    from service.cli.users import remove_user

    raise typer.Exit(remove_user(folder, name, sys.stdout, as_json=as_json, quiet=quiet))


@app.command(epilog="Example: galloper backup ~/galloper-site ~/backups/monday.tar")
def backup(
    folder: Site,
    output: NewFile,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Write a whole site into one file, while it runs: every table, photograph, mail and letter."""
    from service.cli.archive import backup_site

    raise typer.Exit(backup_site(folder, output, sys.stdout, as_json=as_json, quiet=quiet))


@app.command(epilog="Example: galloper restore ~/backups/monday.tar --drill")
def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file that `galloper backup` wrote.")],
    folder: Annotated[
        Path | None, typer.Argument(metavar="[DIR]", help="A site with settings and nothing else.")
    ] = None,
    drill: Annotated[
        bool, typer.Option("--drill", help="Restore to a temporary place, check it, and delete it.")
    ] = False,
    key: Annotated[
        Path | None,
        typer.Option("--key", metavar="FILE", help="The secret key of age, for an encrypted backup."),
    ] = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Restore a backup into an empty site and check every digest. No letter leaves it until a person allows
    it."""
    from service.cli.archive import restore_site

    # A drill has no site, and a restore needs one.
    if drill == (folder is not None):
        raise typer.BadParameter("name the folder of an empty site, or use --drill.")
    raise typer.Exit(restore_site(file, folder, sys.stdout, key=key, as_json=as_json, quiet=quiet))


@app.command(epilog="Example: galloper migrate ~/galloper-site --check")
def migrate(
    folder: Annotated[Path, typer.Argument(metavar="DIR")],
    check: Annotated[
        bool, typer.Option("--check", help="Only say what is due: exit 0 up to date, 3 steps due, 4 newer.")
    ] = False,
    agreed: Annotated[
        bool, typer.Option("--yes", help="There is a backup of the PostgreSQL database: go on.")
    ] = False,
    target: Annotated[
        str | None,
        typer.Option("--to", metavar="URL-OR-FILE",
                     help="Move to this empty PostgreSQL database; a file holds an address with a password."),
    ] = None,
) -> None:
    """Bring a site's database to this program's tables, after a copy; or move it to PostgreSQL."""
    from service.cli.migrate import migrate_site, move_site

    if target is None:
        raise typer.Exit(migrate_site(folder, sys.stdout, check=check, agreed=agreed))
    if check or agreed:
        raise typer.BadParameter("--to goes with neither --check nor --yes.")
    raise typer.Exit(move_site(folder, target, sys.stdout, sys.stderr))


@app.command(epilog="Example: galloper verify powick-bridge.zip letters/*.eml")
def verify(
    archive: Annotated[Path, typer.Argument(metavar="ARCHIVE", help="A game's archive, as a ZIP file.")],
    letters: Annotated[
        list[Path] | None, typer.Argument(metavar="[LETTER.eml...]", help="Letters that were kept.")
    ] = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Check a game's archive: its record, its photographs, its lots, the judge, and letters that were
    mailed."""
    from service.archive.jailed import verify_in_child

    raise typer.Exit(verify_in_child(archive, letters or [], sys.stdout, as_json=as_json, quiet=quiet))


@app.command(epilog="Example: galloper read --variant w3k sheet.jpg --json")
def read(
    photos: Annotated[list[Path], typer.Argument(metavar="PHOTO...", help="JPEG, PNG, HEIC or PDF.")],
    variant: Variant,
    phase: PhaseName = None,
    names: Annotated[
        Path | None, typer.Option("--names", help="A JSON list of names in place of the board's.")
    ] = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Read photographs of order sheets."""
    from service.cli.read import run_read

    _known_phase(variant, phase)
    raise typer.Exit(run_read(variant, phase, names, photos, as_json=as_json, out=sys.stdout,
                             quiet=quiet))


@app.command(epilog="Example: echo 'Army London to Surrey' | galloper parse --variant w3k --phase movement")
def parse(
    variant: Variant,
    phase: Annotated[str, typer.Option("--phase", metavar="P", help=PHASES)],
    file: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="One order a line; else standard input.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Parse typed order lines, from standard input by default."""
    import maps
    from service.cli.parse import run_parse

    _known_phase(variant, phase)
    lines = _lines(file)
    raise typer.Exit(run_parse(maps.load(variant), phase, lines, as_json=as_json, out=sys.stdout))


@app.command(epilog="Example: galloper adjudicate --variant standard positions.jsonl")
def adjudicate(
    variant: Variant,
    file: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="One position a line; else standard input.")
    ] = None,
) -> None:
    """Judge positions: JSON lines in, JSON lines out."""
    import maps
    from service.cli.adjudicate import case_lines, run_adjudicate

    raise typer.Exit(run_adjudicate(maps.load(variant), case_lines(_bytes(file)), sys.stdout))


@app.command(epilog="Example: galloper intake --context context.json --index index.json --json *.eml")
def intake(
    mails: Annotated[list[Path], typer.Argument(metavar="EML...", help="Mails as files.")],
    context: Annotated[Path, typer.Option("--context", help="JSON with games, addresses and trust.")],
    index: Annotated[Path | None, typer.Option("--index", help="JSON with receipt times and order.")] = None,
    as_json: AsJson = False,
) -> None:
    """The verdict on mails, without taking them in."""
    from service.cli.intake import run_intake

    raise typer.Exit(run_intake(context, index, mails, as_json=as_json, out=sys.stdout))


@app.command(epilog="Example: galloper schema settings")
def schema(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="Which one; without it, the list of all.")
    ] = None,
) -> None:
    """Print a JSON Schema: of settings, of a game's file, of a board, of records, of what commands print."""
    from service.cli.schemas import print_schema

    raise typer.Exit(print_schema(name, sys.stdout))


@map_app.command("check", epilog="Example: galloper map check w3k")
def map_check(
    variant: Annotated[
        str, typer.Argument(metavar="V", help="A board, or the folder of one.", autocompletion=_boards)
    ],
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Report every fault of a board, with its file and row."""
    from service.cli.check_board import run_check

    raise typer.Exit(run_check(variant, sys.stdout, as_json=as_json, quiet=quiet))


@map_app.command("import", epilog="Example: galloper map import classic.map --out boards/classic")
def map_import(
    source: Annotated[
        Path,
        typer.Argument(metavar="SOURCE", help="A folder of CSV tables, a .map file, or jDip's variants.xml."),
    ],
    folder: Annotated[
        Path,
        typer.Option("--out", metavar="FOLDER", help="A new folder for the board; its name is the board's."),
    ],
    name: Annotated[str, typer.Option("--name", help="Which variant of a variants.xml.")] = "",
    like: Annotated[
        str, typer.Option("--like", metavar="V", help="The board whose calendar, units and rules it takes.")
    ] = "standard",
    one_way: Annotated[bool, typer.Option("--one-way", help="Keep one-way borders.")] = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Read a board into our own tables, and check it."""
    from service.cli.import_board import run_import

    raise typer.Exit(run_import(source, folder, name=name, like=like, one_way=one_way, out=sys.stdout,
                                as_json=as_json, quiet=quiet))


@map_app.command("moves", epilog='Example: galloper map moves w3k "Lyme Bay" --unit F')
def map_moves(
    variant: Board,
    name: Annotated[str, typer.Argument(metavar="NAME", help="A region, as sheets may write it.")],
    unit: Annotated[
        str | None, typer.Option("--unit", help="Only this kind of unit, by its letter, such as A or F.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Every valid move from a region. It does not say whether a move is wise."""
    import maps
    from service.cli.check_board import run_moves

    raise typer.Exit(run_moves(maps.load(variant), name, unit, as_json=as_json, out=sys.stdout))


@map_app.command("draw", epilog="Example: galloper map draw w3k -o map.pdf")
def map_draw(
    variant: Board,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE", help="svg, png or pdf by its ending.")
    ],
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Draw a board with the control of its opening position."""
    import maps
    from service.cli.draw_board import run_draw

    raise typer.Exit(run_draw(maps.load(variant), output, as_json=as_json, quiet=quiet))


@game_app.command("new", epilog="Example: galloper game new ~/galloper-site game.toml")
def game_new(
    folder: Site,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The game, as README.md shows it.")],
    rehearsal: Annotated[
        bool, typer.Option("--rehearsal", help="Only rehearse it, from now on; it can be removed again.")
    ] = False,
    hours: Annotated[
        float | None,
        typer.Option("--hours", min=0.25, max=72.0, help="Hours of each phase of a rehearsal; 4 by default."),
    ] = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Create a game from a TOML file: its name, variant, first day and who plays which power."""
    from service.cli.games import create_game
    from service.games.game_clock import DEFAULT_HOURS

    if hours is not None and not rehearsal:
        raise typer.BadParameter("--hours goes with --rehearsal only; a real game keeps the handbook's days.")
    length = (hours or DEFAULT_HOURS) if rehearsal else None
    raise typer.Exit(create_game(
        folder, file, sys.stdout, as_json=as_json, quiet=quiet, rehearsal_hours=length))


@game_app.command(
    "remove-rehearsal",
    epilog="Example: galloper game remove-rehearsal ~/galloper-site rehearsal-powick-bridge",
)
def game_remove_rehearsal(
    folder: Site,
    game: Annotated[str, typer.Argument(metavar="GAME", help="The rehearsal's short name.")],
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Remove a rehearsal without trace, while the site is not served. A real game is never removed."""
    from service.cli.games import remove_game

    raise typer.Exit(remove_game(folder, game, sys.stdout, as_json=as_json, quiet=quiet))


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
        bool, typer.Option("--players", help="For the players: only what was sent to all.")
    ] = False,
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
        raise typer.Exit(export_game(folder, game, output, players=players, out=sys.stdout, as_json=as_json,
                                     quiet=quiet))
    from service.cli.formats import export_format

    raise typer.Exit(export_format(folder, game, output, _known_format(form), sys.stdout, lossy=lossy,
                                   as_json=as_json, quiet=quiet))


@game_app.command("judge-again", epilog="Example: galloper game judge-again saved-games.jsonl")
def game_judge_again(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A game that another program saved.")],
    variant: PlayedOn = "standard",
    as_json: AsJson = False,
) -> None:
    """Judge every phase of a saved game again, and compare the results. Exit 1 if any differs."""
    from service.cli.formats import judge_again

    raise typer.Exit(judge_again(file, variant, sys.stdout, as_json=as_json))


@game_app.command("convert", epilog="Example: galloper game convert saved-game.json cases.txt --format datc")
def game_convert(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A game that another program saved.")],
    output: Annotated[Path, typer.Argument(metavar="OUT", help="A new file.")],
    form: Annotated[str, typer.Option("--format", metavar="F", help="What to write it as.")],
    variant: PlayedOn = "standard",
    lossy: Lossy = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Write a saved game in another format, each phase with our judge's results."""
    from service.cli.formats import convert

    raise typer.Exit(convert(file, output, variant, _known_format(form), sys.stdout, lossy=lossy,
                             as_json=as_json, quiet=quiet))


@game_app.command("import", epilog="Example: galloper game import ~/new-site powick-bridge.zip")
def game_import(
    folder: Site,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The game's whole archive.")],
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Continue a game on another site, from its whole archive. Every digest is checked first."""
    from service.cli.archive import import_game

    raise typer.Exit(import_game(folder, file, sys.stdout, as_json=as_json, quiet=quiet))


@game_app.command("read-again", epilog="Example: galloper game read-again powick-bridge.zip --phase 3")
def game_read_again(
    archive: Annotated[Path, typer.Argument(metavar="ARCHIVE", help="A game's whole archive.")],
    phase: Annotated[
        int | None, typer.Option("--phase", metavar="N", help="Only this phase, by its number.")
    ] = None,
    hand: Annotated[
        str, typer.Option("--hand", metavar="WHICH",
                          help="The hand to read with: then (as recorded), now (as learnt by now) or none.")
    ] = "then",
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Read a game's old sheets with today's reader and compare. Changes nothing."""
    import maps
    from service.archive.reread import ReadWith, run_reread
    from service.intake.sheets.recognizer import EngineRecognizer

    raise typer.Exit(
        run_reread(archive, EngineRecognizer(), maps.load, phase, sys.stdout,
                   io.StringIO() if quiet else sys.stderr, as_json=as_json,
                   read_with=ReadWith(_known_hand(hand)))
    )


@game_app.command("paper", epilog="Example: galloper game paper ~/galloper-site powick-bridge paper")
def game_paper(
    folder: Site,
    game: Game,
    output: Annotated[Path, typer.Argument(metavar="OUT", help="A folder for the PDF files.")],
    day: Annotated[
        str, typer.Option("--day", metavar="DAY", help="The day the letters are posted; today by default.")
    ] = "",
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Print blank order sheets, envelopes and labels of a game into a folder. Envelopes carry home
    addresses."""
    from service.cli.print_paper import write_paper

    raise typer.Exit(write_paper(folder, game, output, day, sys.stdout, as_json=as_json, quiet=quiet))


@game_app.command("move-deadline", epilog=(
    "Example: galloper game move-deadline ~/galloper-site powick-bridge --to 2027-03-14 "
    "--why 'The post is on strike.'"))
def game_move_deadline(
    folder: Site,
    game: Game,
    day: Annotated[str, typer.Option("--to", metavar="DAY", help="The new day, like 2027-03-14.")],
    why: Annotated[str, typer.Option("--why", help="The reason, in a sentence that every player reads.")],
    hour: Annotated[str, typer.Option("--hour", metavar="HH:MM", help="The new hour, in GMT.")] = "07:00",
    phase: Annotated[
        str, typer.Option("--phase", metavar="PHASE",
                          help="Its number, or words like 'Autumn 1642 retreats'; the open one by default.")
    ] = "",
    later: Annotated[bool, typer.Option("--later", help="Move every later phase by as much.")] = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Move a deadline, for a reason. Every player gets a letter, and it goes on record."""
    from service.cli.game_acts import Printing, move_deadline

    raise typer.Exit(move_deadline(folder, game, phase, day, hour, why, Printing(sys.stdout, as_json, quiet),
                                   later=later))


@game_app.command("seat", epilog=(
    "Example: galloper game seat ~/galloper-site powick-bridge Montrose --player 'Ada Byron' "
    "--mail ada@example.org --why 'The former player has moved away.'"))
def game_seat(
    folder: Site,
    game: Game,
    power: Annotated[str, typer.Argument(metavar="[POWER]", help="Without it every seat is shown.")] = "",
    player: Annotated[str, typer.Option("--player", metavar="NAME", help="Who plays it from now on.")] = "",
    mail: Annotated[
        list[str] | None, typer.Option("--mail", metavar="ADDRESS", help="Their address; may be repeated.")
    ] = None,
    zone: Annotated[str, typer.Option("--zone", help="Their time zone.")] = "Europe/London",
    empty: Annotated[bool, typer.Option("--empty", help="Leave the seat empty.")] = False,
    why: Annotated[str, typer.Option("--why", help="The reason, in a sentence. It stays on record.")] = "",
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
        raise typer.BadParameter("name a power, and either --player with --mail, or --empty.")
    holder = Holder(player.strip(), zone.strip(), addresses_in(" ".join(mail or ())))
    raise typer.Exit(change_seat(folder, game, power, holder, why, printing))


@game_app.command("address", epilog=(
    "Example: galloper game address ~/galloper-site powick-bridge Montrose --add ada@example.com"))
def game_address(
    folder: Site,
    game: Game,
    power: Annotated[str, typer.Argument(metavar="POWER", help="The power whose player it is.")],
    add: Annotated[
        list[str] | None, typer.Option("--add", metavar="ADDRESS", help="Orders from it count from now on.")
    ] = None,
    remove: Annotated[
        list[str] | None, typer.Option("--remove", metavar="ADDRESS", help="Orders from it are refused.")
    ] = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Add or remove mail addresses of the player of a power. A player keeps at least one."""
    from service.cli.game_acts import Printing, change_addresses

    if not add and not remove:
        raise typer.BadParameter("name an address with --add or --remove.")
    raise typer.Exit(change_addresses(folder, game, power, add or [], remove or [],
                                      Printing(sys.stdout, as_json, quiet)))


def _known_format(name: str) -> str:
    from adjudicator.formats.forms import Format

    if name not in set(Format):
        raise typer.BadParameter(f"there is no format {name!r}; there are {', '.join(Format)}.")
    return name


def _known_hand(which: str) -> str:
    from service.archive.reread import ReadWith

    if which not in set(ReadWith):
        raise typer.BadParameter(f"there is no hand {which!r}; say {', '.join(ReadWith)}.")
    return which


def _known_phase(variant: str, phase: str | None) -> None:
    import maps

    # Which phases there are depends on the board: brittania has turns only.
    kinds = dict.fromkeys(kind.value for _, kind in maps.load(variant).calendar.steps)
    if phase is not None and phase not in kinds:
        raise typer.BadParameter(f"there is no phase {phase} on {variant}."
                                 f"{faults.did_you_mean(phase, kinds)} Its phases are {', '.join(kinds)}.")


def _bytes(file: Path | None) -> bytes:
    try:
        # Bytes and not text: a byte that is no UTF-8 spoils one case and not the whole file.
        return sys.stdin.buffer.read() if file is None else file.read_bytes()
    except OSError as error:
        raise faults.unreadable(file, error) from error


def _lines(file: Path | None) -> list[str]:
    try:
        text = sys.stdin.read() if file is None else file.read_text(encoding="utf-8")
    except OSError as error:
        raise faults.unreadable(file, error) from error
    except UnicodeDecodeError as error:
        name = "standard input" if file is None else file
        raise Refusal(f"{name} is not UTF-8 text (byte {error.start}); save it as UTF-8.") from error
    return text.splitlines()


if __name__ == "__main__":
    main()
