"""Signing in: tries are counted here, browsers are known, and an app may give codes beside the password."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = '0019'
down_revision = '0018'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        'sign_in_tries',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('subject', sa.String(length=64), nullable=False),
        sa.Column('at', sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint('id'),
    )
    op.create_index('sign_in_tries_of_a_subject', 'sign_in_tries', ['subject', 'at'])
    op.create_table(
        'known_browsers',
        sa.Column('token_hash', sa.String(length=64), nullable=False),
        sa.Column('user', sa.String(length=80), nullable=False),
        sa.Column('made_at', sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(['user'], ['users.name']),
        sa.PrimaryKeyConstraint('token_hash'),
    )
    op.create_index('ix_known_browsers_user', 'known_browsers', ['user'])
    op.create_table(
        'code_apps',
        sa.Column('user', sa.String(length=80), nullable=False),
        sa.Column('secret', sa.String(length=64), nullable=False),
        sa.Column('made_at', sa.DateTime(timezone=True), nullable=False),
        sa.Column('confirmed_at', sa.DateTime(timezone=True), nullable=True),
        sa.Column('last_period', sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(['user'], ['users.name']),
        sa.PrimaryKeyConstraint('user'),
    )
    op.add_column('sessions', sa.Column('browser', sa.String(length=200), nullable=False, server_default=''))
