"""The nightly inspection: is every stored file whole, and is the database?

Files are read in slices of a few seconds, so that nothing waits for them; on a large site each file has its
turn once a week. What is found stays in the table `inspections` until a later inspection finds it mended:
Health shows it, an alarm shows the coordinator, and a backup leaves out what is missing and goes on.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from time import monotonic

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from service.archive.forget import forgotten_files
from service.clock import Clock
from service.operations.findings import Finding, FindingState, counted
from service.store import records
from service.store.blobs import BlobError, Blobs
from service.store.damage import WHAT_TO_DO, damage_in_words
from service.store.engine import Store
from service.store.named_blobs import named_blobs
from service.store.tables import InspectionRow, TableBase

log = logging.getLogger(__name__)

SECONDS = 60.0
"""Between two slices."""
SLICE_SECONDS = 3.0
"""Reading in one slice, a twentieth of the time."""
LARGE = 20_000
"""Files above which a night reads a seventh of them."""
LARGE_BYTES = 1_000_000_000
"""Size of a PostgreSQL database above which a night reads a seventh of its tables."""
FIRST_HOUR = 2
"""Hour (UTC) at which a night's inspection begins."""
MOST_KEPT = 1_000
"""Files that the table names; of more it has the number."""

FILES, DATABASE = "files", "database"


@dataclass(slots=True)
class Inspection:
    """Inspects the files and the database of a site, slice by slice; one process of a site has it at a
    time."""

    engine: Engine
    store: Store
    blobs: Blobs
    clock: Clock
    _due: deque[str] = field(default_factory=deque)
    _faulty: set[str] = field(default_factory=set)
    _night: str = ""

    def look(self) -> None:
        """Go on with the inspection of this night, or begin it."""
        now = self.clock.now()
        night = f"{now - timedelta(hours=FIRST_HOUR):%Y-%m-%d}"
        if self._night != night:
            with self.store() as session:
                row = session.get(InspectionRow, FILES)
            self._night = night
            if row is None or row.night != night:
                self._begin(now)
        elif self._due:
            self._go_on(now)

    def run(self) -> None:
        """Inspect everything at once."""
        self._begin(self.clock.now(), is_whole=True)
        while self._due:
            self._go_on(self.clock.now())

    def _begin(self, now: datetime, *, is_whole: bool = False) -> None:
        share = None if is_whole else now.toordinal() % 7
        try:
            trouble = database_trouble(self.engine, share)
        except DBAPIError as error:
            trouble = damage_in_words(error)
        with self.store.begin() as session:
            note(session, DATABASE, self._night, trouble, (), now)
        try:
            with self.store() as session:
                named = named_blobs(session.connection())
                gone, before = forgotten_files(session), set(faulty_files(session))
        except DBAPIError as error:
            log.warning("the stored files are not inspected: %s", damage_in_words(error))
            return
        keys = [key for key in named if key not in gone]
        if share is not None and len(keys) > LARGE:
            keys = [key for key in keys if key in before or int(key[:4], 16) % 7 == share]
        # A file whose turn is another night is still faulty; one that nothing names any more is not.
        self._due, self._faulty = deque(keys), before & set(named)
        if not keys:
            self._end(now)

    def _go_on(self, now: datetime) -> None:
        end = monotonic() + SLICE_SECONDS
        while self._due and monotonic() < end:
            key = self._due.popleft()
            try:
                self.blobs.read(key)
            except BlobError:
                self._faulty.add(key)
            except OSError as error:
                log.warning("a stored file cannot be read (%s)", error.strerror or type(error).__name__)
                self._faulty.add(key)
            else:
                self._faulty.discard(key)
        if not self._due:
            self._end(now)

    def _end(self, now: datetime) -> None:
        with self.store.begin() as session:
            # A player may have been forgotten since this night began.
            gone = forgotten_files(session)
            note(session, FILES, self._night, "", sorted(self._faulty - gone), now)


def note(
    session: Session, name: str, night: str, trouble: str, files: Collection[str], now: datetime
) -> None:
    """Note how an inspection ended."""
    values = {"night": night, "ended_at": now, "trouble": trouble, "count": len(files),
              "files": list(files)[:MOST_KEPT]}
    if not records.insert_once(session, InspectionRow, name=name, **values):
        records.claim(session, InspectionRow, InspectionRow.name == name, **values)


def faulty_files(session: Session) -> list[str]:
    """The files that were found missing or damaged."""
    row = session.get(InspectionRow, FILES)
    return [] if row is None else list(row.files)


def add_faulty(session: Session, keys: Iterable[str], now: datetime) -> None:
    """Note files that a backup or an archive could not read."""
    row = session.get(InspectionRow, FILES)
    note(session, FILES, "" if row is None else row.night, "",
         sorted({*faulty_files(session), *keys}), now)


def files_finding(session: Session) -> Finding:
    """The sentence about the stored files."""
    name, row = "Stored files", session.get(InspectionRow, FILES)
    if row is None:
        return Finding(name, FindingState.UNKNOWN, "Not checked yet; they are checked each night.")
    if not row.count:
        return Finding(name, FindingState.WELL, f"Every checked file is complete ({row.ended_at:%-d %b}).")
    first = row.files[0]
    return Finding(
        name, FindingState.TROUBLE,
        f"{counted(row.count, 'file')} of mails, photographs or letters cannot be read. The first is "
        f"blobs/{first[:2]}/{first}.",
        "Restore them from an older backup: each has the same name there, below blobs. Backups and archives "
        "continue without them and list them. Check the disk too.", f"{row.count}-{first[:12]}")


def database_finding(session: Session) -> Finding:
    """The sentence about the database."""
    name, row = "Database", session.get(InspectionRow, DATABASE)
    if row is None:
        return Finding(name, FindingState.UNKNOWN, "Not checked yet; it is checked each night.")
    if row.trouble:
        return Finding(name, FindingState.TROUBLE, row.trouble, WHAT_TO_DO, is_urgent=True)
    return Finding(name, FindingState.WELL, f"Its pages are whole ({row.ended_at:%-d %b}).")


# The database
# ----------------------------------------------------------------------------------------------------------

def database_trouble(engine: Engine, share: int | None = None) -> str:
    """Read the database; what is wrong with it, or "". `share`, 0..6: which part of a large one; None for
    all. Raises DBAPIError."""
    with engine.connect() as connection:
        if connection.dialect.name == "sqlite":
            lines = [str(line) for line in connection.exec_driver_sql("PRAGMA quick_check(5)").scalars()]
            return "" if lines == ["ok"] else f"The database is damaged: {'; '.join(lines)[:300]}."
        return _postgresql_trouble(connection, share)


def _postgresql_trouble(connection: Connection, share: int | None) -> str:
    # Pages are checked as they are read: those of every value, in tables and next to them.
    is_large = (connection.scalar(text("SELECT pg_database_size(current_database())")) or 0) > LARGE_BYTES
    tables = sorted(TableBase.metadata.tables)
    for number, name in enumerate(tables):
        if share is None or not is_large or number % 7 == share:
            connection.execute(text(f'SELECT sum(length(each::text)) FROM "{name}" each'))  # noqa: S608 ours
    failures = connection.scalar(text(
        "SELECT checksum_failures FROM pg_stat_database WHERE datname = current_database()"))
    return f"PostgreSQL found {failures} damaged pages (checksum_failures)." if failures else ""
