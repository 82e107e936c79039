"""The program `galloper`: every command of the contract, thin over the functions that do the work.

Results go to standard output, progress to standard error. Exit 0 on success, 2 on bad usage, 1 on failure
with one sentence that says what to do.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from adjudicator.errors import UserFacingError
from service.cli.extra_commands import add_extra_commands

app = typer.Typer(
    # A fault of ours keeps the traceback that Python writes.
    no_args_is_help=True, add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False,
    help=("Galloper takes postal Diplomacy orders in by mail, reads the handwriting, judges the turn and "
          "mails the results."),
)
map_app = typer.Typer(no_args_is_help=True, help="A board: its faults, its valid moves, its picture.")
game_app = typer.Typer(no_args_is_help=True, help="A game: create it, show it, export it, print its sheets.")
app.add_typer(map_app, name="map")
app.add_typer(game_app, name="game")
add_extra_commands(app)


@app.callback()
def add_own_boards() -> None:
    """For every command, add the boards of the folder that GALLOPER_BOARDS names."""
    # A site names the folder in its setting `boards`; commands without a site have no settings.
    boards = os.environ.get("GALLOPER_BOARDS", "")
    if boards:
        import maps

        maps.add_folder(Path(boards))


class Refusal(UserFacingError):
    """A fault that a person can correct. Its sentence is printed and the program ends with 1."""


def main() -> None:
    """Run the program and turn every refusal into one sentence on standard error."""
    try:
        app()
    # `galloper ... | head` closes the pipe early; that is no fault.
    except BrokenPipeError:
        raise SystemExit(1) from None
    except Exception as error:
        sentence = sentence_for(error)
        if sentence is None:
            raise
        print(f"galloper: {sentence}", file=sys.stderr)
        raise SystemExit(1) from None


def sentence_for(error: Exception) -> str | None:
    """The sentence for a fault that a person can correct; None for a fault of ours, which keeps its
    traceback."""
    if isinstance(error, UserFacingError):
        return str(error)
    if _is_database_error(error):
        reason = str(getattr(error, "orig", "")).strip().partition("\n")[0]
        return (f"The database cannot be used now ({reason}); check the disk and the setting database, and "
                f"try again.")
    # An OSError without the system's words was raised by a program, and so is a fault of ours.
    if isinstance(error, OSError) and error.strerror:
        subject = f"{error.filename}: " if error.filename else ""
        return f"{subject}{error.strerror}; check that it is there and that you may use it."
    return None


def _is_database_error(error: Exception) -> bool:
    # Not imported here: most commands use no database, and code that raises the error has loaded the module.
    module = sys.modules.get("sqlalchemy.exc")
    return module is not None and isinstance(error, module.OperationalError)


Variant = Annotated[
    str, typer.Option("--variant", metavar="V", help="A folder of maps/, such as w3k or standard.")
]
AsJson = Annotated[bool, typer.Option("--json", help="JSON lines instead of text.")]
PhaseName = Annotated[
    str | None, typer.Option("--phase", metavar="P", help="movement, retreat or adjustment.")
]


@app.command(epilog="Example: galloper init ~/galloper-site")
def init(folder: Annotated[Path, typer.Argument(metavar="DIR")]) -> None:
    """Write a commented settings file for a new site."""
    # Each command imports what it needs when it runs: `galloper --help` must load no network.
    from service.site_folder import write_settings

    path = write_settings(folder)
    print(f"Wrote {path}. Fill in the mailbox and the addresses, then run: galloper check {folder}")


@app.command(epilog="Example: galloper check ~/galloper-site")
def check(folder: Annotated[Path, typer.Argument(metavar="DIR")]) -> None:
    """Test the mailbox, sending, the clock, the disk and the reader of a site."""
    from service.cli.check_site import check_site

    raise typer.Exit(check_site(folder, sys.stdout))


@app.command(epilog="Example: galloper serve ~/galloper-site")
def serve(folder: Annotated[Path, typer.Argument(metavar="DIR")]) -> None:
    """Run a site: the poller, the workers, the scheduler and the desk in one process."""
    from service.cli.serve import run_site

    raise typer.Exit(run_site(folder))


@app.command(epilog="Example: galloper worker ~/galloper-site --threads 8")
def worker(
    folder: Annotated[Path, typer.Argument(metavar="DIR")],
    threads: Annotated[int, typer.Option("--threads", min=1, max=64, help="How many jobs run at once.")] = 4,
) -> None:
    """Run a worker for a site on PostgreSQL beside `galloper serve`. Any number may run, on any number of
    machines."""
    from service.cli.serve import run_worker

    raise typer.Exit(run_worker(folder, threads))


@app.command(epilog="Example: galloper user ~/galloper-site Ada")
def user(
    folder: Annotated[Path, typer.Argument(metavar="DIR")],
    name: Annotated[str, typer.Argument(metavar="NAME")]
) -> None:
    """Let someone sign in at the desk, or give a new password. Asks for it, or reads a line of standard
    input."""
    from service.cli.users import add_user

    raise typer.Exit(add_user(folder, name, sys.stdout))


@app.command(epilog="Example: galloper backup ~/galloper-site ~/backups/monday.tar")
def backup(
    folder: Annotated[Path, typer.Argument(metavar="DIR")],
    output: Annotated[
        Path, typer.Argument(metavar="FILE", help="A new file; an existing one is never overwritten.")
    ],
) -> None:
    """Write a whole site into one file, while it runs: every table, photograph, mail and letter."""
    from service.cli.archive import backup_site

    raise typer.Exit(backup_site(folder, output, sys.stdout))


@app.command(epilog="Example: galloper restore ~/backups/monday.tar --drill")
def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE")],
    folder: Annotated[
        Path | None, typer.Argument(metavar="[DIR]", help="A site with settings and nothing else.")
    ] = None,
    drill: Annotated[
        bool, typer.Option("--drill", help="Restore to a temporary place, check it, and delete it.")
    ] = False,
) -> None:
    """Restore a backup into an empty site and check every digest. No letter leaves it until a person allows
    it."""
    from service.cli.archive import restore_site

    # A drill has no site, and a restore needs one.
    if drill == (folder is not None):
        raise typer.BadParameter("name the folder of an empty site, or use --drill.")
    raise typer.Exit(restore_site(file, folder, sys.stdout))


@app.command(epilog="Example: galloper verify powick-bridge.zip letters/*.eml")
def verify(
    archive: Annotated[Path, typer.Argument(metavar="ARCHIVE")],
    letters: Annotated[list[Path] | None, typer.Argument(metavar="[LETTER.eml...]")] = None,
) -> None:
    """Check a game's archive: its record, its photographs, its lots, the judge, and letters that were
    mailed."""
    from service.archive.verify import run_verify

    raise typer.Exit(run_verify(archive, letters or [], sys.stdout))


@app.command(epilog="Example: galloper read --variant w3k sheet.jpg --json")
def read(
    photos: Annotated[list[Path], typer.Argument(metavar="PHOTO...")],
    variant: Variant,
    phase: PhaseName = None,
    names: Annotated[
        Path | None, typer.Option("--names", help="A JSON list of names in place of the board's.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Read photographs of order sheets."""
    from service.cli.read import run_read

    _known_phase(variant, phase)
    raise typer.Exit(run_read(variant, phase, names, photos, as_json=as_json, out=sys.stdout))


