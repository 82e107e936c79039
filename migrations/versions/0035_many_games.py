"""What a site of many games needs: whose a mail is before it is judged, when a phase is looked at once more,
what the mailbox held at a deadline, and in which order letters leave."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = '0035'
down_revision = '0031'
branch_labels = None
depends_on = None


def upgrade() -> None:
    # None for a mail from before: it may be anybody's.
    op.add_column('mails', sa.Column('author', sa.String(length=64), nullable=True))
    op.create_index('mails_by_author', 'mails', ['state', 'author'])
    op.add_column('phase_looks', sa.Column('turn', sa.Integer(), nullable=False, server_default='0'))
    # A look asks once a second for what opens; without this it read every waiting phase of the calendar.
    op.create_index('phases_opening', 'phases', ['state', 'opens_at'])
    op.create_table(
        'mailbox_drains',
        sa.Column('name', sa.String(length=40), nullable=False),
        sa.Column('began_at', sa.DateTime(timezone=True), nullable=True),
        sa.Column('ended_at', sa.DateTime(timezone=True), nullable=True),
        sa.Column('trouble', sa.Text(), nullable=False),
        sa.Column('left', sa.JSON(), nullable=False),
        sa.Column('unreadable', sa.Integer(), nullable=False),
        sa.Column('wanted_at', sa.DateTime(timezone=True), nullable=True),
        sa.Column('claimed_until', sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint('name'),
    )
    op.add_column('outbox', sa.Column('rank', sa.Integer(), nullable=False, server_default='0'))
    op.create_index('outbox_order', 'outbox', ['state', 'rank', 'id'])
