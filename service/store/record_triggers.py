"""The triggers of the database that note each write of a row that the record mentions (docs/record.md).

They are in the database and not in the program, so that no statement passes the record by: a row that is
changed by hand is noted too. `service.record.chain` enters what they note before the commit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

# A line names its page alone; the fact that is entered is the sheet's whole reading.
_SHEET_OF_LINE = "(SELECT submission_id FROM pages WHERE id = NEW.page_id)"
_SEAT = "{row}.game_id || ':' || {row}.power"
# 0, of no player: an empty seat, and a link by which no sheet can be sent.
_LINK = "CASE WHEN {row}.game_id IS NULL THEN 0 ELSE {row}.player_id END"
_KEY = "{row}.game_id || ':' || {row}.number"


@dataclass(frozen=True, slots=True)
class RecordTrigger:
    """One trigger. `what`: the kind of fact that is noted; `write`: INSERT, UPDATE or DELETE of a row of
    `table`, for an update of one of `columns` (all of them where it is empty); `fact`: the key of the fact,
    in SQL over NEW and OLD."""

    number: int
    what: str
    table: str
    write: str
    columns: tuple[str, ...]
    fact: str

    @property
    def name(self) -> str:
        """Its name in the database. PostgreSQL fires triggers of one write in the order of their names."""
        return f"record_{self.number}"

    @property
    def note(self) -> str:
        """The statement that it runs."""
        values = f"'{self.what}', CAST({self.fact} AS TEXT)"
        return f"INSERT INTO record_due (what, fact) VALUES ({values});"  # noqa: S608 of this list alone

    def statements(self, dialect: str) -> Iterator[str]:
        """What makes it on a database: "postgresql" or "sqlite"."""
        # Quoted: "by" is a word of SQL.
        columns = ", ".join(f'"{column}"' for column in self.columns)
        when = f"AFTER {self.write}{f' OF {columns}' if columns else ''} ON {self.table}"
        if dialect != "postgresql":
            yield f"CREATE TRIGGER {self.name} {when} BEGIN {self.note} END"
            return
        # A trigger of PostgreSQL calls a function, which must be there first.
        yield (f"CREATE FUNCTION {self.name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {self.note} "
               f"RETURN NULL; END $$")
        yield f"CREATE TRIGGER {self.name} {when} FOR EACH ROW EXECUTE FUNCTION {self.name}()"


def _numbered(first: int, *rows: tuple[str, str, str, str, str]) -> Iterator[RecordTrigger]:
    for number, (what, table, write, columns, fact) in enumerate(rows, start=first):
        yield RecordTrigger(number, what, table, write, tuple(columns.replace(",", "").split()), fact)


TRIGGERS = tuple(chain(
    _numbered(
        1,
        ("game", "games", "INSERT", "", "NEW.id"),
        ("game", "games", "UPDATE", "name, aliases, options", "NEW.id"),
        ("seat", "seats", "INSERT", "", _SEAT.format(row="NEW")),
        ("seat", "seats", "UPDATE", "player_id", _SEAT.format(row="NEW")),
        ("phase", "phases", "INSERT", "", "NEW.id"),
        ("phase", "phases", "UPDATE",
         "opens_at, deadline, state, position, seed, review, unsealed_at", "NEW.id"),
        ("judged", "phases", "UPDATE", "judged_at", "NEW.id"),
        ("mail", "mails", "UPDATE", "state, reason, verdict", "NEW.sha256"),
        ("sheet", "submissions", "INSERT", "", "NEW.id"),
        ("sheet", "submissions", "UPDATE",
         "phase_id, power, version, instruction, fate, flags, received_at", "NEW.id"),
        ("reading", "submissions", "UPDATE", "read_at", "NEW.id"),
        ("reading", "lines", "INSERT", "", _SHEET_OF_LINE),
        ("reading", "lines", "UPDATE", "", _SHEET_OF_LINE),
        ("decision", "reviews", "INSERT", "", "NEW.id"),
        ("decision", "reviews", "UPDATE", "decision, text, order_text, undone_at, settles", "NEW.id"),
        ("posted", "posted", "INSERT", "", "NEW.id"),
        ("posted", "posted", "UPDATE", "submission_id, ended_at", "NEW.id"),
        ("word", "lot_words", "INSERT", "", "NEW.id"),
        ("letter", "outbox", "INSERT", "", "NEW.id"),
        ("letter", "outbox", "UPDATE", "state, message", "NEW.id"),
        ("correction", "corrections", "INSERT", "", "NEW.id"),
        ("event", "events", "INSERT", "", "NEW.id"),
    ),
    # No act of the program deletes one of these, but for the removal of a whole rehearsal.
    _numbered(
        101,
        ("gone", "games", "DELETE", "", "'game:' || OLD.id"),
        ("gone", "seats", "DELETE", "", f"'seat:' || {_SEAT.format(row='OLD')}"),
        ("gone", "phases", "DELETE", "", "'phase:' || OLD.id"),
        ("gone", "submissions", "DELETE", "", "'sheet:' || OLD.id"),
        ("gone", "reviews", "DELETE", "", "'decision:' || OLD.id"),
        ("gone", "posted", "DELETE", "", "'posted:' || OLD.id"),
        ("gone", "lot_words", "DELETE", "", "'word:' || OLD.id"),
        ("gone", "outbox", "DELETE", "", "'letter:' || OLD.id"),
        ("gone", "corrections", "DELETE", "", "'correction:' || OLD.id"),
        ("gone", "events", "DELETE", "", "'event:' || OLD.id"),
        # What is left of a sheet is entered again, so that a missing page or line is seen; the page may be
        # gone.
        ("sheet", "pages", "DELETE", "", "OLD.submission_id"),
        ("reading", "lines", "DELETE", "", f"COALESCE({_SHEET_OF_LINE.replace('NEW', 'OLD')}, 0)"),
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
    ),
    _numbered(151, ("phase", "phases", "UPDATE", "sealed, commitment, draw", "NEW.id")),
    _numbered(
        161,
        ("key", "game_keys", "INSERT", "", _KEY.format(row="NEW")),
        ("key", "game_keys", "UPDATE", "", _KEY.format(row="NEW")),
        ("gone", "game_keys", "DELETE", "", f"'key:' || {_KEY.format(row='OLD')}"),
    ),
    _numbered(
        171,
        ("addresses", "seats", "INSERT", "", "COALESCE(NEW.player_id, 0)"),
        ("addresses", "seats", "UPDATE", "player_id", "COALESCE(NEW.player_id, 0)"),
        *(("addresses", table, write, columns, key.format(row=row))
          for table, key in (("addresses", "{row}.player_id"), ("links", _LINK))
          for write, columns, row in (("INSERT", "", "NEW"), ("UPDATE", "", "NEW"),
                                      ("UPDATE", "player_id", "OLD"), ("DELETE", "", "OLD"))),
    ),
    # "user" is a word of PostgreSQL.
    _numbered(201, *(("person", "game_roles", write, "", f'{row}."user"')
                     for write, row in (("INSERT", "NEW"), ("UPDATE", "NEW"), ("DELETE", "OLD")))),
))
"""All of them."""
