"""The record: one hash chain of entries for each game, and nothing happens without an entry (docs/record.md).

Database triggers note every row that is written and belongs in the record; before the transaction commits,
`seal` makes an entry of each. So an act and its entry are committed together or not at all. Rows changed by
hand in SQL are recorded too, at the latest with the next transaction of any game.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import String, and_, cast, delete, func, insert, or_, select, tuple_, update
from sqlalchemy.orm import Session

import maps
from service.record import live
from service.record.entries import BESIDE, FACTS
from service.record.sessions import has_unentered
from service.store import records
from service.store.digests import (
    FORMAT,
    canonical,
    head,
    is_forgotten,
    kept_inner,
    kept_leaf,
    leaf,
    link,
    plain,
    start,
)
from service.store.tables import EntryRow, EventRow, GameRow, HeadRow, PhaseRow, RecordPendingRow, UserRow

BEGUN = "begun"
"""What the first entry of every record is called."""
FACTS_AT_ONCE = 500
"""Facts whose last entries one statement requests: SQLite takes some thousands of values in one."""


@dataclass(frozen=True, slots=True)
class Root:
    """The end of a game's chain: how many entries it has and the digest of them all."""

    game_id: str
    number: int
    link: str


def seal(session: Session) -> None:
    """Enter everything that was written and is not entered yet.

    `sessions` does so before each commit; a caller that must name an entry in the same transaction does it
    sooner.
    """
    if has_unentered(session):
        enter(session)


def enter(session: Session) -> None:
    """Enter what `sessions.has_unentered` found."""
    due = _take_due(session)
    # Before a judging is entered: what was done past the program must be before it, so that its results
    # mention it (docs/record.md, C15 and C17).
    differ = [enter_differences(session, game, frozenset(due), running=True)
              for game in _judged_games(session, due)]
    if any(differ):
        due = dict.fromkeys([*_take_due(session), *due])
    facts_by_game: dict[str, list[tuple[str, str, dict[str, Any]]]] = {}
    for kind, fact in due:
        for game, tells in FACTS[kind](session, fact):
            facts_by_game.setdefault(game, []).append((kind, fact, plain(tells)))
    # Each head is locked until the commit. In one order of games, or two transactions could deadlock.
    for game in sorted(facts_by_game):
        _Chain(session, game).add(facts_by_game[game], frozenset(due))


def enter_differences(
    session: Session, game_id: str, due: frozenset[tuple[str, str]] = frozenset(), *, running: bool = False
) -> list[live.Difference]:
    """Note where the rows of a game differ from its record, for the entries of this transaction; what
    differs. `due`: facts that this transaction wrote; `running`: without sheets of phases that are over."""
    differences = live.differences(session, game_id, due, running=running)
    live.enter(session, game_id, differences, now_of(session))
    session.flush()
    return differences


def _take_due(session: Session) -> dict[tuple[str, str], None]:
    """The facts that were written, in the order of the triggers, each once: it is read as it is now, however
    often it was written."""
    rows = session.execute(
        delete(RecordPendingRow).returning(RecordPendingRow.id, RecordPendingRow.what, RecordPendingRow.fact)
    ).all()
    return dict.fromkeys((kind, fact) for _, first, fact in sorted(rows, key=lambda row: int(row.id))
                         for kind in (first, *BESIDE.get(first, ())))


def _judged_games(session: Session, due: Iterable[tuple[str, str]]) -> list[str]:
    """The games of which a phase was just judged, and that have a record."""
    keys = [int(fact) for kind, fact in due if kind == "judged"]
    query = (select(PhaseRow.game_id).join(HeadRow, HeadRow.game_id == PhaseRow.game_id)
             .where(PhaseRow.id.in_(keys), PhaseRow.resolution.is_not(None)).distinct())
    return sorted(session.scalars(query)) if keys else []


def root(session: Session, game_id: str) -> Root:
    """The end of a game's chain as this transaction sees it."""
    row = session.get(HeadRow, game_id, populate_existing=True)
    return Root(game_id, 0, start(game_id)) if row is None else Root(game_id, row.number, row.link)


