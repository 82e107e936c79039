"""A link by which a player sends sheets of one game from a page."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = '0040'
down_revision = '0035'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column('links', sa.Column('game_id', sa.String(length=80), nullable=True))
