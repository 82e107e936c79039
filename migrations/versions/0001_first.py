"""All tables, and the triggers of the record.

No release was made yet, so the tables are made as `service.store.tables` describes them today: until 1.0.0 a
change of a table is made there alone, and a database of an earlier day is made anew. The release of 1.0.0
writes them out here, and every later change is a script of its own.
"""

from __future__ import annotations

from alembic import op

from service.store.record_triggers import TRIGGERS
from service.store.tables import TableBase

revision = '0001'
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    connection = op.get_bind()
    TableBase.metadata.create_all(connection)
    for trigger in TRIGGERS:
        for statement in trigger.statements(connection.dialect.name):
            op.execute(statement)
