"""Moved deadlines, postal addresses, personal links."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = '0002'
down_revision = '0001'
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table('players', schema=None) as batch_op:
        batch_op.add_column(sa.Column('feed', sa.String(length=64), nullable=True))
        batch_op.add_column(sa.Column('reminders', sa.Boolean(), nullable=False, server_default=sa.false()))
        batch_op.add_column(sa.Column('accommodation', sa.Text(), nullable=False, server_default=''))
        batch_op.create_unique_constraint('uq_players_feed', ['feed'])
    with op.batch_alter_table('phases', schema=None) as batch_op:
        # The server default is for rows that exist: a new column that may not be NULL needs a value for them.
        batch_op.add_column(sa.Column('moved', sa.Integer(), nullable=False, server_default='0'))
        batch_op.add_column(sa.Column('moved_at', sa.DateTime(timezone=True), nullable=True))
    op.create_table('postal',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('player_id', sa.Integer(), nullable=False),
    sa.Column('lines', sa.JSON(), nullable=False),
    sa.Column('first_day', sa.Date(), nullable=True),
    sa.Column('last_day', sa.Date(), nullable=True),
    sa.Column('made_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('made_by', sa.String(length=80), nullable=False),
    # No address is deleted, so that every change can be followed (LIST-05).
    sa.Column('ended_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('ended_by', sa.String(length=80), nullable=True),
    sa.ForeignKeyConstraint(['player_id'], ['players.id'], ),
    sa.PrimaryKeyConstraint('id')
    )
    with op.batch_alter_table('postal', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_postal_player_id'), ['player_id'], unique=False)
    op.create_table('links',
    sa.Column('token_hash', sa.String(length=64), nullable=False),
    sa.Column('player_id', sa.Integer(), nullable=False),
    sa.Column('opens', sa.String(length=20), nullable=False),
    sa.Column('made_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('until', sa.DateTime(timezone=True), nullable=False),
    # The link itself is not stored, only its SHA-256; this closes one that works once (LIST-04).
    sa.Column('used_at', sa.DateTime(timezone=True), nullable=True),
    sa.ForeignKeyConstraint(['player_id'], ['players.id'], ),
    sa.PrimaryKeyConstraint('token_hash')
    )
