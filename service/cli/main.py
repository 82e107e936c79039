"""The program `galloper`: every command of the contract, thin over the functions that do the work.

Results go to standard output, progress to standard error. Exit 0 on success, 2 on bad usage, 1 on failure
with one sentence that shows what to do, 130 after Ctrl-C.

Commands that are not part of the product: entry points of the group `galloper.commands`.

`bench` and `demo` are in the source tree and not in a wheel, but a wheel's metadata still names them. So a
command whose module is missing is listed, and answers with one sentence.
"""

from __future__ import annotations

import os
import sys
from importlib.metadata import entry_points
from pathlib import Path
from typing import Annotated

import typer

from adjudicator.errors import UserFacingError
from service.cli.commands.arguments import PHASES, PhaseName, Site, Variant
from service.cli.commands.game_commands import add_way_to_begin, game_app
from service.cli.commands.map_commands import map_app
from service.cli.commands.people_commands import player_app, user_app
from service.cli.program import faults
from service.cli.program.results import AsJson, Quiet, print_result
from service.cli.program.run import run_program
from service.feature import CommandGroups, features

GROUP = "galloper.commands"


class MissingCommand(UserFacingError):
    """A command whose module is not installed."""


def add_extra_commands(app: typer.Typer) -> None:
    """Add every entry point of the group: a Typer application of one command as that command, others as a
    group. That is what Typer does when it runs them by themselves."""
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
        try:
            extra: typer.Typer = entry.load()
        except ModuleNotFoundError as error:
            extra = _missing(entry.name, str(error.name))
        if len(extra.registered_commands) == 1:
            app.registered_commands.extend(extra.registered_commands)
        else:
            app.add_typer(extra, name=entry.name)


def _missing(name: str, module: str) -> typer.Typer:
    extra = typer.Typer()
    # Every option and argument is accepted, so that the sentence comes before a complaint about usage.
    anything = {"allow_extra_args": True, "ignore_unknown_options": True}

    @extra.command(name, help="Comes only with the source tree.", context_settings=anything)
    def explain() -> None:
        raise MissingCommand(f"`galloper {name}` comes with the source tree: get the source and run "
                             f"tools/setup in it. The Python module {module} is not installed here.")

    return extra


app = typer.Typer(
    no_args_is_help=True, invoke_without_command=True, rich_markup_mode=None, pretty_exceptions_enable=False,
    help=("Galloper receives postal Diplomacy orders by mail, reads the handwriting, judges the turn and "
          "mails the results."),
)
app.add_typer(map_app, name="map")
app.add_typer(game_app, name="game")
app.add_typer(player_app, name="player")
app.add_typer(user_app, name="user")
for feature in features():
    feature.add_commands(CommandGroups(
        app, game_app, map_app, player_app, user_app, add_way_to_begin))
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
        raise typer.BadParameter("give a command, or --version.")
    if boards:
        import maps

        maps.add_folder(Path(boards))


def print_version(*, as_json: bool) -> None:
    """Print which Galloper, Python and system this is, on one line."""
    import json
    import platform

    from service.version import commit, version

    names = {"galloper": version() or "not installed", "commit": commit(),
             "python": platform.python_version(), "platform": platform.platform()}
    made_from = f" ({names['commit']})" if names["commit"] else ""
    print(json.dumps(names) if as_json
          else f"galloper {names['galloper']}{made_from}, Python {names['python']}, {names['platform']}")


class Refusal(UserFacingError):
    """A fault that a person can correct. Its sentence is printed and the program ends with 1."""


def main() -> None:
    """Run the program."""
    raise SystemExit(run_program(app))


@app.command(epilog="Example: galloper init ~/galloper-site")
def init(folder: Site, as_json: AsJson = False, quiet: Quiet = False) -> None:
    """Write a commented settings file for a new site."""
    # Each command imports what it needs when it runs: `galloper --help` must load no network.
    from service.cli.model_schemas import write_settings_schema
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
    provider: Annotated[str, typer.Option(help="The mailbox's provider: google or microsoft.")],
    client_id: Annotated[str, typer.Option(help="The client id of Galloper at that provider.")],
    client_secret_file: Annotated[
        Path | None, typer.Option(help="A file with the secret of that client id, if there is a secret.")
    ] = None,
    paste: Annotated[
        bool, typer.Option("--paste", help="The browser is on another machine: paste the address of its "
        "last page.")
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
    threads: Annotated[int, typer.Option("--threads", min=1, max=64, help="The number of jobs that run at "
    "once.")] = 4,
    processes: Annotated[
        int, typer.Option("--processes", min=1, max=64,
                          help="The number of processes, best one for each core; each takes some 400 MB.")
    ] = 1,
) -> None:
    """Run a worker for a site on PostgreSQL next to `galloper serve`. Any number may run, on any number of
    machines."""
    from service.cli.serve import run_worker

    raise typer.Exit(run_worker(folder, threads, processes))


Check = Annotated[
    bool, typer.Option("--check", help="Only list the steps due: exit 0 up to date, 3 steps due, 4 database "
    "newer.")]
Agreed = Annotated[bool, typer.Option("--yes", help="Confirm that a backup of the PostgreSQL database "
"exists.")]


@app.command(epilog="Example: galloper upgrade ~/galloper-site --check")
def upgrade(
    folder: Annotated[Path, typer.Argument(metavar="DIR")], check: Check = False, agreed: Agreed = False
) -> None:
    """Bring a site's database to this program, after a copy. It may be interrupted at any time."""
    from service.cli.migrate import migrate_site

    raise typer.Exit(migrate_site(folder, sys.stdout, check=check, agreed=agreed))


@app.command(epilog="Example: galloper migrate ~/galloper-site --to postgresql://galloper@localhost/galloper")
def migrate(
    folder: Annotated[Path, typer.Argument(metavar="DIR")],
    check: Check = False,
    agreed: Agreed = False,
    target: Annotated[
        str | None,
        typer.Option("--to", metavar="URL-OR-FILE",
                     help="Move to this empty PostgreSQL database; write an address with a password into a "
                     "file."),
    ] = None,
) -> None:
    """Move a site from SQLite to PostgreSQL; without --to the same as `galloper upgrade`."""
    from service.cli.migrate import move_site

    if target is None:
        upgrade(folder, check, agreed)
        return
    if check or agreed:
        raise typer.BadParameter("--to goes with neither --check nor --yes.")
    raise typer.Exit(move_site(folder, target, sys.stdout, sys.stderr))


@app.command(epilog="Example: galloper read --variant w3k sheet.jpg --json")
def read(
    photos: Annotated[list[Path], typer.Argument(metavar="PHOTO...", help="Pictures or PDFs.")],
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
        Path | None, typer.Argument(metavar="[FILE]", help="A file with one order a line; standard input "
        "without it.")
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
        Path | None, typer.Argument(metavar="[FILE]", help="A file with one position a line; standard input "
        "without it.")
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


def _known_phase(variant: str, phase: str | None) -> None:
    import maps

    # Which phases there are depends on the board: brittania has turns only.
    kinds = dict.fromkeys(kind.value for _, kind in maps.load(variant).calendar.steps)
    if phase is not None and phase not in kinds:
        raise typer.BadParameter(f"{variant} has no phase {phase}."
                                 f"{faults.did_you_mean(phase, kinds)} Its phases are {', '.join(kinds)}.")


def _bytes(file: Path | None) -> bytes:
    try:
        # Bytes and not text: a byte that is not UTF-8 spoils one case and not the whole file.
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
