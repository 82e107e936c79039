"""Acts of a person over a table of the tests, in one transaction or in the caller's."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, TypeVar

from sqlalchemy.orm import Session

from service.games.acts.act import Act, ActTable, Circulars, perform
from service.store import records
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
    """Perform an act in its own transaction; what its change left. Raises Refused."""
    with table.site.store.begin() as session:
        return perform(act, at(session, table, by, now, circulars)).outcome


def enter(
    session: Session, now: datetime, by: str, kind: str, *, game_id: str | None = None,
    detail: Mapping[str, Any] | None = None,
) -> None:
    """Enter an event of a person that no one performed: in a log that a test only reads, or by a cheat."""
    records.log_act(
        session, now, by, kind, game_id=game_id, detail=dict(detail or {}))  # type: ignore[arg-type]
