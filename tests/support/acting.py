"""Acts of a person over a table of the tests, in one transaction or in the caller's."""

from __future__ import annotations

from datetime import datetime
from typing import TypeVar

from sqlalchemy.orm import Session

from service.games.acts.act import Act, ActTable, Circulars, perform
from tests.support.table import ORDERS, Table

Outcome = TypeVar("Outcome")
BY = "Ada"


def at(
    session: Session, table: Table, by: str = BY, now: datetime | None = None,
    circulars: Circulars | None = None,
) -> ActTable:
    """Where `by` acts on the game of a table; without `circulars` no player is written to."""
    return ActTable(session, by, now or table.site.clock.now(), table.load, circulars, ORDERS)


def do(
    table: Table, act: Act[Outcome], by: str = BY, now: datetime | None = None,
    circulars: Circulars | None = None,
) -> Outcome:
    """Perform an act in a transaction of its own; what its change left. Raises Refused."""
    with table.site.store.begin() as session:
        return perform(act, at(session, table, by, now, circulars)).outcome
