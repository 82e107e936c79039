"""Import a game's whole archive into another site, so that the game continues there.

Nothing is overwritten, and no letter leaves the site before a person says so.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from sqlalchemy import Connection, Engine, Transaction, delete
from sqlalchemy.exc import IntegrityError, StatementError
from sqlalchemy.orm import Session

from adjudicator.errors import UserFacingError
from service.archive import backup, rows
from service.archive.archive_file import Archive, BrokenArchive, VerifyReport, read_archive
from service.archive.table_rows import RowFault, TableRows, read_rows
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

    1. Check the whole archive. 2. Load the rows, compare them with the record, and undo it. 3. Store the
    files.
    4. Load the rows again, for good. 5. Hold back letters and queue unfinished work. Raises ImportFault, and
    then nothing was written.
    """
    archive = _checked(path)
    game, name = str(archive.manifest["game"]), str(archive.manifest["name"])
    try:
        loaded = read_rows(archive.texts["tables.jsonl"], frozenset(rows.selections(game)))
        # Once without keeping it: a refused archive leaves nothing behind, and a row never names bytes that
        # are
        # not there yet.
        with engine.connect() as connection, _writing(connection) as attempt:
            _load(connection, loaded, archive, game)
            attempt.rollback()
        for data in _files(path):
            blobs.put(data)
        with engine.connect() as connection, _writing(connection) as act:
            _load(connection, loaded, archive, game)
            act.commit()
    except IntegrityError as fault:
        raise ImportFault(
            f"The game {name} was not put in: this site has rows of the same numbers or names already, and "
            "nothing "
            "is written over. Put it into a new site."
        ) from fault
    except RowFault as fault:
        raise ImportFault(f"The game {name} was not put in: {fault} Nothing was written.") from fault
    except (KeyError, ValueError, TypeError, AttributeError, LookupError, StatementError) as fault:
        # The rows are well-formed, and a fact of them cannot be told: no Galloper wrote them.
        raise ImportFault(
            f"The game {name} was not put in: tables.jsonl is damaged ({type(fault).__name__}). Nothing "
            "was written."
        ) from fault
    with sessions(engine).begin() as session:
        records.log_event(session, now, "game_imported", game_id=game, actor="galloper game import",
                          detail={"entries": len(archive.entries), "files": _own_files(archive)})
    backup.hold_letters_and_requeue(engine, jobs, now, ("A game was put in from an archive. Its letters may "
                                                        "have left the site "
                                    "it came from."))
    with sessions(engine)() as session:
        return chain.root(session, game)


@contextmanager
def _writing(connection: Connection) -> Iterator[Transaction]:
    """A transaction that writes; it is undone unless somebody commits it."""
    with connection.begin() as transaction:
        if connection.dialect.name == "sqlite":
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        yield transaction


def _load(connection: Connection, loaded: TableRows, archive: Archive, game: str) -> None:
    """Load the rows and compare them with the record. Raises ImportFault, RowFault, IntegrityError."""
    rows.load(connection, loaded, game)
    dump.settle_counters(connection)
    with Session(bind=connection, join_transaction_mode="create_savepoint") as session:
        _compare(session, archive, game)
    # Each loaded row has its entry already, so none is pending.
    connection.execute(delete(RecordPendingRow))


def _own_files(archive: Archive) -> dict[str, str]:
    """The digest of every file that no entry names; those of the others are in the entries themselves."""
    return {name: digest for name, digest in sorted(archive.digests.items()) if "/" not in name}


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
    begun = next(archive.open_entries("begun"), (1, {}))[1]
    words = rows.first_without_entry(session, game, begun)
    if words is not None:
        raise ImportFault(f"tables.jsonl has {words}, and the record has no entry of it. Nothing was put in.")