def note_people(session: Session, game_id: str) -> None:
    """Have the people of this site entered in the record of a game that came from another: who may decide
    from now on, and who of the old site no more; and that its players have no links here."""
    names = set(session.scalars(select(UserRow.name)))
    names |= set(session.scalars(
        select(EntryRow.fact).where(EntryRow.game_id == game_id, EntryRow.what == "person").distinct()))
    for name in sorted(names):
        session.execute(insert(RecordPendingRow).values(what="person", fact=name))
    for player in {player for player in records.seats(session, game_id).values() if player is not None}:
        session.execute(insert(RecordPendingRow).values(what="addresses", fact=str(player)))


def find_entry(session: Session, game_id: str, digest: str) -> EntryRow | None:
    """The entry with this link or leaf, as letters name it, if the chain up to it is unbroken; else None."""
    # Every link up to it is computed again: an entry before it may have been changed, removed or added.
    before = start(game_id)
    for number, row in enumerate(entries(session, game_id), start=1):
        before = link(before, number, kept_leaf(row.salt, row.body))
        if (row.number, row.link) != (number, before):
            return None
        if digest in {row.link, row.leaf}:
            return row
    return None


def entry_of(session: Session, game_id: str, kind: str, fact: str) -> EntryRow | None:
    """The first entry of a fact, such as ("sheet", "12"): what a receipt names."""
    # The sheet may have been filed in this very transaction.
    seal(session)
    return session.scalars(
        select(EntryRow).where(EntryRow.game_id == game_id, EntryRow.what == kind, EntryRow.fact == fact)
        .order_by(EntryRow.number).limit(1)).first()


def entries(session: Session, game_id: str) -> Iterable[EntryRow]:
    """The whole record of a game in its order."""
    return session.scalars(
        select(EntryRow).where(EntryRow.game_id == game_id).order_by(EntryRow.number)
        .execution_options(yield_per=500))


def entry_line(row: EntryRow, *, opened: bool, headed: bool = False) -> dict[str, Any]:
    """An entry as a line of `record.jsonl` (docs/record.md, "The archive"): salt and body only if open; a
    closed one shows its kind and phase only if it is `headed`."""
    line: dict[str, Any] = {"n": row.number, "leaf": row.leaf, "link": row.link}
    # Words that were deleted: no one can open the entry any more.
    gone = is_forgotten(row.body)
    if opened and not gone:
        return line | {"salt": row.salt, "body": json.loads(row.body)}
    own_head, own_inner = head(json.loads(row.body)), kept_inner(row.salt, row.body)
    if headed or gone:
        return line | {"head": own_head, "inner": own_inner}
    return line


def log_lines(session: Session, game_id: str = "") -> Iterator[str]:
    """The log of one game, or of everything, as a text file: one JSON object a line, the oldest event first.

    An event of a game has its entry next to it, open. The game's other entries follow, closed, so that the
    chain of the file has no gap and can be checked without this site (docs/record.md, "The archive").
    """
    event_id = cast(EventRow.id, String)
    events = (
        select(EventRow, EntryRow)
        .outerjoin(EntryRow, and_(
            EntryRow.game_id == EventRow.game_id, EntryRow.what == "event", EntryRow.fact == event_id))
        .order_by(EventRow.id, EntryRow.number).execution_options(yield_per=500))
    # All that is not an event of today's log, with events that were deleted in the database since.
    others = (
        select(EntryRow)
        .where(or_(EntryRow.what != "event",
                   EntryRow.fact.not_in(select(event_id).where(EventRow.game_id == EntryRow.game_id))))
        .order_by(EntryRow.game_id, EntryRow.number).execution_options(yield_per=500))
    if game_id:
        events, others = events.where(EventRow.game_id == game_id), others.where(EntryRow.game_id == game_id)
    for row, entry in session.execute(events):
        line = {"game": row.game_id, "id": row.id, "at": row.at.astimezone(UTC).isoformat(),
                "actor": row.actor, "what": row.what, "detail": row.detail}
        # Events of no game have no entry.
        yield canonical(line if entry is None else line | entry_line(entry, opened=True)) + "\n"
    for entry in session.scalars(others):
        yield canonical({"game": entry.game_id} | entry_line(entry, opened=False)) + "\n"


