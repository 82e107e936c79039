"""Import a game's whole archive into another site, so that the game continues there.

Nothing is overwritten, and no letter leaves the site before a person says so.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from sqlalchemy import Engine, delete
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from adjudicator.errors import UserFacingError
from service.archive import backup, rows
from service.archive.archive_file import Archive, BrokenArchive, VerifyReport, read_archive
from service.archive.verify_files import check_chain, check_files
from service.archive.verify_game import check_game
from service.jobs import Jobs
from service.record import chain
from service.record.chain import sessions
from service.store import dump, records
from service.store.blobs import Blobs
from service.store.tables import RecordPendingRow

FOLDERS = ("photographs/", "pictures/", "mails/", "letters/")


class ImportFault(UserFacingError):
    """The game was not imported. The sentence says why, with the number of the entry where there is one."""


def import_archive(path: Path, engine: Engine, blobs: Blobs, jobs: Jobs | None, now: datetime) -> chain.Root:
    """Check an archive, load its game into a migrated database, and return the end of its record.

    1. Check the whole archive. 2. Store its files: a blob that nobody names does no harm. 3. Load the rows
    and compare them with the record, in one transaction. 4. Hold back letters and queue unfinished work.
    Raises ImportFault, and then no row was written.
    """
    archive = _checked(path)
    game = str(archive.manifest["game"])
    # Blobs first: a row must never name bytes that are not there yet.
    for data in _files(path):
        blobs.put(data)
    try:
        with engine.begin() as connection:
            if connection.dialect.name == "sqlite":
                connection.exec_driver_sql("BEGIN IMMEDIATE")
            rows.load(connection, archive.texts["tables.jsonl"].splitlines())
            dump.settle_counters(connection)
            # Each loaded row has its entry already, so none is pending.
            connection.execute(delete(RecordPendingRow))
            with Session(bind=connection, join_transaction_mode="create_savepoint") as session:
                _compare(session, archive, game)
    except IntegrityError as fault:
        raise ImportFault(
            f"The game {archive.manifest['name']} was not put in: this site has rows of the same numbers or "
            "names already, and nothing is written over. Put it into a new site."
        ) from fault
    except (KeyError, ValueError, TypeError) as fault:
        raise ImportFault(
            f"The game was not put in: tables.jsonl is damaged ({type(fault).__name__}: {fault})."
        ) from fault
    with sessions(engine).begin() as session:
        records.log_event(session, now, "game_imported", game_id=game, actor="galloper game import",
                          detail={"entries": len(archive.entries)})
    backup.hold_letters_and_requeue(engine, jobs, now, ("A game was put in from an archive. Its letters may "
                                                        "have left the site "
                                    "it came from."))
    with sessions(engine)() as session:
        return chain.root(session, game)


def _checked(path: Path) -> Archive:
    report = VerifyReport()
    try:
        archive = read_archive(path)
        check_chain(archive, report)
        if not report.faults:
            check_files(archive, report)
            check_game(archive, report)
    except BrokenArchive as fault:
        raise ImportFault(str(fault)) from fault
    if report.faults:
        raise ImportFault(f"{report.faults[0]} Nothing was put in.")
    if not archive.is_whole or "tables.jsonl" not in archive.texts:
        raise ImportFault(
            "A players' archive cannot be carried on: it has digests where sheets would be. Ask the "
            "coordinator for the whole one."
        )
    return archive


def _files(path: Path) -> Iterator[bytes]:
    with zipfile.ZipFile(path) as zipped:
        for name in zipped.namelist():
            if name.startswith(FOLDERS):
                yield zipped.read(name)


def _compare(session: Session, archive: Archive, game: str) -> None:
    """The loaded rows have the chain that was checked, and they agree with its facts. Raises ImportFault."""
    archived = [(entry.number, entry.link) for entry in archive.entries]
    root = chain.root(session, game)
    if [(row.number, row.link) for row in chain.entries(session, game)] != archived or (
        root.number,
        root.link,
    ) != archived[-1]:
        raise ImportFault("tables.jsonl has another record than record.jsonl. Nothing was put in.")
    number = rows.first_difference(session, game)
    if number is not None:
        raise ImportFault(f"tables.jsonl says otherwise than entry {number} of the record. Nothing was put "
                          f"in.")
