"""A game's own table rows: written into its whole archive, and loaded into another site.

They are there to carry a game on and prove nothing. When they are loaded, the facts of the record are
computed from them again and must be the same.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from sqlalchemy import Connection, Select, Table, func, insert, or_, select, union
from sqlalchemy.orm import Session

from service.archive.table_rows import RowFault, TableRows, key_of_row, words_of_key
from service.record.entries import FACTS
from service.store import dump
from service.store.columns import TableBase
from service.store.digests import is_forgotten, plain
from service.store.tables import (
    AddressRow,
    CorrectionRow,
    EntryRow,
    EventRow,
    GameKeyRow,
    GameRow,
    HandRow,
    HeadRow,
    LineRow,
    LotContributionRow,
    MailRow,
    OutboxRow,
    PageRow,
    PhaseRow,
    PlayerRow,
    PostalAddressRow,
    PostalOriginalRow,
    RecordPendingRow,
    ReviewActionRow,
    ReviewRow,
    SeatRow,
    SubmissionRow,
)

LOOSE: Mapping[str, frozenset[str]] = {
    "letter": frozenset({"to"}),
    "addresses": frozenset({"links"}),
    "judged": frozenset({"orders", "case", "answer", "not_executed"}),
}
"""Parts of a fact that may differ later: the owner of an address; links, which no archive has; the wording of
the judge's sentences."""
UNCOMPARED = frozenset({"begun", "person", "gone"})
"""Facts about one moment, which later rows cannot repeat: what was there at the start, who could sign in, and
what was deleted."""


def selections(game_id: str) -> dict[str, Select[Any]]:
    """The query for one game's rows, by table name."""
    phases = select(PhaseRow.id).where(PhaseRow.game_id == game_id)
    submissions = select(SubmissionRow.id).where(SubmissionRow.phase_id.in_(phases))
    pages = select(PageRow.id).where(PageRow.submission_id.in_(submissions))
    lines = select(LineRow.id).where(LineRow.page_id.in_(pages))
    # Who sent a sheet and gave up the seat later belongs to it.
    players = union(
        select(SeatRow.player_id).where(SeatRow.game_id == game_id),
        select(SubmissionRow.player_id).where(
            SubmissionRow.phase_id.in_(phases), SubmissionRow.player_id.is_not(None)))
    used_hands = select(SubmissionRow.hand).where(
        SubmissionRow.phase_id.in_(phases), SubmissionRow.hand.is_not(None))
    newest_hands = (
        select(func.max(HandRow.id)).where(HandRow.player_id.in_(players)).group_by(HandRow.player_id)
    )
    entered_mails = select(EntryRow.fact).where(EntryRow.game_id == game_id, EntryRow.what == "mail")
    sent = select(SubmissionRow.sha256).where(SubmissionRow.phase_id.in_(phases))
    conditions: list[tuple[type[TableBase], Any]] = [
        (GameRow, GameRow.id == game_id), (PlayerRow, PlayerRow.id.in_(players)),
        (PostalAddressRow, PostalAddressRow.player_id.in_(players)),
        (AddressRow, AddressRow.player_id.in_(players)), (SeatRow, SeatRow.game_id == game_id),
        # Of the hands of its players those that read a sheet of this game, and what each has learnt by now.
        (HandRow, or_(HandRow.digest.in_(used_hands), HandRow.id.in_(newest_hands))),
        (GameKeyRow, GameKeyRow.game_id == game_id),
        (PhaseRow, PhaseRow.game_id == game_id),
        # A sheet that was filed before the record began has a mail without an entry.
        (MailRow, or_(MailRow.sha256.in_(entered_mails), MailRow.sha256.in_(sent))),
        (SubmissionRow, SubmissionRow.phase_id.in_(phases)),
        (PostalOriginalRow, PostalOriginalRow.phase_id.in_(phases)),
        (PageRow, PageRow.submission_id.in_(submissions)), (LineRow, LineRow.page_id.in_(pages)),
        (ReviewRow, ReviewRow.line_id.in_(lines)), (ReviewActionRow, ReviewActionRow.phase_id.in_(phases)),
        (CorrectionRow, CorrectionRow.phase_id.in_(phases)),
        (LotContributionRow, LotContributionRow.phase_id.in_(phases)),
        (OutboxRow, or_(OutboxRow.game_id == game_id, OutboxRow.phase_id.in_(phases))),
        (EventRow, EventRow.game_id == game_id),
        (EntryRow, EntryRow.game_id == game_id), (HeadRow, HeadRow.game_id == game_id),
    ]
    return {row.__tablename__: select(row.__table__).where(condition) for row, condition in conditions}