class _Chain:
    """The chain of one game, locked until the transaction ends."""

    def __init__(self, session: Session, game_id: str) -> None:
        self._session = session
        self._game = game_id
        self._now = now_of(session)
        locked = select(HeadRow.number, HeadRow.link).where(HeadRow.game_id == game_id).with_for_update()
        row = session.execute(locked).one_or_none()
        self._new = row is None and records.insert_once(
            session, HeadRow, game_id=game_id, number=0, link=start(game_id))
        if row is None:
            row = session.execute(locked).one()
        self._number, self._link = int(row.number), str(row.link)

    def add(self, facts: Sequence[tuple[str, str, dict[str, Any]]], due: frozenset[tuple[str, str]]) -> None:
        new_entries = []
        if self._new:
            variant = self._session.get_one(GameRow, self._game).variant
            opening = {
                "format": FORMAT, "game": self._game, "variant": variant, "board": maps.own_digest(variant)}
            new_entries.append(self._entry(BEGUN, self._game, opening))
            facts = [*_people(self._session, self._game, due), *facts]
        last = {} if self._new else self._last([(kind, fact) for kind, fact, _ in facts])
        new_entries += [self._entry(kind, fact, tells) for kind, fact, tells in facts
                        if not _tells_the_same(last.get((kind, fact)), kind, tells)]
        if new_entries:
            self._session.execute(insert(EntryRow), new_entries)
            self._session.execute(
                update(HeadRow)
                .where(HeadRow.game_id == self._game)
                .values(number=self._number, link=self._link),
                execution_options={"synchronize_session": False},
            )

    def _last(self, facts: Sequence[tuple[str, str]]) -> dict[tuple[str, str], str]:
        """The body of the last entry of each fact that has one."""
        bodies: dict[tuple[str, str], str] = {}
        for first in range(0, len(facts), FACTS_AT_ONCE):
            some = facts[first:first + FACTS_AT_ONCE]
            newest = (
                select(func.max(EntryRow.number))
                .where(EntryRow.game_id == self._game, tuple_(EntryRow.what, EntryRow.fact).in_(some))
                .group_by(EntryRow.what, EntryRow.fact))
            rows = self._session.execute(select(EntryRow.what, EntryRow.fact, EntryRow.body).where(
                EntryRow.game_id == self._game, EntryRow.number.in_(newest)))
            bodies |= {(what, fact): body for what, fact, body in rows}
        return bodies

    def _entry(self, kind: str, fact: str, tells: dict[str, Any]) -> dict[str, Any]:
        content = {"what": kind, "fact": fact, "entered": plain(self._now), "tells": tells}
        body = canonical(content)
        # New for each entry: of the same words twice, neither leaf nor salt is the same.
        salt = secrets.token_hex(32)
        entry_leaf = leaf(salt, body, content)
        self._number += 1
        self._link = link(self._link, self._number, entry_leaf)
        return {
            "game_id": self._game,
            "number": self._number,
            "what": kind,
            "fact": fact,
            "salt": salt,
            "body": body,
            "leaf": entry_leaf,
            "link": self._link,
        }


def _tells_the_same(last: str | None, kind: str, tells: dict[str, Any]) -> bool:
    """Whether the last entry of a fact, by its body, shows the same."""
    # A trigger notes every write, also of what the record does not contain, such as a letter's tries.
    if last is None:
        return False
    before = json.loads(last)
    if is_forgotten(last):
        return True
    # To whom a letter went was true when it was written: addresses change, and players are forgotten.
    now = tells | {"to": before["tells"]["to"]} if kind == "letter" and not tells["to"] else tells
    return bool(before["tells"] == now)


def now_of(session: Session) -> datetime:
    """The present instant by the clock of a session's site."""
    clock = session.info.get("clock")
    return datetime.now(UTC) if clock is None else clock.now()


def _people(
    session: Session, game_id: str, due: frozenset[tuple[str, str]]
) -> list[tuple[str, str, dict[str, Any]]]:
    """Who may sign in at the desk when a record begins."""
    names = session.scalars(select(UserRow.name).order_by(UserRow.name)).all()
    return [("person", name, plain(tells)) for name in names if ("person", name) not in due
            for game, tells in FACTS["person"](session, name) if game == game_id]
