"""What Today, Health and a game's page count is found by an index, however many years lie behind it."""

from __future__ import annotations

from alembic import op

revision = '0007'
down_revision = '0006'
branch_labels = None
depends_on = None


def upgrade() -> None:
    # Without an index the counts of Today and Health read every mail and event of all years.
    op.create_index('mails_by_state', 'mails', ['state', 'received_at'])
    op.create_index('mails_by_hour', 'mails', ['stored_at'])
    op.create_index('events_by_kind', 'events', ['what', 'at'])
    op.create_index('events_of_a_game', 'events', ['game_id', 'what'])
    op.create_index('submissions_by_reading', 'submissions', ['read_at'])
