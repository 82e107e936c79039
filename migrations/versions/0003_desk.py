"""What the reading page keeps: acts with their undoing, each person's keys, and who unsealed a phase and
why."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = '0003'
down_revision = '0002'
branch_labels = None
depends_on = None


def upgrade() -> None:
    # Undo and redo need to know what one key press did; a repeated undo must change nothing.
    op.create_table('acts',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('key', sa.String(length=64), nullable=False),
    sa.Column('phase_id', sa.Integer(), nullable=False),
    sa.Column('kind', sa.String(length=10), nullable=False),
    sa.Column('reviews', sa.JSON(), nullable=False),
    sa.Column('target', sa.Integer(), nullable=True),
    sa.Column('by', sa.String(length=80), nullable=False),
    sa.Column('at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('undone_at', sa.DateTime(timezone=True), nullable=True),
    sa.ForeignKeyConstraint(['phase_id'], ['phases.id'], ),
    sa.PrimaryKeyConstraint('id'),
    # The browser's id of the request: one delivered twice is refused by the database.
    sa.UniqueConstraint('key')
    )
    with op.batch_alter_table('acts', schema=None) as batch_op:
        batch_op.create_index('acts_of_a_person', ['phase_id', 'by'], unique=False)
    # Plain ALTER TABLE ADD COLUMN: both databases have it, and no table is copied.
    op.add_column('phases', sa.Column('unsealed_at', sa.DateTime(timezone=True), nullable=True))
    op.add_column('phases', sa.Column('unsealed_by', sa.String(length=80), nullable=True))
    # DESK-02: the next results print who opened the sheets early, and why.
    op.add_column('phases', sa.Column('unsealed_why', sa.Text(), nullable=True))
    op.add_column('users', sa.Column('keys', sa.JSON(none_as_null=True), nullable=True))
