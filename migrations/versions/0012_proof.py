"""Who proved a mail's sender, and mails that wait because DNS did not answer."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = '0012'
down_revision = '0011'
branch_labels = None
depends_on = None


def upgrade() -> None:
    # One by one and not as a batch: a new table in place of the old one would lose the record's triggers.
    op.add_column('mails', sa.Column('proof', sa.JSON(none_as_null=True), nullable=True))
    op.add_column('mails', sa.Column('try_again_at', sa.DateTime(timezone=True), nullable=True))
