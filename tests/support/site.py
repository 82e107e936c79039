"""A site in a folder, for tests: database, blobs, a clock that is still, and jobs that run when asked."""

from __future__ import annotations

import sqlite3
import tempfile
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from sqlalchemy import Engine, event, text
from sqlalchemy.orm import Session

from maps.variant import Variant
from service.clock import SimulatedClock
from service.facts.options import BEACON
from service.jobs import Handler, Payload
from service.record.sessions import sessions
from service.site_key import IN_SESSION, SiteKey
from service.store.blobs import Blobs
from service.store.columns import TableBase
from service.store.engine import Store, migrate, open_engine

KEY = SiteKey(bytes(range(32)))
"""The key of the sites of tests."""
NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


@dataclass
class MemoryJobs:
    """The queue's port in memory: what was enqueued counts when its transaction commits, and a key counts
    once."""

    queue: deque[tuple[str, str, Payload]] = field(default_factory=deque)
    keys: set[str] = field(default_factory=set)
    handlers: dict[str, tuple[Handler, ...]] = field(default_factory=dict)
    hastened: list[str] = field(default_factory=list)
    ranks: dict[str, int] = field(default_factory=dict)

    def register(self, name: str, *steps: Handler) -> None:
        self.handlers[name] = steps

    def enqueue(
        self, session: Session, name: str, key: str, payload: Payload, *, is_last: bool = False,
        rank: int = 0,
    ) -> None:
        def commit(_: Session) -> None:
            if key not in self.keys:
                self.ranks[key] = rank
                self.keys.add(key)
                self.queue.append((name, key, payload))

        if key not in self.keys:
            # As in the real queue: work of a transaction that is rolled back was never asked for.
            event.listen(session, "after_commit", commit, once=True)

    def hasten(self, keys: Sequence[str]) -> None:
        self.hastened += keys

    def run(self) -> int:
        """Run everything that waits, and what that enqueues; returns how many jobs ran."""
        count = 0
        while self.queue:
            name, _, payload = self.queue.popleft()
            for step in self.handlers[name]:
                step(dict(payload))
            count += 1
        return count


@dataclass
class Site:
    """What modules are handed."""

    url: str
    engine: Engine
    store: Store
    blobs: Blobs
    jobs: MemoryJobs
    clock: SimulatedClock


@cache
def empty_database() -> bytes:
    """An SQLite file with the newest tables and no rows: migrated once a process, copied for each site."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "galloper.sqlite"
        migrate(f"sqlite:///{path}")
        return path.read_bytes()


def _wait_for_no_disk(connection: sqlite3.Connection, _record: object) -> None:
    # What a power cut would take does not matter here: a killed process loses nothing that it handed over.
    connection.execute("PRAGMA synchronous=OFF")


@contextmanager
def make_site(folder: Path, url: str = "", now: datetime = NOON, *, migrated: bool = False) -> Iterator[Site]:
    """An empty site; on SQLite in `folder` unless another database is named. That one is migrated first
    unless it is `migrated` already."""
    path = folder / "galloper.sqlite"
    address = url or f"sqlite:///{path}"
    if address == f"sqlite:///{path}" and not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(empty_database())
    elif not migrated:
        migrate(address)
    engine = open_engine(address)
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _wait_for_no_disk)
    clock = SimulatedClock(now)
    try:
        # Entries are dated by the clock of the site, as those of a real one.
        store = sessions(engine, clock, KEY)
        yield Site(address, engine, store, Blobs(folder / "blobs"), MemoryJobs(), clock)
    finally:
        engine.dispose()


_BEGUN: dict[tuple[int, str], tuple[str, sqlite3.Connection, Variant]] = {}
"""Databases of sites with nothing but one game that just began, each in memory, with the game's name. The
board is held so that its number stays its own."""


def begin_once(site: Site, board: Variant, details: str, begin: Callable[[], str]) -> str:
    """Begin a game on a site, or copy the database of another that was as empty when the same game began
    there; its name. `details` tells games of a board apart.

    A game takes a tenth of a second of work to begin, and most tests begin the same.
    """
    if site.engine.dialect.name != "sqlite" or not _is_empty(site.engine):
        return begin()
    with site.store() as session:
        # What lots are drawn with belongs to a site, and is in the rows of the game.
        key = (id(board), f"{details} {session.info.get(BEACON)} {hash(session.info.get(IN_SESSION))}")
    if key in _BEGUN:
        game, held, _ = _BEGUN[key]
        _copy(site.engine, held.backup)
        return game
    game, held = begin(), sqlite3.connect(":memory:", check_same_thread=False)
    _copy(site.engine, lambda raw: raw.backup(held))
    _BEGUN[key] = game, held, board
    return game


def _is_empty(engine: Engine) -> bool:
    tables = " UNION ALL ".join(
        f'SELECT EXISTS (SELECT 1 FROM "{table.name}") AS held' for table in TableBase.metadata.sorted_tables)
    with engine.connect() as connection:
        return not connection.scalar(text(f"SELECT sum(held) FROM ({tables})"))


def _copy(engine: Engine, copy: Callable[[sqlite3.Connection], None]) -> None:
    pooled = engine.raw_connection()
    try:
        raw = pooled.driver_connection
        assert isinstance(raw, sqlite3.Connection)
        copy(raw)
    finally:
        pooled.close()
