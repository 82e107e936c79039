"""Mails that the mail server keeps from us, and deadlines that wait for the mailbox."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = '0011'
down_revision = '0010'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        'mail_troubles',
        sa.Column('account', sa.String(length=200), nullable=False),
        sa.Column('folder', sa.String(length=200), nullable=False),
        sa.Column('uidvalidity', sa.String(length=80), nullable=False),
        sa.Column('uid', sa.String(length=300), nullable=False),
        sa.Column('kind', sa.String(length=20), nullable=False),
        sa.Column('why', sa.Text(), nullable=False),
        sa.Column('since', sa.DateTime(timezone=True), nullable=False),
        sa.Column('tries', sa.Integer(), nullable=False),
        sa.Column('due_at', sa.DateTime(timezone=True), nullable=False),
        sa.Column('size', sa.Integer(), nullable=True),
        sa.Column('received_at', sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint('account', 'folder', 'uidvalidity', 'uid'),
    )
    op.create_index('mail_troubles_by_kind', 'mail_troubles', ['kind', 'received_at'])
    op.create_table(
        'mailbox_waits',
        sa.Column('phase_id', sa.Integer(), nullable=False),
        sa.Column('since', sa.DateTime(timezone=True), nullable=False),
        sa.Column('why', sa.Text(), nullable=False),
        sa.Column('waived_at', sa.DateTime(timezone=True), nullable=True),
        sa.Column('waived_by', sa.String(length=80), nullable=True),
        sa.Column('waived_why', sa.Text(), nullable=True),
        sa.Column('ended_at', sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(['phase_id'], ['phases.id']),
        sa.PrimaryKeyConstraint('phase_id'),
    )
