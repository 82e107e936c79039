"""Sessions whose writes are entered in the record of their game before each commit.

What makes the entries is loaded with the first write that belongs in a record: a command that only looks
something up needs none of it.
"""

from __future__ import annotations

from sqlalchemy import Engine, event, select
from sqlalchemy.orm import Session, sessionmaker

from service.clock import Clock
from service.facts.options import BEACON
from service.site_key import IN_SESSION, SiteKey
from service.store.engine import Store
from service.store.tables import RecordPendingRow


def sessions(
    engine: Engine, clock: Clock | None = None, key: SiteKey | None = None, beacon: str = ""
) -> Store:
    """A session maker whose writes are entered in the record of their game before each commit.

    `clock` dates the entries; without one the machine's clock does. `key`: the site's; without it nothing can
    be planned or judged that has lots, and no receipt be signed. `beacon`: that of games begun here, or "".
    Rows stay readable after the commit."""
    return record_writes(sessionmaker(engine, expire_on_commit=False, info={
        "clock": clock, IN_SESSION: key, BEACON: beacon}))


def record_writes(store: sessionmaker[Session]) -> sessionmaker[Session]:
    """Have every transaction of this session maker enter what it writes; returns the same session maker."""
    event.listen(store, "before_commit", _enter)
    return store


def has_unentered(session: Session) -> bool:
    """Whether a transaction wrote something that belongs in a record and is not entered yet."""
    # A savepoint may still be rolled back: its writes are entered with the transaction around it.
    if session.in_nested_transaction():
        return False
    session.flush()
    return session.scalar(select(RecordPendingRow.id).limit(1)) is not None


def _enter(session: Session) -> None:
    if has_unentered(session):
        from service.record import chain

        chain.enter(session)