def lines(connection: Connection, game_id: str) -> Iterator[bytes]:
    """Every row of a game as a line of JSON, {"table", "row"}. A row comes after the rows that it points
    to."""
    queries = selections(game_id)
    # Foreign keys decide the order.
    for table in _tables(queries):
        for line in dump.lines(connection, table, queries[table.name]):
            yield b'{"table": "' + table.name.encode() + b'", "row": ' + line.rstrip() + b"}\n"


def load(connection: Connection, rows: TableRows, game_id: str) -> None:
    """Load the rows of a game, checked by `table_rows.read_rows`. Raises IntegrityError if a key is taken,
    and
    RowFault for a row that is not part of the game, by `selections`."""
    queries = selections(game_id)
    for table in _tables(rows):
        connection.execute(insert(table), rows[table.name])
    for table in _tables(queries):
        keys = {key_of_row(table, dict(row)) for row in connection.execute(queries[table.name]).mappings()}
        for row in rows.get(table.name, []):
            if key_of_row(table, row) not in keys:
                raise RowFault(f"The row {words_of_key(key_of_row(table, row))} of {table.name} in "
                               f"tables.jsonl does not belong to the game {game_id}.")
        if len(keys) != len(rows.get(table.name, [])):
            raise RowFault(f"This site has rows of {table.name} that would become a part of the game "
                           f"{game_id}.")


def first_without_entry(session: Session, game_id: str) -> str | None:
    """The first row that was loaded and of which the record has no entry, in words; None if there is none.
    The triggers noted every row of a fact."""
    entered = set(session.execute(
        select(EntryRow.what, EntryRow.fact).where(EntryRow.game_id == game_id)))
    noted = session.execute(
        select(RecordPendingRow.what, RecordPendingRow.fact).distinct()
        .order_by(RecordPendingRow.fact))
    for kind, fact in noted:
        if (kind, fact) in entered or not [game for game, _ in FACTS[kind](session, fact) if game == game_id]:
            continue
        table = {"letter": "outbox", "event": "events", "sheet": "submissions"}.get(kind, f"the fact {kind}")
        return f"row {fact} of {table}"
    return None


def first_difference(session: Session, game_id: str) -> int | None:
    """The number of the first entry that differs from the tables; None if all agree. Only the last entry of
    each fact is compared."""
    last: dict[tuple[str, str], tuple[int, dict[str, Any]]] = {}
    for row in session.scalars(select(EntryRow).where(EntryRow.game_id == game_id).order_by(EntryRow.number)):
        # Words that were deleted have nothing any more.
        if row.what not in UNCOMPARED and not is_forgotten(row.body):
            # Earlier entries of a fact describe earlier states.
            last[row.what, row.fact] = (row.number, json.loads(row.body)["tells"])
    for (kind, fact), (number, tells) in last.items():
        now = [plain(current) for game, current in FACTS[kind](session, fact) if game == game_id]
        # Nothing is entered of a player who gave the seat up.
        is_over = kind == "addresses" and not now
        if not is_over and [_strict(kind, current) for current in now] != [_strict(kind, tells)]:
            return number
    return None


def _strict(kind: str, tells: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in tells.items() if name not in LOOSE.get(kind, ())}


def _tables(queries: Mapping[str, object]) -> list[Table]:
    return [table for table in dump.tables() if table.name in queries]
