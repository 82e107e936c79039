"""Games that are over may lie on the shelf: their large rows in a file among the blobs."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = '0042'
down_revision = '0041'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        'shelved_games',
        sa.Column('game_id', sa.String(length=80), nullable=False),
        sa.Column('blob', sa.String(length=64), nullable=False),
        sa.Column('number', sa.Integer(), nullable=False),
        sa.Column('link', sa.String(length=64), nullable=False),
        sa.Column('rows', sa.JSON(), nullable=False),
        sa.Column('highest', sa.JSON(), nullable=False),
        sa.Column('players', sa.JSON(), nullable=False),
        sa.Column('shelved_at', sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(['game_id'], ['games.id']),
        sa.PrimaryKeyConstraint('game_id'),
    )
    op.create_table(
        'shelved_files',
        sa.Column('game_id', sa.String(length=80), nullable=False),
        sa.Column('blob', sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(['game_id'], ['games.id']),
        sa.PrimaryKeyConstraint('game_id', 'blob'),
    )
    op.create_index('ix_shelved_files_blob', 'shelved_files', ['blob'])
