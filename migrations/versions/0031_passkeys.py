"""Passkeys: the public half of each, and what a browser was asked to sign."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = '0031'
down_revision = '0030'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        'passkeys',
        sa.Column('id', sa.String(length=1400), nullable=False),
        sa.Column('user', sa.String(length=80), nullable=False),
        sa.Column('public_key', sa.Text(), nullable=False),
        sa.Column('count', sa.Integer(), nullable=False),
        sa.Column('label', sa.String(length=80), nullable=False),
        sa.Column('made_at', sa.DateTime(timezone=True), nullable=False),
        sa.Column('used_at', sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(['user'], ['users.name']),
        sa.PrimaryKeyConstraint('id'),
    )
    op.create_index('ix_passkeys_user', 'passkeys', ['user'])
    op.create_table(
        'passkey_challenges',
        sa.Column('challenge_hash', sa.String(length=64), nullable=False),
        sa.Column('network_hash', sa.String(length=64), nullable=False),
        sa.Column('user', sa.String(length=80), nullable=True),
        sa.Column('made_at', sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(['user'], ['users.name']),
        sa.PrimaryKeyConstraint('challenge_hash'),
    )
    op.create_index('ix_passkey_challenges_network_hash', 'passkey_challenges', ['network_hash'])
