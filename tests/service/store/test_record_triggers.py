"""The triggers of the record fit the tables."""

from __future__ import annotations

from service.store.record_triggers import TRIGGERS
from service.store.tables import TableBase


def test_a_trigger_names_columns_that_its_table_has() -> None:
    """SQLite makes a trigger of a column that there is not; PostgreSQL refuses it, and no site begins."""
    tables = TableBase.metadata.tables
    assert {trigger.name: unknown for trigger in TRIGGERS
            if (unknown := set(trigger.columns) - set(tables[trigger.table].columns.keys()))} == {}
