"""Triggers for what the record did not notice yet: rows that are deleted, columns that no act changes, and
who may sign in at the desk (docs/record.md, "What is entered")."""

from __future__ import annotations

from alembic import op

revision = '0022'
down_revision = '0021'
branch_labels = None
depends_on = None

FIRST = 101
"""The number of the first trigger here; those of 0008 count from 1."""
PAGE_OWNER = "(SELECT submission_id FROM pages WHERE id = {row}.page_id)"
TRIGGERS = (
    # No act of the program deletes one of these, but for the removal of a whole rehearsal.
    ("gone", "games", "DELETE", "", "'game:' || OLD.id"),
    ("gone", "seats", "DELETE", "", "'seat:' || OLD.game_id || ':' || OLD.power"),
    ("gone", "phases", "DELETE", "", "'phase:' || OLD.id"),
    ("gone", "submissions", "DELETE", "", "'sheet:' || OLD.id"),
    ("gone", "reviews", "DELETE", "", "'decision:' || OLD.id"),
    ("gone", "posted", "DELETE", "", "'posted:' || OLD.id"),
    ("gone", "lot_words", "DELETE", "", "'word:' || OLD.id"),
    ("gone", "outbox", "DELETE", "", "'letter:' || OLD.id"),
    ("gone", "corrections", "DELETE", "", "'correction:' || OLD.id"),
    ("gone", "events", "DELETE", "", "'event:' || OLD.id"),
    # What is left of a sheet is entered again, so that a missing page or line is seen; the page may be gone.
    ("sheet", "pages", "DELETE", "", "OLD.submission_id"),
    ("reading", "lines", "DELETE", "", f"COALESCE({PAGE_OWNER.format(row='OLD')}, 0)"),
    # Columns that an act writes once, with the row.
    ("sheet", "pages", "UPDATE", "submission_id, original", "NEW.submission_id"),
    ("sheet", "submissions", "UPDATE", "sha256", "NEW.id"),
    ("mail", "mails", "UPDATE", "received_at, size, stored_at", "NEW.sha256"),
    ("word", "lot_words", "UPDATE", "", "NEW.id"),
    ("posted", "posted", "UPDATE", "phase_id, power, postmark, received", "NEW.id"),
    ("correction", "corrections", "UPDATE", "", "NEW.id"),
    ("event", "events", "UPDATE", "", "NEW.id"),
    ("decision", "reviews", "UPDATE", "line_id, by, at", "NEW.id"),
    ("letter", "outbox", "UPDATE", "kind, phase_id, recipient, sent_at", "NEW.id"),
    ("phase", "phases", "UPDATE", "unsealed_by, unsealed_why, ordinal", "NEW.id"),
    ("judged", "phases", "UPDATE", "resolution", "NEW.id"),
    ("person", "users", "INSERT", "", "NEW.name"),
    ("person", "users", "UPDATE", "role", "NEW.name"),
    ("person", "users", "DELETE", "", "OLD.name"),
)
"""What is entered, the table, the write, its columns ("" for any), and the key of the fact."""


def upgrade() -> None:
    on_postgresql = op.get_bind().dialect.name == 'postgresql'
    for number, row in enumerate(TRIGGERS, start=FIRST):
        for statement in (_on_postgresql if on_postgresql else _on_sqlite)(number, *row):
            op.execute(statement)


def _columns(columns: str) -> str:
    if not columns:
        return ""
    # "by" is a word of SQL.
    quoted = [f'"{name.strip()}"' for name in columns.split(",")]
    return f" OF {', '.join(quoted)}"


def _on_sqlite(number: int, what: str, table: str, write: str, columns: str, fact: str) -> list[str]:
    return [f"CREATE TRIGGER record_{number} AFTER {write}{_columns(columns)} ON {table} BEGIN "
            f"INSERT INTO record_due (what, fact) VALUES ('{what}', CAST({fact} AS TEXT)); END"]


def _on_postgresql(number: int, what: str, table: str, write: str, columns: str, fact: str) -> list[str]:
    return [
        f"CREATE FUNCTION record_{number}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        f"INSERT INTO record_due (what, fact) VALUES ('{what}', CAST({fact} AS TEXT)); RETURN NULL; END $$",
        (f"CREATE TRIGGER record_{number} AFTER {write}{_columns(columns)} ON {table} FOR EACH ROW "
         f"EXECUTE FUNCTION record_{number}()"),
    ]
