"""Roles in single games, and triggers that enter them in each game's record (docs/record.md, `person`)."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = '0030'
down_revision = '0024'
branch_labels = None
depends_on = None

FIRST = 201
"""The number of the first trigger here; those of 0022 count from 101."""
TRIGGERS = (("INSERT", "NEW"), ("UPDATE", "NEW"), ("DELETE", "OLD"))


def upgrade() -> None:
    op.create_table(
        'game_roles',
        sa.Column('user', sa.String(length=80), nullable=False),
        sa.Column('game_id', sa.String(length=80), nullable=False),
        sa.Column('role', sa.String(length=20), nullable=False),
        sa.ForeignKeyConstraint(['user'], ['users.name']),
        sa.ForeignKeyConstraint(['game_id'], ['games.id']),
        sa.PrimaryKeyConstraint('user', 'game_id'),
    )
    on_postgresql = op.get_bind().dialect.name == 'postgresql'
    for number, (write, row) in enumerate(TRIGGERS, start=FIRST):
        # "user" is a word of PostgreSQL.
        insert = f"""INSERT INTO record_due (what, fact) VALUES ('person', {row}."user");"""
        if on_postgresql:
            op.execute(
                f"CREATE FUNCTION record_{number}() RETURNS trigger LANGUAGE plpgsql AS $$ "
                f"BEGIN {insert} RETURN NULL; END $$"
            )
            op.execute(
                f"CREATE TRIGGER record_{number} AFTER {write} ON game_roles FOR EACH ROW "
                f"EXECUTE FUNCTION record_{number}()"
            )
        else:
            op.execute(f"CREATE TRIGGER record_{number} AFTER {write} ON game_roles BEGIN {insert} END")