@app.command(epilog="Example: echo 'Army London to Surrey' | galloper parse --variant w3k --phase movement")
def parse(
    variant: Variant,
    phase: Annotated[str, typer.Option("--phase", metavar="P", help="movement, retreat or adjustment.")],
    file: Annotated[Path | None, typer.Argument(metavar="[FILE]")] = None,
    as_json: AsJson = False,
) -> None:
    """Parse typed order lines, from standard input by default."""
    import maps
    from service.cli.parse import run_parse

    lines = _lines(file)
    raise typer.Exit(run_parse(maps.load(variant), phase, lines, as_json=as_json, out=sys.stdout))


@app.command(epilog="Example: galloper adjudicate --variant standard positions.jsonl")
def adjudicate(
    variant: Variant, file: Annotated[Path | None, typer.Argument(metavar="[FILE]")] = None
) -> None:
    """Judge positions: JSON lines in, JSON lines out."""
    import maps
    from service.cli.adjudicate import case_lines, run_adjudicate

    raise typer.Exit(run_adjudicate(maps.load(variant), case_lines(_bytes(file)), sys.stdout))


@app.command(epilog="Example: galloper intake --context context.json --index index.json --json *.eml")
def intake(
    mails: Annotated[list[Path], typer.Argument(metavar="EML...")],
    context: Annotated[Path, typer.Option("--context", help="JSON with games, addresses and trust.")],
    index: Annotated[Path | None, typer.Option("--index", help="JSON with receipt times and order.")] = None,
    as_json: AsJson = False,
) -> None:
    """The verdict on mails, without taking them in."""
    from service.cli.intake import run_intake

    raise typer.Exit(run_intake(context, index, mails, as_json=as_json, out=sys.stdout))


@map_app.command("check", epilog="Example: galloper map check w3k")
def map_check(variant: Annotated[str, typer.Argument(metavar="V")]) -> None:
    """Report every fault of a board, with its file and row."""
    from service.cli.check_board import run_check

    raise typer.Exit(run_check(variant, sys.stdout))


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
) -> None:
    """Read a board into our own tables, and check it."""
    from service.cli.import_board import run_import

    raise typer.Exit(run_import(source, folder, name=name, like=like, one_way=one_way, out=sys.stdout))


@map_app.command("moves", epilog='Example: galloper map moves w3k "Lyme Bay" --unit F')
def map_moves(
    variant: Annotated[str, typer.Argument(metavar="V")],
    name: Annotated[str, typer.Argument(metavar="NAME")],
    unit: Annotated[str | None, typer.Option("--unit", help="A or F.")] = None,
    as_json: AsJson = False,
) -> None:
    """Every valid move from a region. It does not say whether a move is wise."""
    import maps
    from service.cli.check_board import run_moves

    raise typer.Exit(run_moves(maps.load(variant), name, unit, as_json=as_json, out=sys.stdout))


