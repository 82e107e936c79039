"""A game that is over goes on the shelf: its entries, lines, decisions, letters and events leave the database
for a file among the blobs, and come back, the same to the last byte, when a person requests the game (SCA-05,
docs/adr/0026-*).

Only on PostgreSQL. What stays in the tables keeps the rest true: the end of the record, so that its chain
goes on where it was; the names of all files, so that none is deleted; the highest numbers, so that none is
given again.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, Table, delete, func, insert, select, text
from sqlalchemy.orm import Session

from adjudicator.errors import UserFacingError
from service.archive import rows as archive_rows
from service.archive.away import GamesAway
from service.archive.export import EXPLAIN
from service.archive.forget import forgotten_files
from service.facts.events import Event
from service.games.options import options_of
from service.jobs import Jobs
from service.record import chain, live
from service.store import dump, records
from service.store.blobs import Blobs
from service.store.columns import TableBase
from service.store.engine import Store
from service.store.letter_parts import blob_keys
from service.store.tables import (
    AddressRow,
    CorrespondenceRow,
    EntryRow,
    EventRow,
    GameRow,
    HeadRow,
    LineRow,
    OutboxRow,
    OutboxState,
    PhaseRow,
    PhaseState,
    RecordPendingRow,
    ReviewRow,
    SeatRow,
    ShelvedFileRow,
    ShelvedGameRow,
    SubmissionRow,
)

WORK = "unshelve"
"""Work that brings a game back: {"game": id}."""
SECONDS = 3600.0
"""Between two looks for games that may go."""
AT_ONCE = 20
"""Games that go in one look."""
TABLES: Sequence[type[TableBase]] = (EntryRow, OutboxRow, EventRow, LineRow, ReviewRow)
"""Whose rows go, each after those that it points to."""
_FORMAT = 1
_MAY_LEAVE = (OutboxState.QUEUED, OutboxState.SENDING, OutboxState.HELD, OutboxState.DELAYED)


class ShelfFault(UserFacingError):
    """A game did not go on the shelf, or did not come back; the sentence shows why. Nothing was changed."""


@dataclass(frozen=True, slots=True)
class Shelved:
    """A game that went: rows by table, and bytes of the file."""

    game_id: str
    rows: Mapping[str, int]
    size: int


def is_shelved(session: Session, game_id: str) -> bool:
    """Whether a game is on the shelf."""
    return session.get(ShelvedGameRow, game_id) is not None


def shelved_games(session: Session) -> list[str]:
    """The games on the shelf."""
    return list(session.scalars(select(ShelvedGameRow.game_id).order_by(ShelvedGameRow.game_id)))


# There
# ----------------------------------------------------------------------------------------------------------


def shelve(store: Store, blobs: Blobs, game_id: str, now: datetime) -> Shelved:
    """Put a game that is over on the shelf. Raises ShelfFault."""
    with store.begin() as session:
        _check_may_go(session, game_id)
        connection = session.connection()
        head = session.scalars(select(HeadRow).where(HeadRow.game_id == game_id).with_for_update()).one()
        # What was written past the program is entered here and now, and not taken for ours below.
        chain.seal(session)
        if live.differences(session, game_id, frozenset()):
            raise ShelfFault(f"{game_id} stays here: its rows differ from its record. Nothing was changed. "
                             "See galloper verify --live.")
        session.refresh(head)
        queries = _queries(game_id)
        parts = {table.name: list(dump.lines(connection, table, queries[table.name])) for table in _tables()}
        counts = {name: len(lines) for name, lines in parts.items()}
        heading = {"format": _FORMAT, "game": game_id, "entries": head.number, "root": head.link,
                   "rows": counts}
        data = gzip.compress(b"".join(_written(heading, parts)), mtime=0)
        files = _files(session, game_id)
        session.add(ShelvedGameRow(
            game_id=game_id, blob=blobs.put(data), number=head.number, link=head.link, rows=counts,
            highest=_highest(connection, queries), players=_readers(session, game_id), shelved_at=now))
        session.flush()
        if files:
            session.execute(insert(ShelvedFileRow), [{"game_id": game_id, "blob": key} for key in files])
        for table in reversed(_tables()):
            key = table.c.id if "id" in table.c else None
            which = _old_entries(game_id) if key is None else key.in_(
                queries[table.name].with_only_columns(key))
            gone = connection.execute(delete(table).where(which)).rowcount
            # A row that came between the reading and now would be lost.
            if gone != counts[table.name]:
                raise ShelfFault(f"{game_id} stays here: {table.name} was being written. Nothing was "
                                 "changed; try again.")
        _forget_notes(session)
        records.log_event(session, now, Event.GAME_SHELVED,
                          detail={"game": game_id, "rows": sum(counts.values())})
        return Shelved(game_id, counts, len(data))


def _check_may_go(session: Session, game_id: str) -> None:
    if session.get_bind().dialect.name != "postgresql":
        # SQLite gives the number of a deleted row to a new one.
        raise ShelfFault("Nothing was done: games go on the shelf on PostgreSQL only.")
    game = session.get(GameRow, game_id)
    if game is None:
        raise ShelfFault(f"There is no game {game_id!r} on this site. Nothing was done.")
    if options_of(game).is_rehearsal:
        raise ShelfFault(f"{game_id} stays here: it is a rehearsal. Remove it with galloper game "
                         "remove-rehearsal. Nothing was done.")
    if is_shelved(session, game_id):
        raise ShelfFault(f"{game_id} is on the shelf already.")
    phases = records.phases(session, game_id)
    if not phases or any(phase.state != PhaseState.SENT for phase in phases):
        raise ShelfFault(f"{game_id} stays here: it is not over. Nothing was done.")
    if session.scalar(select(func.count()).select_from(OutboxRow).where(
            _letters_of(game_id), OutboxRow.state.in_(_MAY_LEAVE))):
        raise ShelfFault(f"{game_id} stays here: some of its letters have not been sent yet. Nothing was "
                         "done.")
    unread = select(func.count()).select_from(SubmissionRow).join(
        PhaseRow, PhaseRow.id == SubmissionRow.phase_id).where(
        PhaseRow.game_id == game_id, SubmissionRow.read_at.is_(None))
    if session.scalar(unread):
        raise ShelfFault(f"{game_id} stays here: some of its sheets are still being read. Nothing was done.")


def _tables() -> list[Table]:
    names = {row.__tablename__ for row in TABLES}
    return [table for table in dump.tables() if table.name in names]


def _queries(game_id: str) -> dict[str, Select[Any]]:
    """The rows that go, by table."""
    queries = archive_rows.selections(game_id)
    of_correspondence = select(CorrespondenceRow.letter_id).where(CorrespondenceRow.letter_id.is_not(None))
    return queries | {
        # The first entry shows which format the record has, and the chain goes on behind the others.
        EntryRow.__tablename__: select(EntryRow.__table__).where(_old_entries(game_id)),
        # A page of the site's own, Correspondence, has these.
        OutboxRow.__tablename__:
            queries[OutboxRow.__tablename__].where(OutboxRow.id.not_in(of_correspondence)),
        # What explains why a file is missing is asked of the whole site.
        EventRow.__tablename__: queries[EventRow.__tablename__].where(EventRow.what.not_in(EXPLAIN)),
    }


def _old_entries(game_id: str) -> ColumnElement[bool]:
    return (EntryRow.game_id == game_id) & (EntryRow.number > 1)


def _letters_of(game_id: str) -> ColumnElement[bool]:
    phases = select(PhaseRow.id).where(PhaseRow.game_id == game_id)
    return (OutboxRow.game_id == game_id) | OutboxRow.phase_id.in_(phases)


def _written(heading: Mapping[str, Any], parts: Mapping[str, Sequence[bytes]]) -> Iterator[bytes]:
    yield json.dumps(heading, sort_keys=True).encode() + b"\n"
    for name, lines in parts.items():
        yield f"{name}\n".encode()
        yield from lines


def _highest(connection: Connection, queries: Mapping[str, Select[Any]]) -> dict[str, int]:
    highest = {table.name: connection.scalar(queries[table.name].with_only_columns(func.max(table.c.id)))
               for table in _tables() if "id" in table.c}
    return {name: int(number) for name, number in highest.items() if number is not None}


def _readers(session: Session, game_id: str) -> list[int]:
    """The players to whom letters of a game went."""
    by_address = select(AddressRow.player_id).join(OutboxRow, OutboxRow.recipient == AddressRow.email)
    named = session.scalars(select(OutboxRow.player_id).where(_letters_of(game_id)).union(
        by_address.where(_letters_of(game_id))))
    return sorted(player for player in named if player is not None)


def _files(session: Session, game_id: str) -> list[str]:
    """The blobs that nothing but these rows names: files of letters, and mails that the record names."""
    letters = ((message, words, files) for message, words, files in session.execute(
        select(OutboxRow.message, OutboxRow.words, OutboxRow.files).where(_letters_of(game_id))))
    mails = session.scalars(select(EntryRow.fact).where(
        EntryRow.game_id == game_id, EntryRow.what == "mail"))
    return sorted((blob_keys(letters) | set(mails)) - forgotten_files(session))


def _forget_notes(session: Session) -> None:
    """Take back what the triggers noted in this transaction, and in no other: rows that move are not acts."""
    session.execute(delete(RecordPendingRow).where(
        text("record_due.xmin::text = (pg_current_xact_id()::xid)::text")))


# And back
# ----------------------------------------------------------------------------------------------------------


def unshelve(session: Session, blobs: Blobs, game_id: str, now: datetime) -> bool:
    """Bring a game back in the caller's transaction; False if it is here. Raises ShelfFault where the file
    does not give the rows that left, and BlobError where it is missing or damaged."""
    row = session.execute(select(ShelvedGameRow).where(ShelvedGameRow.game_id == game_id)
                          .with_for_update()).scalar_one_or_none()
    if row is None:
        return False
    key = row.blob
    chain.seal(session)
    parts, heading = _read(blobs.read(key))
    if (heading["game"], heading["entries"], heading["root"]) != (game_id, row.number, row.link):
        raise ShelfFault(f"The file {row.blob} does not belong to {game_id}. Nothing was changed.")
    connection = session.connection()
    for table in _tables():
        dump.load(connection, table, parts.get(table.name, []))
    session.execute(delete(ShelvedFileRow).where(ShelvedFileRow.game_id == game_id))
    session.delete(row)
    session.flush()
    if connection.dialect.name == "postgresql":
        _forget_notes(session)
    else:
        # A restore into SQLite: no one else is there.
        session.execute(delete(RecordPendingRow))
    session.expire_all()
    _check_chain(session, game_id)
    records.log_event(session, now, Event.GAME_UNSHELVED, detail={"game": game_id, "file": key})
    return True


def bring_back(store: Store, blobs: Blobs, game_id: str, now: datetime) -> bool:
    """Bring a game back; False if it is here. Raises ShelfFault, BlobError."""
    with store.begin() as session:
        return unshelve(session, blobs, game_id, now)


def old_files(session: Session, games: Iterable[str]) -> set[str]:
    """The files that games came back from. They stay, so that an older copy of the database finds them, until
    a player of theirs is forgotten, who must not live on in them."""
    wanted = frozenset(games)
    return {str(event.detail["file"]) for event in session.scalars(
        select(EventRow).where(EventRow.what == Event.GAME_UNSHELVED)) if event.detail.get("game") in wanted}


def games_of(session: Session, player_id: int) -> list[str]:
    """The games on the shelf in which a player sat, sent a sheet or got a letter."""
    seats = select(SeatRow.game_id).where(SeatRow.player_id == player_id)
    sheets = (select(PhaseRow.game_id).join(SubmissionRow, SubmissionRow.phase_id == PhaseRow.id)
              .where(SubmissionRow.player_id == player_id))
    away = session.scalars(select(ShelvedGameRow).order_by(ShelvedGameRow.game_id)).all()
    games_played = {*session.scalars(seats), *session.scalars(sheets)}
    return [row.game_id for row in away if row.game_id in games_played or player_id in row.players]


def _read(data: bytes) -> tuple[dict[str, list[bytes]], dict[str, Any]]:
    lines = gzip.decompress(data).splitlines()
    heading = json.loads(lines[0])
    parts: dict[str, list[bytes]] = {}
    of: list[bytes] = []
    for line in lines[1:]:
        if line.startswith(b"{"):
            of.append(line)
        else:
            of = parts.setdefault(line.decode(), [])
    if {name: len(rows) for name, rows in parts.items()} != heading["rows"]:
        raise ShelfFault("The file on the shelf lacks rows that it lists. Nothing was changed.")
    return parts, heading


def _check_chain(session: Session, game_id: str) -> None:
    broken = [each for each in live.differences(session, game_id, frozenset())
              if each.how is live.How.CHAIN]
    if broken:
        raise ShelfFault(f"The record of {game_id} is broken at entry {broken[0].entry}. Nothing was "
                         "changed.")


# By the clock, and on demand
# ----------------------------------------------------------------------------------------------------------


def shelve_old(store: Store, blobs: Blobs, days: int, now: datetime) -> int:
    """Put games on the shelf that ended more than so many days ago and were not brought back since; how
    many went."""
    before = now - timedelta(days=days)
    with store() as session:
        if session.get_bind().dialect.name != "postgresql":
            return 0
        running = select(PhaseRow.game_id).where(PhaseRow.state != PhaseState.SENT)
        newest = select(PhaseRow.game_id).where(PhaseRow.sent_at >= before)
        games = session.scalars(select(GameRow.id).where(
            GameRow.id.not_in(running), GameRow.id.not_in(newest),
            GameRow.id.not_in(select(ShelvedGameRow.game_id)),
            GameRow.id.in_(select(PhaseRow.game_id))).order_by(GameRow.id)).all()
        wanted = {str(event.detail.get("game")) for event in session.scalars(
            select(EventRow).where(EventRow.what == Event.GAME_UNSHELVED, EventRow.at >= before))}
    went = 0
    for game in [game for game in games if game not in wanted][:AT_ONCE]:
        try:
            shelve(store, blobs, game, now)
        except ShelfFault:
            continue
        went += 1
    return went


def ask_for(session: Session, jobs: Jobs, game_id: str, now: datetime) -> None:
    """Have a game brought back soon."""
    # One job for each time that it went: while it waits, further requests add nothing.
    shelved = session.get(ShelvedGameRow, game_id)
    if shelved is not None:
        key = f"{WORK}:{game_id}:{shelved.shelved_at:%Y%m%dT%H%M%S}:{now:%Y%m%dT%H%M}"
        jobs.enqueue(session, WORK, key, {"game": game_id}, is_last=True)


AWAY = GamesAway(shelved_games, games_of, unshelve, old_files)
"""The shelf, as whatever needs all rows of a game requests it."""
