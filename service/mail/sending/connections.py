"""How many connections a site has to its relay at one time, and how many letters it hands over in a minute:
in all its processes together, on all its machines (SCA-04).

A provider counts the connections of an account, whichever process opened them. So each of the site's
connections is a lease in the database, for a few seconds at a time; who has none opens none. A process that
is killed leaves its leases to others within `LEASE`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from secrets import token_hex
from threading import Event
from time import monotonic

from sqlalchemy import ColumnElement, delete, or_, select
from sqlalchemy.orm import Session

from service.store import records
from service.store.engine import Store
from service.store.tables import LeaseRow

LEASE = timedelta(seconds=10)
"""How long a process that fell silent keeps its connections."""
RENEW_SECONDS = LEASE.total_seconds() / 4
"""Between two renewals."""


@dataclass(slots=True)
class Connection:
    """One of the site's connections, while this process has it. `seconds`: between two letters, at least."""

    name: str
    holder: str
    seconds: float = 0.0
    is_lost: Event = field(default_factory=Event)
    _next: float = 0.0

    def wait(self, stop: Event) -> None:
        """Return when the next letter may be handed over, or at once when `stop` is set."""
        # A time that has passed already waits for nothing.
        stop.wait(self._next - monotonic())

    def count_letter(self) -> None:
        """Note that a letter is about to be handed over."""
        self._next = monotonic() + self.seconds

    @property
    def left(self) -> timedelta:
        """How long no one may hand over a letter on this connection."""
        return timedelta(seconds=max(0.0, self._next - monotonic()))


class Connections:
    """The connections of a site: `most` at one time, and `per_minute` letters on all of them, evenly; 0 for
    as many as the relay takes."""

    def __init__(self, store: Store, most: int = 1, per_minute: int = 0) -> None:
        self._store, self._most = store, most
        # Each has an equal share: then the sum holds, no matter who has which.
        self._seconds = 60.0 * most / per_minute if per_minute else 0.0
        # Twice, since another process may have asked the clock a moment later.
        self._longest = 2 * max(LEASE, timedelta(seconds=self._seconds))

    def take(self, wanted: int) -> list[Connection]:
        """As many as are wanted, and free; none where others have them all."""
        with self._store.begin() as session:
            now, holder = records.database_now(session), token_hex(8)
            return [Connection(name, holder, self._seconds)
                    for name in self._free(session, now)[:wanted] if self._claim(session, name, holder, now)]

    def _free(self, session: Session, now: datetime) -> list[str]:
        taken = set(session.scalars(select(LeaseRow.name).where(
            LeaseRow.name.like("letters-%"), LeaseRow.ends_at > now,
            LeaseRow.ends_at <= now + self._longest)))
        return [name for number in range(self._most) if (name := f"letters-{number}") not in taken]

    def _claim(self, session: Session, name: str, holder: str, now: datetime) -> bool:
        # One that ends much further ahead than any lease lasts was written by a clock that was wrong.
        is_free = or_(LeaseRow.ends_at <= now, LeaseRow.ends_at > now + self._longest)
        return records.claim(session, LeaseRow, LeaseRow.name == name, is_free, holder=holder,
                             ends_at=now + LEASE) or records.insert_once(
            session, LeaseRow, name=name, holder=holder, ends_at=now + LEASE)

    def renew(self, connections: Sequence[Connection]) -> None:
        """Keep them; one that another person has taken meanwhile is lost."""
        with self._store.begin() as session:
            ends_at = records.database_now(session) + LEASE
            for connection in connections:
                if not _set_end(session, connection, ends_at):
                    connection.is_lost.set()

    def give_back(self, connections: Sequence[Connection]) -> None:
        """Leave them to the next caller, each when its pace allows the next letter."""
        # Before the clock is asked, which may take a while: an end that is too late does no harm.
        lefts = [connection.left for connection in connections]
        with self._store.begin() as session:
            now = records.database_now(session)
            for connection, left in zip(connections, lefts, strict=True):
                if left:
                    _set_end(session, connection, now + left)
                else:
                    session.execute(delete(LeaseRow).where(*_own(connection)))


def _set_end(session: Session, connection: Connection, ends_at: datetime) -> bool:
    return records.claim(session, LeaseRow, *_own(connection), ends_at=ends_at)


def _own(connection: Connection) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    return LeaseRow.name == connection.name, LeaseRow.holder == connection.holder
