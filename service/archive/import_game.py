"""Import a game's whole archive into another site, so that the game continues there.

Nothing is overwritten, and no letter leaves the site before a person says so.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, Protocol

from sqlalchemy import Connection, Engine, Transaction, delete, select
from sqlalchemy.exc import IntegrityError, StatementError
from sqlalchemy.orm import Session

from adjudicator.errors import UserFacingError
from service.archive import rows
from service.archive.after_loading import hold_letters_and_requeue
from service.archive.archive_file import MOST_BYTES, MOST_TEXT, ArchivePath
from service.archive.checker import CheckedRecord, VerifyReport
from service.archive.jailed import contents_in_child
from service.archive.table_rows import RowFault, TableRows, read_rows
from service.archive.verify import read_record
from service.clock import SimulatedClock
from service.facts.events import Event
from service.games.acts.act import Act, ActTable, LoggedEvent, perform
from service.games.options import OptionFault, recorded_options
from service.jobs import Jobs
from service.record import chain
from service.record.sessions import sessions
from service.store import dump, records
from service.store.blobs import Blobs, key_of
from service.store.letter_parts import keep
from service.store.tables import OutboxRow, OutboxState, PlayerRow, RecordPendingRow

FOLDERS = ("photographs/", "pictures/", "mails/", "letters/")


class ImportFault(UserFacingError):
    """The game was not imported. The sentence shows why, with the number of the entry where there is one."""


@dataclass(frozen=True, slots=True)
class Contents:
    """A checked archive as it came out of the child. `entries`: number and link of each. `own_files`: the
    digest of every file that no entry names. `sizes`: bytes of the other files."""

    game: str
    name: str
    entries: tuple[tuple[int, str], ...]
    own_files: dict[str, str]
    tables: bytes
    sizes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Receivers:
    """Who would command and be written to: the record has only pseudonyms and digests of them. `seats`: each
    power with its player's name, "" for an empty seat, and addresses. `letters`: to how many letters that
    wait each other address is."""

    seats: tuple[tuple[str, str, tuple[str, ...]], ...]
    letters: Mapping[str, int]


class Opener(Protocol):
    """Opens an archive somewhere: what `contents_of` writes, as a file."""

    def __call__(self, path: Path, /) -> AbstractContextManager[IO[bytes]]:
        """The contents of the archive at a path."""


@dataclass(frozen=True, slots=True)
class EnterImport(Act[None]):
    """Enters in the record of a game that it was put in from an archive with so many entries. `files`: the
    digests of the files that no entry names."""

    game: str
    entries: int
    files: Mapping[str, str]

    def check(self, table: ActTable) -> None:
        """Refuse a game that is not there."""
        table.game(self.game)

    def change(self, table: ActTable) -> None:
        """Nothing: the rows were put in before."""

    def event(self, table: ActTable, outcome: None, letters: int) -> LoggedEvent:
        """The number of entries, and the files."""
        return LoggedEvent(Event.GAME_IMPORTED, self.game, {
            "entries": self.entries, "files": self.files})


def import_archive(
    path: Path, engine: Engine, blobs: Blobs, jobs: Jobs | None, now: datetime,
    opener: Opener = contents_in_child, *, agree: Callable[[Receivers], bool] = lambda _: True,
) -> chain.Root:
    """Check an archive, load its game into a migrated database, and return the end of its record.

    1. Check the whole archive, in a child. 2. Load the rows, compare them with the record, and undo it. 3.
    Ask whether its players are the right ones: `agree`. 4. Store the files. 5. Load the rows again, for good.
    6. Hold back letters and queue unfinished work. Raises ImportFault or ArchiveNotOpened, and then nothing
    was written.
    """
    with opener(path) as answer:
        archive = _read_contents(answer)
        _put_in(archive, answer, engine, blobs, agree)
    # Its entries are of this moment, whatever clock the caller has (C14).
    with sessions(engine, SimulatedClock(now)).begin() as session:
        perform(EnterImport(archive.game, len(archive.entries), archive.own_files),
                ActTable(session, "galloper game import", now))
        chain.note_people(session, archive.game)
    hold_letters_and_requeue(
        engine, jobs, now,
        "A game was imported from an archive. Its old site may have sent letters since.")
    with sessions(engine)() as session:
        return chain.root(session, archive.game)


def _put_in(
    archive: Contents, answer: IO[bytes], engine: Engine, blobs: Blobs, agree: Callable[[Receivers], bool]
) -> None:
    try:
        loaded = read_rows(archive.tables, frozenset(rows.selections(archive.game)))
        # Once without keeping it: a refused archive leaves nothing behind, and a row never names bytes that
        # are
        # not there yet.
        with engine.connect() as connection, _writing(connection) as attempt:
            _load(connection, loaded, archive)
            with Session(bind=connection, join_transaction_mode="create_savepoint") as session:
                receivers = _receivers(session, archive.game)
            attempt.rollback()
        if not agree(receivers):
            raise ImportFault(f"The game {archive.name} was not imported, and nothing was written.")
        letters = {str(row["message"]): row for row in loaded.get("outbox", ())}
        for size in archive.sizes:
            _store(answer.read(size), letters, blobs)
        with engine.connect() as connection, _writing(connection) as act:
            _load(connection, loaded, archive)
            act.commit()
    except IntegrityError as fault:
        raise ImportFault(
            f"The game {archive.name} was not imported: this site already has rows with the same numbers or "
            "names, and nothing was overwritten. Import it into a new site."
        ) from fault
    except RowFault as fault:
        raise ImportFault(f"The game {archive.name} was not imported: {fault} Nothing was "
                          "written.") from fault
    except (ValueError, TypeError, AttributeError, LookupError, StatementError) as fault:
        # The rows are well-formed, but a fact cannot be made of them: no Galloper wrote them.
        raise ImportFault(
            f"The game {archive.name} was not imported: tables.jsonl is damaged ({type(fault).__name__}). "
            "Nothing was written.") from fault


def _store(data: bytes, letters: Mapping[str, dict[str, Any]], blobs: Blobs) -> None:
    """Store a file; a letter by its parts, as this site keeps every letter."""
    row = letters.get(key_of(data))
    if row is None or row.get("words") is None:
        blobs.put(data)
        return
    # The archive has the letter whole. Its row names parts, which no archive has: a letter whose parts were
    # missing could be neither sent again nor exported.
    parts = keep(blobs, data)
    row |= {"words": parts.words, "files": list(parts.files)}


@contextmanager
def _writing(connection: Connection) -> Iterator[Transaction]:
    """A transaction that writes; it is undone unless a person commits it."""
    with connection.begin() as transaction:
        if connection.dialect.name == "sqlite":
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        yield transaction


def _receivers(session: Session, game: str) -> Receivers:
    addresses = records.addresses(session, game)
    names = {player.id: player.name for player in session.scalars(select(PlayerRow))}
    seats = tuple((power, "" if player is None else names[player], addresses.get(power, ()))
                  for power, player in sorted(records.seats(session, game).items()))
    waiting = session.scalars(select(OutboxRow.recipient).where(
        OutboxRow.game_id == game, OutboxRow.state.not_in([
            OutboxState.SENT, OutboxState.FAILED, OutboxState.CANCELLED])))
    known = {email for group in addresses.values() for email in group}
    return Receivers(seats, Counter(to for to in waiting if to not in known))


def _load(connection: Connection, loaded: TableRows, archive: Contents) -> None:
    """Load the rows and compare them with the record. Raises ImportFault, RowFault, IntegrityError."""
    rows.load(connection, loaded, archive.game)
    dump.settle_counters(connection)
    with Session(bind=connection, join_transaction_mode="create_savepoint") as session:
        _compare(session, archive)
    # Each loaded row has its entry already, so none is pending.
    connection.execute(delete(RecordPendingRow))


def contents_of(path: ArchivePath) -> Iterator[bytes]:
    """A checked archive in parts: a line of JSON, `tables.jsonl`, then each of the other files. The line has
    `refused` alone where the archive cannot be taken."""
    try:
        record = _checked(path)
    except ImportFault as fault:
        yield json.dumps({"refused": str(fault)}).encode() + b"\n"
        return
    files = record.files
    named = [info for info in files.infolist() if info.filename.startswith(FOLDERS)]
    tables = files.read("tables.jsonl")
    yield json.dumps({
        "game": record.manifest["game"], "name": record.manifest["name"],
        "entries": [[entry["n"], entry["link"]] for entry in record.entries],
        "own_files": {name: key_of(files.read(name)) for name in sorted(files.namelist()) if "/" not in name},
        "sizes": [len(tables), *(info.file_size for info in named)],
    }).encode() + b"\n"
    yield tables
    for info in named:
        yield files.read(info)


@contextmanager
def contents_here(path: Path) -> Iterator[IO[bytes]]:
    """The result of `contents_in_child`, made in this process: for archives that we wrote ourselves."""
    with TemporaryFile() as file:
        file.writelines(contents_of(path))
        file.seek(0)
        yield file


def _read_contents(answer: IO[bytes]) -> Contents:
    """The head of what `contents_of` wrote. An archive may control its writer, so nothing of it is believed
    beyond its form: the rows are checked as if they came from anybody, and no file is read beyond the size
    that an archive's may have. Raises ImportFault."""
    try:
        head = json.loads(answer.readline(MOST_TEXT))
        refused = head.get("refused")
        if refused is None:
            size, *sizes = [min(abs(int(size)), MOST_BYTES) for size in head["sizes"]]
            return Contents(
                str(head["game"]), str(head["name"]),
                tuple((int(number), str(link)) for number, link in head["entries"]),
                {str(name): str(digest) for name, digest in head["own_files"].items()}, answer.read(size),
                tuple(sizes))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as fault:
        raise ImportFault("The archive made the checking program fail. Nothing was imported.") from fault
    raise ImportFault(str(refused)[:1000])


