"""Letters that came by post: postmark, day of receipt, and the paper they were filed as."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = '0004'
down_revision = '0003'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table('posted',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('phase_id', sa.Integer(), nullable=False),
    sa.Column('power', sa.String(length=80), nullable=False),
    # A postmark cannot always be read; the day on which the letter came is always known.
    sa.Column('postmark', sa.Date(), nullable=True),
    sa.Column('received', sa.Date(), nullable=False),
    # NULL where only the tick "original received" was set and no scan was filed.
    sa.Column('submission_id', sa.Integer(), nullable=True),
    sa.Column('made_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('made_by', sa.String(length=80), nullable=False),
    sa.Column('ended_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('ended_by', sa.String(length=80), nullable=True),
    sa.ForeignKeyConstraint(['phase_id'], ['phases.id'], ),
    sa.ForeignKeyConstraint(['submission_id'], ['submissions.id'], ),
    sa.PrimaryKeyConstraint('id'),
    sa.UniqueConstraint('submission_id')
    )
    with op.batch_alter_table('posted', schema=None) as batch_op:
        batch_op.create_index('posted_of_a_phase', ['phase_id', 'power'], unique=False)
