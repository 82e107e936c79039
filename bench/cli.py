"""`galloper bench`: figures as JSON lines. The module that measures a figure shows what it means.

Each command loads its measuring module only when it runs: the program reads this module at every start.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from bench.desk.parts import DeskPart
from bench.scale.parts import Arrivals, ScalePart, Sizes
from bench.storm.parts import Database, StormPart, StormSizes

app = typer.Typer(
    no_args_is_help=True, help="Figures as JSON lines: what, value, unit, and a peer's where there is one."
)
_STORM, _SCALE = StormSizes(), Sizes()


@app.callback(invoke_without_command=True, epilog="Example: galloper bench --compare docs")
def begin(
    context: typer.Context,
    compare: Annotated[
        Path | None,
        typer.Option("--compare", metavar="DIR",
                     help="Run the quick commands that made the figures of these documents, and print what "
                          "drifted."),
    ] = None,
) -> None:
    """Figures as JSON lines: what, value, unit, and a peer's where there is one."""
    if compare is not None:
        from bench.compare import compare as run

        raise typer.Exit(run(compare, sys.stdout, sys.stderr))
    if context.invoked_subcommand is None:
        raise typer.BadParameter("name a bench, or --compare with a folder of documents.")


@app.command(epilog="Example: galloper bench adjudicate --variant bretwalda --variant brittania")
def adjudicate(
    positions: Annotated[
        Path | None,
        typer.Argument(metavar="[FILE]", help="Positions as JSON lines; those of tests/data by default."),
    ] = None,
    variant: Annotated[
        list[str] | None,
        typer.Option("--variant", metavar="V", help="Only a full turn of this game; may be repeated."),
    ] = None,
) -> None:
    """The judge's speed and size, next to the packages diplomacy and pydip."""
    from bench.adjudicate.run import run

    raise typer.Exit(run(positions, sys.stdout, sys.stderr, variant or ()))


@app.command(epilog="Example: galloper bench read sheets/ --peers")
def read(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Photographs and their truth.json.")],
    peers: Annotated[
        bool, typer.Option("--peers", help="Read with plain RapidOCR and Tesseract too.")
    ] = False,
    without_tesseract: Annotated[
        bool, typer.Option("--without-tesseract", help="Beside each figure the same read without Tesseract.")
    ] = False,
    save: Annotated[Path | None, typer.Option("--save", help="Keep the readings as JSON lines.")] = None,
) -> None:
    """The reader's figures on sheets whose truth is known."""
    from bench.read.run import run

    raise typer.Exit(run(
        folder, peers=peers, save=save, out=sys.stdout, progress=sys.stderr,
        without_tesseract=without_tesseract,
    ))


@app.command(epilog="Example: galloper bench ingest --mails 8")
def ingest(
    mails: Annotated[
        int, typer.Option("--mails", min=1, max=16, help="How many mails, one after the other.")
    ] = 8,
) -> None:
    """How long a player waits for a receipt, on one core, with reading off and on."""
    from bench.ingest import run

    raise typer.Exit(run(mails, sys.stdout, sys.stderr))


@app.command(epilog="Example: galloper bench desk --part reading --part undo")
def desk(
    part: Annotated[
        list[DeskPart] | None, typer.Option("--part", help="Only this; may be repeated. All by default.")
    ] = None,
) -> None:
    """The desk's figures in a real browser: keys, times, what a killed server loses, first paint."""
    from bench.desk.run import run

    raise typer.Exit(run(part or [], sys.stdout, sys.stderr))


@app.command(epilog="Example: galloper bench paper --sheets 100")
def paper(
    sheets: Annotated[int, typer.Option("--sheets", min=1, help="How many blank sheets.")] = 100,
    first: Annotated[
        int, typer.Option("--first", min=0,
                                     help="The number of the first one; other numbers are other sheets.")
    ] = 0,
) -> None:
    """Whether the heading of a printed and photographed blank sheet is read back."""
    from bench.paper import run

    raise typer.Exit(run(sheets, first, sys.stdout, sys.stderr))


@app.command(epilog="Example: galloper bench letters")
def letters() -> None:
    """What a full set of results for ten powers, and the map, cost to draw and write, on one core."""
    from bench.letters import run

    raise typer.Exit(run(sys.stdout, sys.stderr))


