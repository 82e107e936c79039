"""Plain letters of players with the coordinator's answers, and ignored mails for a coordinator to see."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = '0010'
down_revision = '0009'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        'ignored_mails',
        sa.Column('sha256', sa.String(length=64), nullable=False),
        sa.Column('player_id', sa.Integer(), nullable=False),
        sa.Column('sender', sa.String(length=320), nullable=False),
        sa.Column('reason', sa.String(length=60), nullable=False),
        sa.Column('subject', sa.Text(), nullable=False),
        sa.Column('noted_at', sa.DateTime(timezone=True), nullable=False),
        sa.Column('ended_at', sa.DateTime(timezone=True), nullable=True),
        sa.Column('ended_by', sa.String(length=80), nullable=True),
        sa.Column('ended_as', sa.String(length=20), nullable=True),
        sa.ForeignKeyConstraint(['sha256'], ['mails.sha256']),
        sa.ForeignKeyConstraint(['player_id'], ['players.id']),
        sa.PrimaryKeyConstraint('sha256'),
    )
    op.create_index('ignored_mails_by_end', 'ignored_mails', ['ended_at', 'noted_at'])
    op.create_index('ix_ignored_mails_player_id', 'ignored_mails', ['player_id'])
    op.create_table(
        'correspondence',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('player_id', sa.Integer(), nullable=False),
        sa.Column('game_id', sa.String(length=80), nullable=True),
        sa.Column('sha256', sa.String(length=64), nullable=True),
        sa.Column('letter_id', sa.Integer(), nullable=True),
        sa.Column('at', sa.DateTime(timezone=True), nullable=False),
        sa.Column('by', sa.String(length=80), nullable=True),
        sa.Column('subject', sa.Text(), nullable=False),
        sa.Column('words', sa.Text(), nullable=False),
        sa.Column('quoted', sa.Text(), nullable=False),
        sa.Column('files', sa.JSON(), nullable=False),
        sa.Column('done_at', sa.DateTime(timezone=True), nullable=True),
        sa.Column('done_by', sa.String(length=80), nullable=True),
        sa.ForeignKeyConstraint(['player_id'], ['players.id']),
        sa.ForeignKeyConstraint(['game_id'], ['games.id']),
        sa.ForeignKeyConstraint(['sha256'], ['mails.sha256']),
        sa.ForeignKeyConstraint(['letter_id'], ['outbox.id']),
        sa.PrimaryKeyConstraint('id'),
        sa.UniqueConstraint('sha256'),
        sa.UniqueConstraint('letter_id'),
    )
    op.create_index('correspondence_of_a_player', 'correspondence', ['player_id', 'at'])
    op.create_index('correspondence_by_end', 'correspondence', ['done_at', 'at'])
