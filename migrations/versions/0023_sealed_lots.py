"""Lots by rule 2: a seed that the database does not hold, its digest, what is mixed in, and the round of a
beacon (docs/record.md, "Lots"). Phases that are planned already keep rule 1, which letters have named."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = '0023'
down_revision = '0022'
branch_labels = None
depends_on = None

FIRST = 151
"""The number of the first trigger here; those of 0022 count from 101."""
TRIGGERS = (("phase", "phases", "UPDATE", "sealed, commitment, draw", "NEW.id"),)


def upgrade() -> None:
    op.add_column('phases', sa.Column('sealed', sa.String(length=64), nullable=True))
    op.add_column('phases', sa.Column('commitment', sa.String(length=64), nullable=True))
    op.add_column('phases', sa.Column('draw', sa.JSON(none_as_null=True), nullable=True))
    op.add_column('phases', sa.Column('beacon', sa.JSON(none_as_null=True), nullable=True))
    on_postgresql = op.get_bind().dialect.name == 'postgresql'
    for number, (kind, table, write, columns, fact) in enumerate(TRIGGERS, start=FIRST):
        if on_postgresql:
            op.execute(
                f"CREATE FUNCTION record_{number}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
                f"INSERT INTO record_due (what, fact) VALUES ('{kind}', CAST({fact} AS TEXT)); RETURN NULL; "
                "END $$")
            op.execute(f"CREATE TRIGGER record_{number} AFTER {write} OF {columns} ON {table} FOR EACH ROW "
                       f"EXECUTE FUNCTION record_{number}()")
        else:
            op.execute(
                f"CREATE TRIGGER record_{number} AFTER {write} OF {columns} ON {table} BEGIN "
                f"INSERT INTO record_due (what, fact) VALUES ('{kind}', CAST({fact} AS TEXT)); END")
