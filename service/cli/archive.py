"""A site's archives from the command line."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TextIO

import typer

from service.archive import away, copies, export
from service.archive.import_game import ImportFault, Receivers, import_archive
from service.cli.program.results import print_result
from service.clock import SystemClock
from service.games.acts.act import ActTable
from service.games.names import game_called
from service.jobs import DbosJobs
from service.operations import inspection
from service.site_folder import bring_up_to_date, new_path, opened, settings_of, unfinished_path
from service.store.blobs import open_blobs
from service.store.engine import open_engine
from service.version import version


def export_game(
    folder: Path, game: str, output: Path, *, players: bool, out: TextIO, reason: str = "",
    as_json: bool = False, quiet: bool = False
) -> int:
    """Write a game's archive into a new file. `reason`: why a whole one is made while sheets are sealed.
    Raises SiteError if the file exists, NoSuchGame, Refused."""
    settings = settings_of(folder)
    edition = export.Edition.PLAYERS if players else export.Edition.WHOLE
    missing: list[str] = []
    with opened(settings) as store:
        unfinished = unfinished_path(output)
        try:
            with store() as session:
                key = game_called(session, game).id
            away.bring_back(store, open_blobs(settings), key, SystemClock().now())
            with store.begin() as session:
                if edition is export.Edition.WHOLE:
                    table = ActTable(session, "galloper game export", SystemClock().now())
                    copies.enter_archive(table, key, reason)
            with store() as session, unfinished.open("w+b") as file:
                root = export.write_archive(
                    session, open_blobs(settings), key, edition, SystemClock().now(), version(), file,
                    missing)
            # The file gets its name only once it is whole: a cut-off archive is never taken for one.
            unfinished.replace(new_path(output))
            if missing:
                with store.begin() as session:
                    inspection.add_faulty(session, missing, SystemClock().now())
        finally:
            unfinished.unlink(missing_ok=True)
    size = output.stat().st_size
    print_result(
        out, "\n".join([
            f"Wrote {output}: {root.number} entries, {size // 1024} KB. Root {root.link}",
            *(f"Missing or damaged, and left out: {digest}" for digest in missing),
            f"Check it with: galloper verify {output}"]),
        {"file": str(output), "game": root.game_id, "edition": edition.value, "entries": root.number,
         "root": root.link, "bytes": size, "missing": missing}, as_json=as_json, quiet=quiet)
    return 0


def _are_right(receivers: Receivers) -> bool:
    """Show who would command and be written to, of whom the record has pseudonyms and digests alone, and ask
    whether that is right. Raises ImportFault where no one is there to answer."""
    for power, name, addresses in receivers.seats:
        to = " ".join(f"<{email}>" for email in addresses)
        print(f"{power}: {name or 'no player'} {to}", file=sys.stderr)
    for email, count in receivers.letters.items():
        print(f"Letters that wait for <{email}>, which is not a player's address: {count}", file=sys.stderr)
    if not sys.stdin.isatty():
        raise ImportFault("Nothing was imported. The record has only digests of addresses: check the "
                          "players and addresses above, and if they are right, repeat the command with "
                          "--yes.")
    return typer.confirm("Are these the right players and addresses?", err=True)


def import_game(
    folder: Path, file: Path, out: TextIO, *, yes: bool = False, as_json: bool = False, quiet: bool = False
) -> int:
    """Import a game from its whole archive. `yes`: its seats and addresses are right; without it they are
    shown and asked about. Raises ImportFault, and then nothing was imported."""
    settings = settings_of(folder)
    bring_up_to_date(settings)
    engine = open_engine(settings.database_url)
    try:
        queue = DbosJobs(engine)
        queue.prepare()
        root = import_archive(file, engine, open_blobs(settings), queue, SystemClock().now(),
                              agree=lambda receivers: yes or _are_right(receivers))
    finally:
        engine.dispose()
    print_result(
        out, f"{root.game_id} is here: {root.number} entries, unbroken. Root {root.link}\n"
             "No letter leaves this site until you allow it on the Health page. Announce the hand-over to "
             "the players on the page Letters.",
        {"game": root.game_id, "entries": root.number, "root": root.link}, as_json=as_json, quiet=quiet)
    return 0
