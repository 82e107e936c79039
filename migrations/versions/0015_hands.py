"""Players' hands, and which of them read a sheet."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = '0015'
down_revision = '0014'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        'hands',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('player_id', sa.Integer(), nullable=False),
        sa.Column('version', sa.Integer(), nullable=False),
        sa.Column('digest', sa.String(64), nullable=False),
        sa.Column('base', sa.String(64), nullable=False),
        sa.Column('layer', sa.Text(), nullable=True),
        sa.Column('lines', sa.JSON(), nullable=False),
        sa.Column('made_at', sa.DateTime(timezone=True), nullable=False),
        sa.Column('forgotten_at', sa.DateTime(timezone=True), nullable=True),
        sa.Column('forgotten_by', sa.String(80), nullable=True),
        sa.ForeignKeyConstraint(['player_id'], ['players.id'], name=op.f('fk_hands_player_id_players')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_hands')),
        sa.UniqueConstraint('player_id', 'version', name=op.f('uq_hands_player_id')),
    )
    op.create_index(op.f('ix_hands_player_id'), 'hands', ['player_id'])
    # Not as a batch: a new table in place of the old one would lose the record's triggers.
    op.add_column('submissions', sa.Column('hand', sa.String(64), nullable=True))
