"""One process of a site does what only one should do. Which one is written in the database, for a few seconds
at a time.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from time import monotonic

from sqlalchemy import or_

from service.store import records
from service.store.engine import Store
from service.store.tables import LeaseRow

LEASE = timedelta(seconds=6)
"""How long a process that fell silent still leads."""

CLOCKWORK = "clockwork"
"""Name of the lease on what the site does by the clock."""

_LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)


class Leadership:
    """The lease of one process, `holder`, on the site's clockwork.

    Two that lead at once, because a machine's clock is wrong, do no harm: each effect has one key in the
    queue.
    """

    def __init__(self, store: Store, holder: str, name: str = CLOCKWORK) -> None:
        self._store, self._holder, self._name = store, holder, name
        self._leads_until = 0.0

    def leads(self) -> bool:
        """Whether this process leads; the lease is renewed when half of it is over, and taken when nobody has
        it."""
        # Counted in seconds of this process: a clock that is set must not lengthen a lease.
        left = self._leads_until - monotonic()
        if left > LEASE.total_seconds() / 2:
            return True
        begun, now = monotonic(), datetime.now(UTC)
        with self._store.begin() as session:
            # One that ends far ahead was written before the clock was set back. Not by a moment: another
            # process that asked the clock just after this one ends a little later.
            is_free = or_(LeaseRow.holder == self._holder, LeaseRow.ends_at <= now,
                          LeaseRow.ends_at > now + 2 * LEASE)
            leads = records.claim(
                session, LeaseRow, LeaseRow.name == self._name, is_free,
                holder=self._holder, ends_at=now + LEASE,
            ) or records.insert_once(
                session, LeaseRow, name=self._name, holder=self._holder, ends_at=now + LEASE)
        self._leads_until = begun + LEASE.total_seconds() if leads else 0.0
        return leads

    def resign(self) -> None:
        """Leave the lease to whoever asks next."""
        self._leads_until = 0.0
        with self._store.begin() as session:
            records.claim(session, LeaseRow, LeaseRow.name == self._name, LeaseRow.holder == self._holder,
                          ends_at=_LONG_AGO)
