"""A letter knows its player and seat, so that it goes to an address the player has when it is sent."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = '0009'
down_revision = '0008'
branch_labels = None
depends_on = None


def upgrade() -> None:
    # No foreign key: a game's archive has its letters, and not the players who left it.
    op.add_column('outbox', sa.Column('player_id', sa.Integer(), nullable=True))
    op.add_column('outbox', sa.Column('power', sa.String(length=80), nullable=True))
    # Letters that wait during the upgrade; the kinds are those to the coordinator.
    op.execute(
        "UPDATE outbox SET player_id = (SELECT player_id FROM addresses WHERE addresses.email = "
        "outbox.recipient) WHERE state IN ('queued', 'sending', 'held', 'failed') "
        "AND kind NOT IN ('coordinator_notice', 'postal_pack')")
