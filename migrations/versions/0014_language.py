"""The language in which a player reads letters and pages."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = '0014'
down_revision = '0013'
branch_labels = None
depends_on = None


def upgrade() -> None:
    # A column added, and no new table in place of the old one, which would lose the record's triggers.
    op.add_column('players', sa.Column('language', sa.String(length=8), nullable=False, server_default='en'))
