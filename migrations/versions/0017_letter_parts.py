"""Letters are kept by parts: headers and words in the row, each file once."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = '0017'
down_revision = '0016'
branch_labels = None
depends_on = None


def upgrade() -> None:
    # Letters that exist stay whole at first: their bytes are taken apart while the site runs
    # (`service.operations.letter_storage`), where the store of files is at hand.
    op.add_column('outbox', sa.Column('words', sa.Text(), nullable=True))
    op.add_column('outbox', sa.Column('files', sa.JSON(), nullable=False, server_default='[]'))
    op.create_index('ix_outbox_message', 'outbox', ['message'])
    op.add_column('links', sa.Column('letter_id', sa.Integer(), nullable=True))