@map_app.command("draw", epilog="Example: galloper map draw w3k -o map.pdf")
def map_draw(
    variant: Annotated[str, typer.Argument(metavar="V")],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE", help="svg, png or pdf by its ending.")
    ],
) -> None:
    """Draw a board with the control of its opening position."""
    import maps
    from service.cli.draw_board import run_draw

    raise typer.Exit(run_draw(maps.load(variant), output))


@game_app.command("new", epilog="Example: galloper game new ~/galloper-site game.toml")
def game_new(
    folder: Annotated[Path, typer.Argument(metavar="DIR")],
    file: Annotated[Path, typer.Argument(metavar="FILE")]
) -> None:
    """Create a game from a TOML file: its name, variant, first day and who plays which power."""
    from service.cli.games import create_game

    raise typer.Exit(create_game(folder, file, sys.stdout))


@game_app.command("show", epilog="Example: galloper game show ~/galloper-site")
def game_show(folder: Annotated[Path, typer.Argument(metavar="DIR")]) -> None:
    """Show the games of a site: phase, deadline, sheets that came in. Counts only before the deadline."""
    from service.cli.games import show_games

    raise typer.Exit(show_games(folder, sys.stdout))


@game_app.command("export", epilog=("Example: galloper game export ~/galloper-site powick-bridge "
                                    "powick-bridge.zip"))
def game_export(
    folder: Annotated[Path, typer.Argument(metavar="DIR")],
    game: Annotated[str, typer.Argument(metavar="GAME", help="The game's short name, as in its addresses.")],
    output: Annotated[
        Path, typer.Argument(metavar="FILE", help="A new file; an existing one is never overwritten.")
    ],
    players: Annotated[
        bool, typer.Option("--players", help="For the players: only what was sent to all.")
    ] = False,
) -> None:
    """Write a game into one file: its record, positions, photographs, mails and letters."""
    from service.cli.archive import export_game

    raise typer.Exit(export_game(folder, game, output, players=players, out=sys.stdout))


@game_app.command("import", epilog="Example: galloper game import ~/new-site powick-bridge.zip")
def game_import(
    folder: Annotated[Path, typer.Argument(metavar="DIR")],
    file: Annotated[Path, typer.Argument(metavar="FILE")]
) -> None:
    """Continue a game on another site, from its whole archive. Every digest is checked first."""
    from service.cli.archive import import_game

    raise typer.Exit(import_game(folder, file, sys.stdout))


@game_app.command("read-again", epilog="Example: galloper game read-again powick-bridge.zip --phase 3")
def game_read_again(
    archive: Annotated[Path, typer.Argument(metavar="ARCHIVE", help="A game's whole archive.")],
    phase: Annotated[
        int | None, typer.Option("--phase", metavar="N", help="Only this phase, by its number.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Read a game's old sheets with today's reader and compare. Changes nothing."""
    import maps
    from service.archive.reread import run_reread
    from service.intake.recognizer import EngineRecognizer

    raise typer.Exit(
        run_reread(archive, EngineRecognizer(), maps.load, phase, sys.stdout, sys.stderr, as_json=as_json)
    )


@game_app.command("paper", epilog="Example: galloper game paper ~/galloper-site powick-bridge paper")
def game_paper(
    folder: Annotated[Path, typer.Argument(metavar="DIR")],
    game: Annotated[str, typer.Argument(metavar="GAME", help="The game's short name, as in its addresses.")],
    output: Annotated[Path, typer.Argument(metavar="OUT", help="A folder for the PDF files.")],
    day: Annotated[
        str, typer.Option("--day", metavar="DAY", help="The day the letters are posted; today by default.")
    ] = "",
) -> None:
    """Print blank order sheets, envelopes and labels of a game into a folder. Envelopes carry home
    addresses."""
    from service.cli.print_paper import write_paper

    raise typer.Exit(write_paper(folder, game, output, day, sys.stdout))


def _known_phase(variant: str, phase: str | None) -> None:
    import maps

    # Which phases there are depends on the board: brittania has turns only.
    kinds = dict.fromkeys(kind.value for _, kind in maps.load(variant).calendar.steps)
    if phase is not None and phase not in kinds:
        raise typer.BadParameter(f"{variant} has no phase {phase!r}; it has {', '.join(kinds)}.")


def _bytes(file: Path | None) -> bytes:
    try:
        # Bytes and not text: a byte that is no UTF-8 spoils one case and not the whole file.
        return sys.stdin.buffer.read() if file is None else file.read_bytes()
    except OSError as error:
        raise Refusal(f"{file} cannot be read ({error.strerror}); check the name and try again.") from error


def _lines(file: Path | None) -> list[str]:
    try:
        text = sys.stdin.read() if file is None else file.read_text(encoding="utf-8")
    except OSError as error:
        raise Refusal(f"{file} cannot be read ({error.strerror}); check the name and try again.") from error
    except UnicodeDecodeError as error:
        name = "standard input" if file is None else file
        raise Refusal(f"{name} is not UTF-8 text (byte {error.start}); save it as UTF-8.") from error
    return text.splitlines()


if __name__ == "__main__":
    main()
