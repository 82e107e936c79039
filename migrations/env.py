"""Alembic's entry: runs the scripts in `versions` on the connection that `service.store.engine` hands over.

Only tables of `service.store.tables` are ours; the work queue keeps its own tables in the same database.
"""

from __future__ import annotations

from alembic import context
from sqlalchemy import Connection

from service.store.tables import Instant, TableBase


# Else a comparison with our tables would want to drop those of the work queue.
def _ours(name: str | None, kind: str, _parents: object) -> bool:
    return kind != "table" or name in TableBase.metadata.tables


def _plain(_kind: str, item: object, _autogen: object) -> str | bool:
    """A script names plain column types, so that it still runs when our own class has moved."""
    return "sa.DateTime(timezone=True)" if isinstance(item, Instant) else False


def run() -> None:
    """Run the scripts inside the caller's transaction. Raises TypeError without a connection."""
    connection = context.config.attributes.get("connection")
    if not isinstance(connection, Connection):
        raise TypeError("migrations run through service.store.engine.migrate(url)")
    context.configure(
        connection=connection,
        target_metadata=TableBase.metadata,
        include_name=_ours,
        # SQLite cannot change a column in place: in batch mode Alembic makes the table again and copies the
        # rows.
        render_as_batch=True,
        compare_type=True,
        render_item=_plain,
    )
    with context.begin_transaction():
        context.run_migrations()


run()
