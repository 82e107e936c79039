"""What the code of a printed sheet says is kept with its page."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = '0020'
down_revision = '0019'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column('pages', sa.Column('code', sa.String(length=300), nullable=True))
