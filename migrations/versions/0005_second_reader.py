"""Two readers of a line, corrections of what was sent, switches held by hand."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = '0005'
down_revision = '0004'
branch_labels = None
depends_on = None


def upgrade() -> None:
    # Plain ALTER TABLE ADD COLUMN: both databases have it, and no table is copied.
    # The mode is the phase's, not the game's: a game may change its option while a phase is read.
    op.add_column('phases', sa.Column('review', sa.String(length=10), nullable=False, server_default='none'))
    op.add_column('reviews', sa.Column('settles', sa.Boolean(), nullable=False, server_default=sa.false()))
    # A correction of sent results is told to all and stays on record.
    op.create_table('corrections',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('key', sa.String(length=64), nullable=False),
    sa.Column('phase_id', sa.Integer(), nullable=False),
    sa.Column('said', sa.Text(), nullable=False),
    sa.Column('is_right', sa.Text(), nullable=False),
    sa.Column('effect', sa.Text(), nullable=False),
    sa.Column('found_by', sa.String(length=200), nullable=False),
    sa.Column('by', sa.String(length=80), nullable=False),
    sa.Column('at', sa.DateTime(timezone=True), nullable=False),
    sa.ForeignKeyConstraint(['phase_id'], ['phases.id'], ),
    sa.PrimaryKeyConstraint('id'),
    sa.UniqueConstraint('key')
    )
    with op.batch_alter_table('corrections', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_corrections_phase_id'), ['phase_id'], unique=False)
    # Such as sending, held by hand: a provider that asks for a pause gets one while the site goes on.
    op.create_table('switches',
    sa.Column('name', sa.String(length=40), nullable=False),
    sa.Column('by', sa.String(length=80), nullable=False),
    sa.Column('why', sa.Text(), nullable=False),
    sa.Column('at', sa.DateTime(timezone=True), nullable=False),
    sa.PrimaryKeyConstraint('name')
    )
