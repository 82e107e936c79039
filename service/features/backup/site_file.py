"""A whole site in one file, and back: the tables as JSON lines and every blob, for SQLite and PostgreSQL
alike.

A backup is read in one transaction, so it is the site at one moment; blobs never change, so they may be read
after it. What is put back is checked to the last byte before it counts, and no letter leaves it until a
person says so: the site that it was taken from may have sent them since. Nothing is ever written over.
"""

from __future__ import annotations

import errno
import hashlib
import io
import json
import tarfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import IO, Any

from sqlalchemy import Connection, Engine, delete, func, select, text
from sqlalchemy.orm import Session

from adjudicator.errors import UserFacingError
from service.archive import away
from service.archive.after_loading import check_record, hold_letters_and_requeue
from service.archive.checker import VerifyReport, checking
from service.archive.forget import forgotten_files
from service.clock import SimulatedClock
from service.facts.events import Event
from service.games.acts.act import Act, ActTable, LoggedEvent, perform
from service.jobs import Jobs
from service.operations import inspection
from service.record import chain
from service.record.sessions import sessions
from service.store import dump
from service.store.blobs import BlobError, Blobs, key_of
from service.store.engine import newest_migration
from service.store.named_blobs import named_blobs
from service.store.tables import GameRow, MailRow, RecordPendingRow, UserRow

FORMAT = 1
MANIFEST = "manifest.json"
REASON = "This site was restored from a backup. The old site may have sent letters since."


class BackupFault(UserFacingError):
    """The backup was not made or not put back; the sentence shows why, and that nothing was written over."""


@dataclass(frozen=True, slots=True)
class Restored:
    """The restored parts: rows by table, how many blobs, the end of each game's record, letters that wait,
    and what the newest letters say was lost."""

    rows: dict[str, int]
    blobs: int
    roots: tuple[chain.Root, ...]
    letters: int
    lost: tuple[str, ...] = ()


# Out
# ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Written:
    """The contents of a backup: how many blobs, and the keys of those that could not be read."""

    blobs: int
    missing: tuple[str, ...] = ()


def write(engine: Engine, blobs: Blobs, out: IO[bytes], now: datetime, version: str) -> Written:
    """Write a site into a file. What is missing or damaged is left out and named in the file: a backup of all
    the rest is worth more than none. Raises BackupFault where no file is there at all."""
    manifest: dict[str, Any] = {
        "format": FORMAT,
        "tables": newest_migration(),
        "made": now.isoformat(),
        "galloper": version,
        "rows": {},
    }
    with tarfile.open(fileobj=out, mode="w") as tar:
        with engine.connect() as connection, connection.begin():
            _read_at_one_moment(connection)
            keys, gone = named_blobs(connection), _forgotten(connection)
            for table in dump.tables():
                data = b"".join(dump.lines(connection, table))
                manifest["rows"][table.name] = {"count": len(data.splitlines()), "sha256": key_of(data)}
                _add(tar, f"tables/{table.name}.jsonl", data)
        count = 0
        missing: list[str] = []
        for key in keys:
            try:
                data = blobs.read(key)
            except (BlobError, OSError) as fault:
                # A store that cannot be reached is not a missing file: without it there is no backup.
                if isinstance(fault, OSError) and fault.errno != errno.EIO:
                    raise
                if key not in gone:
                    missing.append(key)
                continue
            _add(tar, f"blobs/{key}", data)
            count += 1
        if missing and not count:
            raise BackupFault(f"None of the {len(missing)} files named in the database was found, so no "
                              "backup was made: check whether the store of photographs is mounted.")
        manifest["blobs"], manifest["missing"] = count, missing
        # Last, so that a file that was cut off has none.
        _add(tar, MANIFEST, json.dumps(manifest, indent=1, sort_keys=True).encode())
    return Written(count, tuple(missing))


def _forgotten(connection: Connection) -> frozenset[str]:
    """The files that were deleted because their player is forgotten."""
    with Session(bind=connection, join_transaction_mode="create_savepoint") as session:
        return forgotten_files(session)


