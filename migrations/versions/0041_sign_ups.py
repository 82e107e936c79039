"""Games that are offered, sign-ups for them, and absences of players."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = '0041'
down_revision = '0040'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        'offers',
        sa.Column('id', sa.String(length=80), nullable=False),
        sa.Column('name', sa.String(length=200), nullable=False),
        sa.Column('variant', sa.String(length=40), nullable=False),
        sa.Column('dates', sa.JSON(), nullable=False),
        sa.Column('note', sa.Text(), nullable=False),
        sa.Column('made_at', sa.DateTime(timezone=True), nullable=False),
        sa.Column('made_by', sa.String(length=80), nullable=False),
        sa.Column('sealed', sa.String(length=64), nullable=False),
        sa.Column('commitment', sa.String(length=64), nullable=False),
        sa.Column('drawn', sa.JSON(), nullable=True),
        sa.Column('drawn_at', sa.DateTime(timezone=True), nullable=True),
        sa.Column('game_id', sa.String(length=80), nullable=True),
        sa.Column('ended_at', sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint('id'),
        sa.UniqueConstraint('name'),
    )
    op.create_table(
        'sign_ups',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('offer_id', sa.String(length=80), nullable=False),
        sa.Column('number', sa.Integer(), nullable=True),
        sa.Column('name', sa.String(length=200), nullable=False),
        sa.Column('email', sa.String(length=320), nullable=False),
        sa.Column('zone', sa.String(length=60), nullable=False),
        sa.Column('language', sa.String(length=8), nullable=False),
        sa.Column('home', sa.JSON(), nullable=False),
        sa.Column('preferences', sa.JSON(), nullable=False),
        sa.Column('dates', sa.JSON(), nullable=False),
        sa.Column('made_at', sa.DateTime(timezone=True), nullable=False),
        sa.Column('link_hash', sa.String(length=64), nullable=False),
        sa.Column('mailed_at', sa.DateTime(timezone=True), nullable=True),
        sa.Column('confirmed_at', sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(['offer_id'], ['offers.id']),
        sa.PrimaryKeyConstraint('id'),
        sa.UniqueConstraint('link_hash'),
        sa.UniqueConstraint('offer_id', 'email'),
    )
    op.create_index('ix_sign_ups_offer_id', 'sign_ups', ['offer_id'])
    op.create_table(
        'absences',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('game_id', sa.String(length=80), nullable=False),
        sa.Column('player_id', sa.Integer(), nullable=False),
        sa.Column('first_day', sa.Date(), nullable=False),
        sa.Column('last_day', sa.Date(), nullable=False),
        sa.Column('made_at', sa.DateTime(timezone=True), nullable=False),
        sa.Column('made_by', sa.String(length=80), nullable=False),
        sa.Column('ended_at', sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(['game_id'], ['games.id']),
        sa.ForeignKeyConstraint(['player_id'], ['players.id']),
        sa.PrimaryKeyConstraint('id'),
    )
    op.create_index('absences_of_a_game', 'absences', ['game_id', 'last_day'])
