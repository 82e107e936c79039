"""The keys that receipts of a game are signed with (docs/record.md, "A signed receipt")."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = '0024'
down_revision = '0023'
branch_labels = None
depends_on = None

FIRST = 161
"""The number of the first trigger here; those of 0023 count from 151."""
OLD, NEW = "OLD.game_id || ':' || OLD.number", "NEW.game_id || ':' || NEW.number"
TRIGGERS = (
    ("key", "INSERT", NEW),
    ("key", "UPDATE", NEW),
    ("gone", "DELETE", f"'key:' || {OLD}"),
)


def upgrade() -> None:
    op.create_table(
        'game_keys',
        sa.Column('game_id', sa.String(length=80), nullable=False),
        sa.Column('number', sa.Integer(), autoincrement=False, nullable=False),
        sa.Column('public', sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(['game_id'], ['games.id']),
        sa.PrimaryKeyConstraint('game_id', 'number'),
    )
    on_postgresql = op.get_bind().dialect.name == 'postgresql'
    for number, (kind, write, fact) in enumerate(TRIGGERS, start=FIRST):
        note = f"INSERT INTO record_due (what, fact) VALUES ('{kind}', CAST({fact} AS TEXT));"
        if on_postgresql:
            op.execute(f"CREATE FUNCTION record_{number}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
                       f"{note} RETURN NULL; END $$")
            op.execute(f"CREATE TRIGGER record_{number} AFTER {write} ON game_keys FOR EACH ROW "
                       f"EXECUTE FUNCTION record_{number}()")
        else:
            op.execute(f"CREATE TRIGGER record_{number} AFTER {write} ON game_keys BEGIN {note} END")