def _checked(path: ArchivePath) -> CheckedRecord:
    report = VerifyReport()
    record = read_record(path, report)
    if record is None:
        raise ImportFault(f"{report.faults[0]} Nothing was imported.")
    if not record.whole or "tables.jsonl" not in record.files.namelist():
        raise ImportFault(
            "A players' archive cannot be continued: it has digests in place of sheets. Ask the coordinator "
            "for the whole archive."
        )
    for fault in option_faults(record):
        raise ImportFault(f"{fault} Nothing was imported.")
    return record


def option_faults(record: CheckedRecord) -> Iterator[str]:
    """A sentence for each entry about the game whose options no game can have."""
    for number, tells in record.facts.get("game", ()):
        try:
            recorded_options(tells["options"])
        except OptionFault as fault:
            yield f"Entry {number} of record.jsonl has {fault}."


def _compare(session: Session, archive: Contents) -> None:
    """The loaded rows have the chain that was checked, and they agree with its facts. Raises ImportFault."""
    archived, game = list(archive.entries), archive.game
    root = chain.root(session, game)
    if [(row.number, row.link) for row in chain.entries(session, game)] != archived or (
        root.number,
        root.link,
    ) != archived[-1]:
        raise ImportFault("tables.jsonl and record.jsonl have different records. Nothing was imported.")
    number = rows.first_difference(session, game)
    if number is not None:
        raise ImportFault(f"tables.jsonl contradicts entry {number} of the record. Nothing was "
                          "imported.")
    words = rows.first_without_entry(session, game)
    if words is not None:
        raise ImportFault(f"tables.jsonl has {words}, which has no entry in the record. Nothing was "
                          "imported.")
