"""Rows as JSON lines and back, the same for SQLite and PostgreSQL: the content of backups and archives."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import date, datetime
from typing import Any

from sqlalchemy import Connection, Date, Select, Table, insert, select, text

from service.store.columns import Instant, TableBase
from service.store.tables import RecordPendingRow, ShelvedGameRow, SignInTryRow, WorkerRow

BATCH = 500
NOT_KEPT = frozenset((RecordPendingRow.__tablename__, WorkerRow.__tablename__, SignInTryRow.__tablename__))
"""Tables that have nothing after a restart: what waits to be entered, which process is alive, and tries to
sign in."""


def tables() -> list[Table]:
    """Every table that is dumped, each after those it points to."""
    return [table for table in TableBase.metadata.sorted_tables if table.name not in NOT_KEPT]


def lines(connection: Connection, table: Table, where: Select[Any] | None = None) -> Iterator[bytes]:
    """Each row of a table, or those of a selection of it, in the order of its key, as a line of JSON."""
    query = (select(table) if where is None else where).order_by(*table.primary_key.columns)
    for row in connection.execute(query.execution_options(yield_per=BATCH)).mappings():
        fields = {name: value.isoformat() if isinstance(value, date) else value
                  for name, value in row.items()}
        yield (json.dumps(fields, ensure_ascii=False, sort_keys=True) + "\n").encode()


def load(connection: Connection, table: Table, rows: Iterable[bytes]) -> int:
    """Put rows back as they were; how many. Raises KeyError for a column that the table does not have."""
    count, batch = 0, []
    for line in rows:
        batch.append({name: _value(table, name, value) for name, value in json.loads(line).items()})
        count += 1
        if len(batch) == BATCH:
            connection.execute(insert(table), batch)
            batch = []
    if batch:
        connection.execute(insert(table), batch)
    return count


def _value(table: Table, name: str, value: Any) -> Any:
    kind = table.columns[name].type
    if value is None:
        return None
    if isinstance(kind, Instant):
        return datetime.fromisoformat(value)
    return date.fromisoformat(value) if isinstance(kind, Date) else value


def settle_counters(connection: Connection) -> None:
    """After rows were put in with their numbers, let PostgreSQL count on from the highest; SQLite does by
    itself."""
    if connection.dialect.name != "postgresql":
        return
    # Rows of games on the shelf keep their numbers.
    away: dict[str, int] = {}
    for highest in connection.execute(select(ShelvedGameRow.highest)).scalars():
        away |= {name: max(number, away.get(name, 0)) for name, number in highest.items()}
    for table in TableBase.metadata.sorted_tables:
        column = table.autoincrement_column
        if column is not None:
            # Names of our own tables, never of a person.
            sequence = f"pg_get_serial_sequence('{table.name}', '{column.name}')"
            reserved = int(away.get(table.name, 0))
            highest = f"GREATEST((SELECT max({column.name}) FROM {table.name}), {reserved}, 1)"  # noqa: S608
            filled = f"((SELECT count(*) > 0 FROM {table.name}) OR {reserved} > 0)"  # noqa: S608
            connection.execute(text(f"SELECT setval({sequence}, {highest}, {filled})"))
