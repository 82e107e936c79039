"""A site's whole database from one SQLite file into an empty PostgreSQL database.

The old database is only read, behind its write lock. Everything is written in one transaction, compared row
by row and, for each record, link by link; only then is it committed. Whatever goes wrong before leaves the
new database with empty tables at most, so the same command may be given again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from sqlalchemy import Connection, Engine, Table, delete, func, inspect, select, text
from sqlalchemy.exc import DataError, DBAPIError
from sqlalchemy.orm import Session

from adjudicator.errors import UserFacingError
from service.archive.after_loading import BrokenRecord, check_record
from service.jobs import DbosJobs
from service.record import chain
from service.store import dump
from service.store.columns import TableBase
from service.store.engine import migrate_within, newest_migration, revision_of
from service.store.tables import GameRow, RecordPendingRow

OLDEST_SERVER = 15
"""The oldest release of PostgreSQL that a site runs on."""
EVERY = 2000
"""Rows between two reports of progress."""

Progress = Callable[[str, int, int], None]
"""Called with the table in hand, the number of its rows copied, and of all its rows."""


class MoveFault(UserFacingError):
    """The database was not moved; the sentence shows why, and what the new database holds now."""


@dataclass(frozen=True, slots=True)
class Moved:
    """The contents of the new database: rows by table, rows of the queue, the end of each game's record."""

    rows: dict[str, int]
    jobs: int
    roots: tuple[chain.Root, ...]


@dataclass(slots=True)
class _Digest:
    """A digest of rows that does not depend on their order: two databases sort text differently."""

    count: int = 0
    total: int = field(default=0, repr=False)

    def of(self, lines: Iterable[bytes]) -> Iterator[bytes]:
        for line in lines:
            self.count += 1
            self.total = (self.total + int.from_bytes(hashlib.sha256(line).digest())) % (1 << 256)
            yield line


def move(source: Engine, target: Engine, progress: Progress) -> Moved:
    """Copy a site's database from SQLite into an empty PostgreSQL database, compare the two, and commit.

    The caller sees to it that no one serves the site. Raises MoveFault: for a source with old tables, a
    target that is not empty or cannot hold the rows, and a connection that broke.
    """
    try:
        with target.connect() as new:
            _check_target(new)
        # The queue makes its tables by connections of its own, so they come first: empty, they do no harm. In
        # the old database too: a site that was never served has none.
        queue, new_queue = DbosJobs(source), DbosJobs(target)
        queue.prepare()
        new_queue.prepare()
        if next(new_queue.all_keys(), None) is not None:
            raise _not_empty(["jobs"])
        with source.connect() as old:
            old.exec_driver_sql("BEGIN IMMEDIATE")
            try:
                _check_source(old)
                with target.begin() as new:
                    migrate_within(new)
                    return _copy(old, new, queue, new_queue, progress)
            finally:
                old.rollback()
    except DataError as error:
        raise MoveFault(
            f"A row does not fit into PostgreSQL ({_reason(error)}). Nothing was moved: the new database "
            "has at most empty tables, and the old one was only read. Please report this."
        ) from error
    except DBAPIError as error:
        raise MoveFault(
            f"The new database cannot be used ({_reason(error)}). Nothing was moved: it has at most empty "
            "tables, and the old database was only read. Repair the connection, then repeat the command."
        ) from error


def _reason(error: DBAPIError) -> str:
    return str(error.orig).strip().partition("\n")[0]


def _check_source(old: Connection) -> None:
    revision = revision_of(old)
    if revision != newest_migration():
        raise MoveFault(
            f"The old database has tables {revision or 'of no site'}, and this program needs "
            f"{newest_migration()}. Nothing was moved; run galloper migrate without --to first."
        )


def _check_target(new: Connection) -> None:
    release = int(new.execute(text("SHOW server_version_num")).scalar_one()) // 10_000
    if release < OLDEST_SERVER:
        raise MoveFault(f"The new database runs on PostgreSQL {release}; Galloper needs {OLDEST_SERVER} or "
                        f"newer. Nothing was moved.")
    encoding = str(new.execute(text("SHOW server_encoding")).scalar_one())
    if encoding != "UTF8":
        raise MoveFault(f"The new database has the encoding {encoding}. Nothing was moved; make one with "
                        f"UTF8: createdb -E UTF8 -T template0 NAME.")
    names = set(inspect(new).get_table_names())
    ours = set(TableBase.metadata.tables)
    strange = sorted(names - ours - {"alembic_version"})
    filled = [name for name in sorted(names & ours)
              if new.scalar(select(func.count()).select_from(TableBase.metadata.tables[name]))]
    if strange or filled:
        raise _not_empty([*strange, *filled])


def _not_empty(names: list[str]) -> MoveFault:
    return MoveFault(
        f"The new database is not empty: it has {', '.join(names[:4])}. Nothing was moved or overwritten. "
        "Give an empty database.")


def _copy(
    old: Connection, new: Connection, queue: DbosJobs, new_queue: DbosJobs, progress: Progress
) -> Moved:
    rows: dict[str, int] = {}
    for table in dump.tables():
        rows[table.name] = _copy_table(old, new, table, progress)
    # What the triggers noted of the copying has its entries already. Only what waited before waits again.
    new.execute(delete(RecordPendingRow))
    waiting = TableBase.metadata.tables[RecordPendingRow.__tablename__]
    dump.load(new, waiting, dump.lines(old, waiting))
    dump.settle_counters(new)
    jobs = queue.copy_into(new_queue, new)
    progress("jobs", jobs, jobs)
    return Moved(rows, jobs, _equal_roots(old, new))


def _copy_table(old: Connection, new: Connection, table: Table, progress: Progress) -> int:
    total = old.scalar(select(func.count()).select_from(table)) or 0
    before, after = _Digest(), _Digest()

    def reported() -> Iterator[bytes]:
        for number, line in enumerate(before.of(dump.lines(old, table)), start=1):
            yield line
            if number % EVERY == 0 and number < total:
                progress(table.name, number, total)

    dump.load(new, table, reported())
    for _ in after.of(dump.lines(new, table)):
        pass
    if (before.count, before.total) != (after.count, after.total):
        raise MoveFault(
            f"The rows of {table.name} came back differently from the new database. Nothing was moved: it "
            "has at most empty tables, and the old one was only read. Please report this."
        )
    progress(table.name, total, total)
    return total


def _equal_roots(old: Connection, new: Connection) -> tuple[chain.Root, ...]:
    """The end of every record, the same in both and every link before it computed again."""
    with Session(bind=old) as then, Session(bind=new, join_transaction_mode="create_savepoint") as now:
        roots = []
        for game in then.scalars(select(GameRow.id).order_by(GameRow.id)):
            try:
                root = check_record(now, game)
            except BrokenRecord as fault:
                raise MoveFault(
                    f"The record of {game} is broken, in the old database too; galloper verify shows where. "
                    "Nothing was moved."
                ) from fault
            if root != chain.root(then, game):
                raise MoveFault(f"The record of {game} has another end in the new database. Nothing was "
                                f"moved. Please report this.")
            roots.append(root)
        return tuple(roots)