def _read_at_one_moment(connection: Connection) -> None:
    if connection.dialect.name == "postgresql":
        # Otherwise a row written between two tables would be in the one and not in the other.
        connection.execute(text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"))
    else:
        connection.exec_driver_sql("BEGIN")


def _add(tar: tarfile.TarFile, name: str, data: bytes) -> None:
    info = tarfile.TarInfo(name)
    info.size, info.mode = len(data), 0o600
    tar.addfile(info, io.BytesIO(data))


# In
# ----------------------------------------------------------------------------------------------------------


def restore(
    source: IO[bytes], engine: Engine, blobs: Blobs, jobs: Jobs | None, now: datetime,
    letters: Sequence[bytes] = (),
) -> Restored:
    """Put a backup into an empty, migrated database and a folder of blobs, and check it. `jobs` is given the
    work that had not been done; without it, for a drill, nothing is enqueued. `letters`: mails of players
    from after the backup, which show how much was lost. Raises BackupFault or BrokenRecord, and then no row
    was written."""
    with engine.connect() as connection:
        _check_empty(connection)
    new: set[str] = set()
    try:
        loaded, count, roots, missing = _load(source, engine, blobs, now, new)
    except BaseException:
        # An empty site is left as it was, and what was in the store before stays.
        for key in new:
            blobs.remove(key)
        raise
    lost = _enter_restore(engine, roots, letters, now, is_drill=jobs is None)
    if missing:
        names = ", ".join(key[:12] for key in missing[:20])
        sentence = f"{len(missing)} files could not be read when this backup was made, and are missing in it"
        lost = (*lost, f"{sentence}: {names}.")
        with sessions(engine).begin() as session:
            inspection.add_faulty(session, missing, now)
    return Restored(loaded, count, roots, hold_letters_and_requeue(engine, jobs, now, REASON), lost)


def _load(
    source: IO[bytes], engine: Engine, blobs: Blobs, now: datetime, new: set[str]
) -> tuple[dict[str, int], int, tuple[chain.Root, ...], Sequence[str]]:
    """Load the rows and files of a backup: rows by table, files, the ends of the records, and the keys that
    the backup names as missing. `new` is given the keys of files that were not in the store before."""
    rows: dict[str, bytes] = {}
    manifest: dict[str, Any] | None = None
    count = 0
    for name, data in _members(source):
        if name == MANIFEST:
            manifest = json.loads(data)
        elif name.startswith("tables/"):
            rows[name.partition("/")[2].removesuffix(".jsonl")] = data
        else:
            key = key_of(data)
            if key != name.partition("/")[2]:
                raise BackupFault(f"The backup is damaged: {name} does not match its digest. Nothing was "
                                  "put back; use an older one.")
            if not blobs.has(key):
                new.add(key)
            blobs.put(data)
            count += 1
    missing = _checked(manifest, rows, count).get("missing", [])
    with engine.begin() as connection:
        if connection.dialect.name == "sqlite":
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        loaded = {
            table.name: dump.load(connection, table, rows[table.name].splitlines()) for table in dump.tables()
        }
        dump.settle_counters(connection)
        connection.execute(delete(RecordPendingRow))  # every row that was just loaded has its entry already
        _check_blobs(connection, blobs, frozenset(missing))
        with Session(bind=connection, join_transaction_mode="create_savepoint") as session:
            if connection.dialect.name == "sqlite":
                # It gives the numbers of rows that are away to new ones.
                for game in away.games_away(session):
                    away.bring_back_here(session, blobs, game, now)
                session.commit()
            roots = tuple(
                check_record(session, game)
                for game in session.scalars(select(GameRow.id).order_by(GameRow.id))
            )
    return loaded, count, roots, missing


def go_on_after_restore(
    engine: Engine, blobs: Blobs, jobs: Jobs, now: datetime, letters: Sequence[bytes] = ()
) -> Restored:
    """Do what `restore` does last for a database that its own tools put back, with the blobs in a store that
    was never lost: check that every record is whole and every named file is there, enter the restore, let no
    letter leave, and enqueue what had not been done. Raises BackupFault or BrokenRecord, and then nothing was
    changed."""
    with engine.connect() as connection, Session(bind=connection) as session:
        roots = tuple(check_record(session, game)
                      for game in session.scalars(select(GameRow.id).order_by(GameRow.id)))
        named, gone = named_blobs(connection), _forgotten(connection)
        # Only whether it is there: a store of terabytes is read by `galloper verify --live`, and not while
        # nothing is served.
        missing = [key for key in named if key not in gone and not blobs.has(key)]
    if missing:
        raise BackupFault(
            f"{len(missing)} of {len(named)} files named in the database are missing, the first is "
            f"{blobs.path(missing[0])}. Nothing was changed; restore them from the versions of the store.")
    lost = _enter_restore(engine, roots, letters, now, is_drill=False)
    return Restored({}, len(named), roots, hold_letters_and_requeue(engine, jobs, now, REASON), lost)


@dataclass(frozen=True, slots=True)
class EnterRestore(Act[None]):
    """Enters in the record of a game that it goes on from a backup. `root`: the end of the record in the
    backup; `lost_until`: the last entry that letters name, 0 where they name none."""

    root: chain.Root
    lost_until: int

    def check(self, table: ActTable) -> None:
        """Refuse a game that is not there."""
        table.game(self.root.game_id)

    def change(self, table: ActTable) -> None:
        """Nothing: the rows were put back before."""

    def event(self, table: ActTable, outcome: None, letters: int) -> LoggedEvent:
        """The end of the record, and what letters name."""
        return LoggedEvent(Event.RESTORED, self.root.game_id, {
            "entries": self.root.number, "root": self.root.link,
            **({"lost_until": self.lost_until} if self.lost_until else {})})


def _enter_restore(
    engine: Engine, roots: Sequence[chain.Root], letters: Sequence[bytes], now: datetime, *, is_drill: bool
) -> tuple[str, ...]:
    """Enter the restore in the record of each game; sentences about what the letters say was lost."""
    with sessions(engine, SimulatedClock(now)).begin() as session:
        # Honest letters from after the backup would accuse the keeper otherwise (docs/record.md, C18).
        # A drill leaves the site as it was.
        named = {root.game_id: _newest_named(session, root.game_id, letters) for root in roots}
        for root in () if is_drill else roots:
            perform(EnterRestore(root, named[root.game_id]), ActTable(session, "galloper restore", now))
    return tuple(
        f"{root.game_id}: letters name entries up to {named[root.game_id]}, and the backup ends at entry "
        f"{root.number}. Entries {root.number + 1} to {named[root.game_id]} are lost; sheets that came after "
        "the backup must be fetched or sent again." for root in roots if named[root.game_id] > root.number)


def _newest_named(session: Session, game_id: str, letters: Sequence[bytes]) -> int:
    """The last entry that letters name; 0 where they name none."""
    game, numbers = session.get_one(GameRow, game_id), [0]
    with checking(VerifyReport()) as checker:
        names = checker.pattern_of((game.name, game_id))
        for letter in letters:
            numbers += checker.places_of(checker.words_of(letter)[1], names)
    return max(numbers)


def _members(source: IO[bytes]) -> Iterator[tuple[str, bytes]]:
    try:
        with tarfile.open(fileobj=source, mode="r|") as tar:
            for member in tar:
                file = tar.extractfile(member)
                if file is not None:
                    yield member.name, file.read()
    except (tarfile.TarError, EOFError) as fault:
        raise BackupFault(f"The backup is cut off or damaged ({fault}); nothing was put back. Use an older "
                          f"one.") from fault


def _check_empty(connection: Connection) -> None:
    for table in (GameRow, MailRow, UserRow):
        if connection.scalar(select(func.count()).select_from(table)):
            raise BackupFault(
                "There is a site already: nothing was restored or overwritten. Give an empty folder and an "
                "empty database."
            )


def _checked(manifest: dict[str, Any] | None, rows: dict[str, bytes], blobs: int) -> dict[str, Any]:
    """The manifest of a backup that has all that it names. Raises BackupFault."""
    if manifest is None:
        raise BackupFault("The backup is cut off: its end is missing. Nothing was put back; use an older "
                          "one.")
    # Loading rows into other tables could lose a column without a word.
    if manifest["format"] != FORMAT or manifest["tables"] != newest_migration():
        raise BackupFault(
            f"The backup was made by Galloper {manifest.get('galloper')} with tables {manifest['tables']}, "
            f"and this one has {newest_migration()}: restore it with that version, then install the newer "
            "one. Nothing was restored."
        )
    for name, entry in manifest["rows"].items():
        if key_of(rows.get(name, b"")) != entry["sha256"]:
            raise BackupFault(f"The backup is damaged: the rows of {name} were changed. "
                              "Nothing was restored.")
    if manifest["blobs"] != blobs:
        raise BackupFault(f"The backup has {blobs} of {manifest['blobs']} files. Nothing was put back; use "
                          f"an older one.")
    return manifest


def _check_blobs(connection: Connection, blobs: Blobs, missing: frozenset[str]) -> None:
    gone = _forgotten(connection) | missing
    for key in named_blobs(connection):
        try:
            blobs.read(key)
        except BlobError as fault:
            if key in gone:
                continue
            raise BackupFault(f"The backup lacks a file named in its tables ({fault}). Nothing was "
                              "restored.") from fault


def digest_of(path: Path) -> str:
    """SHA-256 of a file, to be written down next to it."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