@app.command(epilog="Example: galloper bench storm --part kill --database sqlite --mails 50 --kills 10")
def storm(
    part: Annotated[
        list[StormPart] | None, typer.Option("--part", help="Only this; may be repeated.")
    ] = None,
    database: Annotated[
        list[Database] | None, typer.Option("--database", help="Only on this; may be repeated.")
    ] = None,
    mails: Annotated[int, typer.Option("--mails", min=1, help="Mails of the kill storm.")] = _STORM.mails,
    kills: Annotated[int, typer.Option("--kills", min=1, help="Kills of the kill storm.")] = _STORM.kills,
    games: Annotated[
        int, typer.Option("--games", min=1, help="Games whose deadlines fall in one second.")
    ] = _STORM.games,
    few: Annotated[
        int, typer.Option("--few", min=1, help="Games they are compared with.")
    ] = _STORM.few_games,
    rate: Annotated[
        int, typer.Option("--rate", min=1, help="Mails for the rate of taking in.")
    ] = _STORM.rate_mails,
    minutes: Annotated[
        float, typer.Option("--minutes", min=0.1, help="Minutes of traffic in the soak.")
    ] = _STORM.minutes,
    pace: Annotated[
        float, typer.Option("--pace", min=0.1, help="How many times as fast that traffic passes.")
    ] = _STORM.pace,
    soak_games: Annotated[
        int, typer.Option("--soak-games", min=2, help="Games of the soak.")
    ] = _STORM.soak_games,
    mail_seconds: Annotated[
        float, typer.Option("--mail-seconds", min=0.1, help="Seconds between two mails of the soak.")
    ] = _STORM.mail_seconds,
    seed: Annotated[
        int, typer.Option("--seed", help="Another number kills at other instants.")
    ] = _STORM.seed,
) -> None:
    """What holds when processes are killed, deadlines coincide, mail pours in, and time passes."""
    from bench.storm.run import run

    sizes = StormSizes(
        mails=mails, kills=kills, games=games, few_games=few, rate_mails=rate, minutes=minutes, pace=pace,
        soak_games=soak_games, mail_seconds=mail_seconds, seed=seed,
    )
    raise typer.Exit(run(part or [], database or [], sizes, sys.stdout, sys.stderr))


@app.command(epilog="Example: galloper bench growth --games 2 --mails 10")
def growth(
    games: Annotated[
        int, typer.Option("--games", min=1, help="Games of the smaller half, each with one phase.")
    ] = 2,
    mails: Annotated[int, typer.Option("--mails", min=1, help="Mails of the smaller half.")] = 10,
) -> None:
    """What a site grows by, in bytes and processor time: for each game, mail and phase."""
    from bench import growth as measured

    raise typer.Exit(measured.run(measured.Sizes(games, mails), sys.stdout, sys.stderr))


@app.command(epilog="Example: galloper bench idle --seconds 60")
def idle(
    seconds: Annotated[
        float, typer.Option("--seconds", min=5.0, help="For how long the site is watched at rest.")
    ] = 60.0,
) -> None:
    """What a site without games and mails costs, and the commands that an operator gives."""
    from bench.idle import run

    raise typer.Exit(run(seconds, sys.stdout, sys.stderr))


@app.command(epilog="Example: galloper bench scale --part closing --at-once 2500")
def scale(
    part: Annotated[
        list[ScalePart] | None, typer.Option("--part", help="Only this; may be repeated. All by default.")
    ] = None,
    games: Annotated[
        list[int] | None,
        typer.Option("--games", min=30, help="Games of a season; may be repeated, the smallest first."),
    ] = None,
    closing: Annotated[
        int, typer.Option("--closing", min=1, help="Games that close on each such site.")
    ] = _SCALE.closing,
    mails: Annotated[int, typer.Option("--mails", min=1, help="Mails that come in there.")] = _SCALE.mails,
    approved: Annotated[
        int, typer.Option("--approved", min=1, help="Games whose results are sent there.")
    ] = _SCALE.approved,
    read_seconds: Annotated[
        float, typer.Option("--read-seconds", min=0.0, help="Processor seconds that a sheet is charged with.")
    ] = _SCALE.read_seconds,
    at_once: Annotated[
        int, typer.Option("--at-once", min=2, help="Games that close at one moment.")
    ] = _SCALE.at_once,
    around: Annotated[
        int, typer.Option("--around", min=0, help="Games beside them, whose deadlines are far away.")
    ] = _SCALE.around,
    processes: Annotated[
        int, typer.Option("--processes", min=1, help="Processes that close them.")
    ] = _SCALE.processes,
    sheets: Annotated[
        int, typer.Option("--sheets", min=8, help="Sheets that one, two and four workers read.")
    ] = _SCALE.sheets,
    share: Annotated[
        float, typer.Option("--share", min=0.05, max=1.0, help="The share of a core that each of them has.")
    ] = _SCALE.share,
    jobs: Annotated[
        int, typer.Option("--jobs", min=10, help="Jobs without work that go through the queue.")
    ] = _SCALE.jobs,
    arrivals: Annotated[
        list[Arrivals] | None, typer.Option("--arrivals", help="How mails come in a season. Both by default.")
    ] = None,
    last_day: Annotated[
        float, typer.Option("--last-day", min=0.0, max=1.0, help="With shares: mails of the last day.")
    ] = _SCALE.last_day,
    last_hour: Annotated[
        float, typer.Option("--last-hour", min=0.0, max=1.0, help="With shares: mails of the last hour.")
    ] = _SCALE.last_hour,
) -> None:
    """A site of many games on PostgreSQL: games that close at one moment, workers next to each other, a
    season on a simulated clock, and the queue alone."""
    from bench.scale.run import run

    sizes = Sizes(
        games=tuple(games or _SCALE.games), closing=closing, mails=mails, approved=min(approved, closing),
        read_seconds=read_seconds, at_once=at_once, around=around, processes=processes, sheets=sheets,
        share=share, jobs=jobs, arrivals=tuple(arrivals or _SCALE.arrivals), last_day=last_day,
        last_hour=last_hour)
    raise typer.Exit(run(tuple(part or ()), sizes, sys.stdout, sys.stderr))
