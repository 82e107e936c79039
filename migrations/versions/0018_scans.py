"""Scans of letters that wait on the Post page to be filed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = '0018'
down_revision = '0017'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        'scans',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('original', sa.String(64), nullable=False),
        sa.Column('upright', sa.String(64), nullable=True),
        sa.Column('pages', sa.Integer(), nullable=False),
        sa.Column('put_at', sa.DateTime(timezone=True), nullable=False),
        sa.Column('put_by', sa.String(80), nullable=False),
        sa.Column('read_at', sa.DateTime(timezone=True), nullable=True),
        sa.Column('phase_id', sa.Integer(), nullable=True),
        sa.Column('power', sa.String(40), nullable=True),
        sa.Column('version', sa.Integer(), nullable=True),
        sa.Column('submission_id', sa.Integer(), nullable=True),
        sa.Column('ended_at', sa.DateTime(timezone=True), nullable=True),
        sa.Column('ended_by', sa.String(80), nullable=True),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_scans')),
    )
    op.create_index(op.f('ix_scans_original'), 'scans', ['original'])
    op.create_index(op.f('ix_scans_upright'), 'scans', ['upright'])
