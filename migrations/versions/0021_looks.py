"""Which phases the clockwork has put into the queue, and which process leads."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = '0021'
down_revision = '0020'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        'phase_looks',
        sa.Column('phase_id', sa.Integer(), nullable=False),
        sa.Column('work', sa.String(length=20), nullable=False),
        sa.Column('instant', sa.DateTime(timezone=True), nullable=False),
        sa.Column('next_at', sa.DateTime(timezone=True), nullable=False),
        sa.Column('clock_set', sa.String(length=40), nullable=False),
        sa.ForeignKeyConstraint(['phase_id'], ['phases.id']),
        sa.PrimaryKeyConstraint('phase_id', 'work'),
    )
    op.create_table(
        'leases',
        sa.Column('name', sa.String(length=40), nullable=False),
        sa.Column('holder', sa.String(length=120), nullable=False),
        sa.Column('ends_at', sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint('name'),
    )
    # A look counts letters by their times alone; the old index began with the same columns.
    op.create_index('outbox_claims', 'outbox', ['state', 'claimed_until'])
    op.create_index('mails_to_try', 'mails', ['state', 'try_again_at'])
