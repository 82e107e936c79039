"""The triggers of the record name tables and columns that there are."""

from __future__ import annotations

from service.store.record_triggers import TRIGGERS
from service.store.tables import TableBase


def test_each_trigger_is_for_a_table_and_columns_that_there_are() -> None:
    """SQLite makes a trigger for a column that there is none of, and never fires it; PostgreSQL makes no
    site (the column `lots`, which had gone from `phases`)."""
    for trigger in TRIGGERS:
        columns = set(TableBase.metadata.tables[trigger.table].columns.keys())
        assert set(trigger.columns) <= columns, trigger
