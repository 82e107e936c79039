"""Why a line waits for a person."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = '0013'
down_revision = '0012'
branch_labels = None
depends_on = None


def upgrade() -> None:
    # As in 0012, not as a batch: a new table in place of the old one would lose the record's triggers.
    op.add_column('lines', sa.Column('why_open', sa.JSON(), nullable=True))
