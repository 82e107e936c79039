"""The queue's own rows, which DBOS keeps beside our tables: copied into another database, or removed.

Ended jobs count too: their keys say which work was done, and a key that is forgotten could run again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from sqlalchemy import JSON, Boolean, Column, Connection, MetaData, Table, delete, insert, inspect, select

SCHEMA = "dbos"
"""Where DBOS has its tables on PostgreSQL; on SQLite they lie among ours."""
JOBS = "workflow_status"
KEY = "workflow_uuid"
TABLES = (
    JOBS, "workflow_input", "workflow_output", "operation_outputs", "workflow_events",
    "workflow_events_history", "streams", "notifications",
)  # fmt: skip
"""Tables that are about a job, each after those it points to. Queues and versions are registered anew by each
process that starts."""
BATCH = 500


def tables(connection: Connection) -> dict[str, Table]:
    """The tables about jobs that this database has, by name; none where no site was ever opened."""
    schema = None if connection.dialect.name == "sqlite" else SCHEMA
    known = set(inspect(connection).get_table_names(schema=schema))
    metadata = MetaData()
    return {
        name: Table(name, metadata, schema=schema, autoload_with=connection, resolve_fks=False)
        for name in TABLES
        if name in known
    }


def count(connection: Connection) -> int:
    """How many jobs are known, those that ended included."""
    jobs = tables(connection).get(JOBS)
    return 0 if jobs is None else len(connection.execute(select(jobs.c[KEY])).all())


def copy(source: Connection, target: Connection) -> int:
    """Copy every job with what it has done so far into empty tables; how many rows. Raises KeyError if the
    target lacks a table or a column that has rows."""
    rows, into = 0, tables(target)
    for name, table in tables(source).items():
        result = source.execute(select(table).execution_options(yield_per=BATCH))
        for part in result.mappings().partitions(BATCH):
            target.execute(insert(into[name]), [_fitted(row, into[name]) for row in part])
            rows += len(part)
    return rows


def _fitted(row: Any, table: Table) -> dict[str, Any]:
    return {name: _value(value, table.columns[name]) for name, value in row.items()}


def _value(value: Any, column: Column[Any]) -> Any:
    # SQLite has numbers for truth, and text where PostgreSQL has JSON.
    if value is not None and isinstance(column.type, Boolean):
        return bool(value)
    if isinstance(value, str) and isinstance(column.type, JSON):
        return json.loads(value)
    return value


def remove(connection: Connection, keys: Iterable[str]) -> int:
    """Forget these jobs, whatever state they are in; how many there were."""
    known, removed = tables(connection), 0
    wanted = list(keys)
    for begin in range(0, len(wanted), BATCH):
        part = wanted[begin : begin + BATCH]
        for name, table in reversed(known.items()):
            if KEY in table.c:
                gone = connection.execute(delete(table).where(table.c[KEY].in_(part))).rowcount
                removed += gone if name == JOBS else 0
    return removed
