"""The record: a chain of entries a game, what is to be entered, and seeds and words for the lots.

The triggers note every write of a table that the record tells of. A later script that makes one of these
tables anew (a batch change on SQLite) makes its triggers anew too; a test says so.
"""

from __future__ import annotations

import secrets

import sqlalchemy as sa
from alembic import op

revision = '0008'
down_revision = '0007'
branch_labels = None
depends_on = None

# A line knows its page alone; the fact that is entered is the sheet's whole reading.
PAGE_OWNER = "(SELECT submission_id FROM pages WHERE id = NEW.page_id)"
# In the database and not in our code, so that no statement can bypass the record, a row changed by hand
# included.
TRIGGERS = (
    ("game", "games", "INSERT", "", "NEW.id"),
    ("game", "games", "UPDATE", "name, aliases, options", "NEW.id"),
    ("seat", "seats", "INSERT", "", "NEW.game_id || ':' || NEW.power"),
    ("seat", "seats", "UPDATE", "player_id", "NEW.game_id || ':' || NEW.power"),
    ("phase", "phases", "INSERT", "", "NEW.id"),
    ("phase", "phases", "UPDATE", ("opens_at, deadline, state, position, lots, seed, review, "
                                   "unsealed_at"), "NEW.id"),
    ("judged", "phases", "UPDATE", "judged_at", "NEW.id"),
    ("mail", "mails", "UPDATE", "state, reason, verdict", "NEW.sha256"),
    ("sheet", "submissions", "INSERT", "", "NEW.id"),
    ("sheet", "submissions", "UPDATE", ("phase_id, power, version, instruction, fate, flags, "
                                        "received_at"), "NEW.id"),
    ("reading", "submissions", "UPDATE", "read_at", "NEW.id"),
    ("reading", "lines", "INSERT", "", PAGE_OWNER),
    ("reading", "lines", "UPDATE", "", PAGE_OWNER),
    ("decision", "reviews", "INSERT", "", "NEW.id"),
    ("decision", "reviews", "UPDATE", "decision, text, order_text, undone_at, settles", "NEW.id"),
    ("posted", "posted", "INSERT", "", "NEW.id"),
    ("posted", "posted", "UPDATE", "submission_id, ended_at", "NEW.id"),
    ("word", "lot_words", "INSERT", "", "NEW.id"),
    ("letter", "outbox", "INSERT", "", "NEW.id"),
    ("letter", "outbox", "UPDATE", "state, message", "NEW.id"),
    ("correction", "corrections", "INSERT", "", "NEW.id"),
    ("event", "events", "INSERT", "", "NEW.id"),
)  # fmt: skip
"""What is entered, the table, the write, its columns ("" for any), and the key of the fact."""


def upgrade() -> None:
    op.create_table(
        'record',
        sa.Column('game_id', sa.String(length=80), nullable=False),
        sa.Column('number', sa.Integer(), autoincrement=False, nullable=False),
        sa.Column('what', sa.String(length=20), nullable=False),
        sa.Column('fact', sa.String(length=200), nullable=False),
        sa.Column('salt', sa.String(length=64), nullable=False),
        # Text and not JSON: a JSON column may give back other blanks or another order, and the digest would
        # not fit.
        sa.Column('body', sa.Text(), nullable=False),
        sa.Column('leaf', sa.String(length=64), nullable=False),
        sa.Column('link', sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(['game_id'], ['games.id']),
        sa.PrimaryKeyConstraint('game_id', 'number'),
    )
    op.create_index('record_of_a_fact', 'record', ['game_id', 'what', 'fact'])
    op.create_table(
        # One row a game to lock while entries are added, so that its chain cannot fork.
        'record_heads',
        sa.Column('game_id', sa.String(length=80), nullable=False),
        sa.Column('number', sa.Integer(), nullable=False),
        sa.Column('link', sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(['game_id'], ['games.id']),
        sa.PrimaryKeyConstraint('game_id'),
    )
    op.create_table(
        'record_due',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('what', sa.String(length=20), nullable=False),
        sa.Column('fact', sa.String(length=200), nullable=False),
        sa.PrimaryKeyConstraint('id'),
    )
    op.create_table(
        'lot_words',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('phase_id', sa.Integer(), nullable=False),
        sa.Column('power', sa.String(length=80), nullable=False),
        sa.Column('word', sa.String(length=60), nullable=False),
        sa.Column('received_at', sa.DateTime(timezone=True), nullable=False),
        sa.Column('mail', sa.String(length=64), nullable=True),
        sa.Column('made_by', sa.String(length=80), nullable=False),
        sa.ForeignKeyConstraint(['phase_id'], ['phases.id']),
        sa.ForeignKeyConstraint(['mail'], ['mails.sha256']),
        sa.PrimaryKeyConstraint('id'),
    )
    op.create_index('lot_words_of_a_phase', 'lot_words', ['phase_id', 'power'])
    # Lots come from a seed whose digest is entered before the deadline.
    op.add_column('phases', sa.Column('seed', sa.String(length=64), nullable=True))
    _seed_what_lies_ahead()
    # SQLite's trigger holds its statement; PostgreSQL's calls a function, which must be created first.
    on_postgresql = op.get_bind().dialect.name == 'postgresql'
    for number, row in enumerate(TRIGGERS, start=1):
        for statement in (_on_postgresql if on_postgresql else _on_sqlite)(number, *row):
            op.execute(statement)


def _seed_what_lies_ahead() -> None:
    """Phases that nobody can have drawn for get a seed; those closed before keep the tape they had."""
    phases = sa.table(
        "phases", sa.column("id", sa.Integer), sa.column("state", sa.String), sa.column("seed", sa.String)
    )
    connection = op.get_bind()
    ahead = (
        connection.execute(sa.select(phases.c.id).where(phases.c.state.in_(["waiting", "open"])))
        .scalars()
        .all()
    )
    for phase in ahead:
        connection.execute(sa.update(phases).where(phases.c.id == phase).values(seed=secrets.token_hex(32)))


def _on_sqlite(number: int, what: str, table: str, write: str, columns: str, fact: str) -> list[str]:
    of = f" OF {columns}" if columns else ""
    return [f"CREATE TRIGGER record_{number} AFTER {write}{of} ON {table} BEGIN "
            f"INSERT INTO record_due (what, fact) VALUES ('{what}', CAST({fact} AS TEXT)); END"]


def _on_postgresql(number: int, what: str, table: str, write: str, columns: str, fact: str) -> list[str]:
    of = f" OF {columns}" if columns else ""
    return [
        f"CREATE FUNCTION record_{number}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        f"INSERT INTO record_due (what, fact) VALUES ('{what}', CAST({fact} AS TEXT)); RETURN NULL; END $$",
        (f"CREATE TRIGGER record_{number} AFTER {write}{of} ON {table} FOR EACH ROW EXECUTE FUNCTION "
         f"record_{number}()"),
    ]
