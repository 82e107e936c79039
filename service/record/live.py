"""The running database compared with its own record: rows that were changed, deleted or put in past the
program are noticed and entered (docs/record.md, C17).

Triggers enter what is written by hand. Anyone who takes the triggers away first, writes, and puts them back,
leaves rows that say otherwise than their last entry: that is what is looked for here.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import Select, insert, or_, select, text
from sqlalchemy.orm import Session

from service.facts.events import Event
from service.record.entries import (
    BESIDE,
    FACTS,
    addresses_content,
    aside_content,
    letter_content,
    mail_content,
    person_content,
    reading_content,
    sheet_content,
)
from service.store import records
from service.store.digests import is_forgotten, kept_leaf, link, plain, start
from service.store.record_triggers import TRIGGERS
from service.store.tables import (
    AccessLinkRow,
    AddressRow,
    CorrectionRow,
    EntryRow,
    EventRow,
    HeadRow,
    LineRow,
    LotContributionRow,
    MailRow,
    MailState,
    OutboxRow,
    PageRow,
    PhaseRow,
    PhaseState,
    PlayerRow,
    PostalOriginalRow,
    RecordPendingRow,
    ReviewRow,
    SeatRow,
    SubmissionRow,
)

FORGOTTEN = "forgotten"
"""What is in place of a fact whose words were deleted."""
UNCOMPARED = frozenset({"begun", "gone"})
"""Facts about one moment: what was there at the start, and what was deleted."""
OF_SHEETS = frozenset({"sheet", "reading", "aside", "decision", "posted", "word"})
"""Facts that a judging is made from. Those of a phase that is over change no results any more."""


class How(StrEnum):
    """Changes past the program."""

    CHANGED = "changed"
    DELETED = "deleted"
    ADDED = "added"
    CHAIN = "chain"
    TRIGGER = "trigger"


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing in which the database and the record differ. `kind` and `fact`: which row, "" for a trigger;
    `entry`: the last entry about it, 0 where there is none."""

    how: How
    kind: str
    fact: str
    entry: int = 0

    @property
    def sentence(self) -> str:
        """The difference in words, without what the row states."""
        match self.how:
            case How.CHANGED:
                return f"The {self.kind} of entry {self.entry} was changed in the database."
            case How.DELETED:
                return f"The {self.kind} of entry {self.entry} was deleted from the database."
            case How.ADDED:
                return f"A {self.kind} ({self.fact}) was put into the database without an entry."
            case How.CHAIN:
                return f"The record itself was changed: its chain is broken at entry {self.entry}."
            case How.TRIGGER:
                return f"The trigger {self.fact}, which records every change, is missing or changed."


def differences(
    session: Session, game_id: str, due: frozenset[tuple[str, str]], *, running: bool = False
) -> list[Difference]:
    """Where the rows of a game differ from their last entries, in the order of those. `due`: facts that were
    just written, and will be entered with this transaction. `running`: without the sheets of phases that are
    over, so that a judging in the seventh year takes no longer than one in the first."""
    broken, last = _read_chain(session, game_id)
    noted = [] if broken is None else [Difference(How.CHAIN, "entry", str(broken), broken)]
    rows = _rows_of(session, game_id, running=running)
    for (kind, fact), (number, tells) in last.items():
        if (kind, fact) in due or kind in UNCOMPARED or kind not in FACTS or (
            # What lies next to a reading is entered with it.
            any((first, fact) in due for first, beside in BESIDE.items() if kind in beside)
        ) or (kind in OF_SHEETS and tells.get("phase") in rows.over) or tells.get(FORGOTTEN):
            continue
        now = _now(session, game_id, rows, kind, fact, tells)
        if now is None:
            if ("gone", f"{kind}:{fact}") not in last:
                noted.append(Difference(How.DELETED, kind, fact, number))
        elif not _alike(kind, tells, now):
            noted.append(Difference(How.CHANGED, kind, fact, number))
    noted += _added(session, rows, frozenset(last) | due)
    return noted + [Difference(How.TRIGGER, "trigger", name) for name in missing_triggers(session)]


def enter(session: Session, game_id: str, noted: Iterable[Difference], now: datetime) -> None:
    """Put each difference into the log of a game, and note its fact, so that both are entered before the
    commit."""
    for difference in noted:
        records.log_event(
            session, now, Event.CHANGED_BY_HAND, game_id=game_id,
            detail={"how": difference.how.value, "of": difference.kind, "which": difference.fact,
                    "entry": difference.entry})
        if difference.how in {How.CHANGED, How.ADDED}:
            _note(session, difference.kind, difference.fact)
        elif difference.how is How.DELETED:
            _note(session, "gone", f"{difference.kind}:{difference.fact}")


def missing_triggers(session: Session) -> list[str]:
    """The names of triggers of the record that the database lacks, has with another text, or has switched
    off."""
    bodies = text(
        "SELECT tgname, prosrc FROM pg_trigger JOIN pg_proc ON pg_proc.oid = tgfoid "
        "WHERE tgenabled <> 'D' AND tgname LIKE 'record%'"
        if session.get_bind().dialect.name == "postgresql" else
        "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
    bodies_by_name = {str(name): str(body) for name, body in session.execute(bodies)}
    return [trigger.name for trigger in TRIGGERS
            if trigger.note not in bodies_by_name.get(trigger.name, "")]


def _note(session: Session, kind: str, fact: str) -> None:
    session.execute(insert(RecordPendingRow).values(what=kind, fact=fact))


def _read_chain(
    session: Session, game_id: str
) -> tuple[int | None, dict[tuple[str, str], tuple[int, dict[str, Any]]]]:
    """The first entry at which the chain is broken, and the last entry of each fact."""
    last: dict[tuple[str, str], tuple[int, dict[str, Any]]] = {}
    broken: int | None = None
    before, number = start(game_id), 0
    for number, row in enumerate(session.scalars(
        select(EntryRow).where(EntryRow.game_id == game_id).order_by(EntryRow.number)
        .execution_options(populate_existing=True)), start=1
    ):
        body = json.loads(row.body)
        own_leaf = kept_leaf(row.salt, row.body, body)
        before = link(before, number, own_leaf)
        if broken is None and (row.number, row.leaf, row.link) != (number, own_leaf, before):
            broken = row.number
        tells = {FORGOTTEN: True} if is_forgotten(row.body) else body["tells"]
        last[row.what, row.fact] = (row.number, tells)
    head = session.get(HeadRow, game_id, populate_existing=True)
    if broken is None and head is not None and (head.number, head.link) != (number, before):
        broken = head.number
    return broken, last


@dataclass(frozen=True, slots=True)
class _GameRows:
    """The rows of a game, so that no fact requests its own alone. `pages` and `lines`: of each submission, in
    their order; `emails` and `links` (digest, end): of each player with a seat; `over`: phases whose sheets
    are left out. `held` keeps the others in the session."""

    pages: Mapping[int, Sequence[PageRow]]
    lines: Mapping[int, Sequence[LineRow]]
    emails: Mapping[int, Sequence[str]]
    links: Mapping[int, Sequence[tuple[str, datetime]]]
    over: frozenset[int]
    held: Sequence[Any]

    def keys_of(self, table: type[Any]) -> list[int]:
        """The numbers of the rows of a table."""
        return [row.id for row in self.held if isinstance(row, table)]

    @property
    def players(self) -> frozenset[int]:
        """The numbers of the players with a seat."""
        return frozenset(row.id for row in self.held if isinstance(row, PlayerRow))


def _rows_of(session: Session, game_id: str, *, running: bool) -> _GameRows:
    """The rows of a game, read again: another transaction may have changed them. `running`: without the
    sheets of phases that are over."""
    phases = select(PhaseRow.id).where(PhaseRow.game_id == game_id)
    compared = phases.where(PhaseRow.state != PhaseState.SENT) if running else phases
    submissions = select(SubmissionRow.id).where(SubmissionRow.phase_id.in_(compared))
    queries: list[Select[Any]] = [
        select(SubmissionRow).where(SubmissionRow.phase_id.in_(compared)),
        select(MailRow).where(MailRow.sha256.in_(
            select(EntryRow.fact).where(EntryRow.game_id == game_id, EntryRow.what == "mail"))),
        select(OutboxRow).where(or_(OutboxRow.game_id == game_id, OutboxRow.phase_id.in_(phases))),
        select(EventRow).where(EventRow.game_id == game_id),
        select(PostalOriginalRow).where(PostalOriginalRow.phase_id.in_(phases)),
        select(LotContributionRow).where(LotContributionRow.phase_id.in_(phases)),
        select(CorrectionRow).where(CorrectionRow.phase_id.in_(phases)),
        select(SeatRow).where(SeatRow.game_id == game_id),
        select(PlayerRow).join(SeatRow, SeatRow.player_id == PlayerRow.id).where(SeatRow.game_id == game_id),
    ]

    def read(query: Select[Any]) -> list[Any]:
        return list(session.scalars(query.execution_options(populate_existing=True)))

    own_phases = read(select(PhaseRow).where(PhaseRow.game_id == game_id))
    held = [row for query in queries for row in read(query)]
    pages, lines = defaultdict(list), defaultdict(list)
    for page in read(select(PageRow).where(PageRow.submission_id.in_(submissions)).order_by(PageRow.ordinal)):
        pages[page.submission_id].append(page)
    of_page = {page.id: submission for submission, own_pages in pages.items() for page in own_pages}
    for line in read(select(LineRow).join(PageRow, PageRow.id == LineRow.page_id).where(
            PageRow.submission_id.in_(submissions)).order_by(LineRow.page_id, LineRow.ordinal)):
        lines[of_page[line.page_id]].append(line)
    emails, links = _addresses_of(session, game_id)
    over = (row.ordinal for row in own_phases if running and row.state == PhaseState.SENT)
    return _GameRows(pages, lines, emails, links, frozenset(over), [*own_phases, *held])


def _addresses_of(
    session: Session, game_id: str
) -> tuple[Mapping[int, Sequence[str]], Mapping[int, Sequence[tuple[str, datetime]]]]:
    """The addresses of each player of a game, and the links by which they may send its sheets."""
    players = select(SeatRow.player_id).where(SeatRow.game_id == game_id)
    emails, links = defaultdict(list), defaultdict(list)
    for player, email in session.execute(
            select(AddressRow.player_id, AddressRow.email).where(AddressRow.player_id.in_(players))):
        emails[player].append(email)
    for player, token, until in session.execute(
            select(AccessLinkRow.player_id, AccessLinkRow.token_hash, AccessLinkRow.until)
            .where(AccessLinkRow.game_id == game_id, AccessLinkRow.player_id.in_(players))):
        links[player].append((token, until))
    return emails, links


def _now(
    session: Session, game_id: str, rows: _GameRows, kind: str, fact: str, entered: Mapping[str, Any]
) -> dict[str, Any] | None:
    """The statement of the database about a fact; None where the row is gone."""
    now: dict[str, Any] | None
    match kind:
        case "seat":
            now = _of_game(session, game_id, kind, fact)
        case "sheet" | "reading" | "aside":
            now = _of_sheet(session, game_id, rows, kind, fact)
        case "person":
            now = person_content(session, fact, game_id)
        case "mail":
            # Its sender may have left the game since. One that was put back into the queue has no end at the
            # moment.
            mail = session.get(MailRow, fact)
            is_queued = mail is not None and mail.state == MailState.STORED
            now = None if mail is None else dict(entered) if is_queued else mail_content(mail)
        case "letter":
            letter = session.get(OutboxRow, int(fact))
            of = None if letter is None or letter.phase_id is None else session.get(PhaseRow, letter.phase_id)
            now = None if letter is None else letter_content(letter, of)
        case "judged":
            # Its orders are counted and worded again from rows that are compared themselves.
            phase = session.get(PhaseRow, int(fact))
            now = None if phase is None else dict(entered) if "taken_back" in entered else {
                "phase": phase.ordinal, "position": phase.position, "resolution": phase.resolution}
        case "addresses":
            # Nothing is entered of a player who gave the seat up.
            player = session.get(PlayerRow, int(fact)) if int(fact) in rows.players else None
            now = dict(entered) if player is None else addresses_content(
                player, rows.emails.get(player.id, ()), rows.links.get(player.id, ()))
        case _:
            now = _of_game(session, game_id, kind, fact)
    return None if now is None else dict(plain(now))


def _of_game(session: Session, game_id: str, kind: str, fact: str) -> dict[str, Any] | None:
    contents_here = (tells for game, tells in FACTS[kind](session, fact) if game == game_id)
    return next(contents_here, None)


def _of_sheet(
    session: Session, game_id: str, rows: _GameRows, kind: str, fact: str
) -> dict[str, Any] | None:
    """A sheet, what was read on it, or its other words."""
    row = session.get(SubmissionRow, int(fact))
    current_fact: dict[str, Any] | None = None
    if row is not None and (kind == "sheet" or row.read_at is not None):
        phase = session.get_one(PhaseRow, row.phase_id)
        pages, lines = rows.pages.get(row.id, ()), rows.lines.get(row.id, ())
        match kind:
            case _ if phase.game_id != game_id:
                pass
            case "sheet":
                current_fact = sheet_content(row, phase, pages)
            case "reading":
                current_fact = reading_content(row, phase, pages, lines)
            case _:
                current_fact = aside_content(row, phase, lines)
    return current_fact


def _alike(kind: str, entered: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    """Whether two facts say the same, as far as earlier and later programs mention the same things."""
    both = entered.keys() & now.keys()
    if kind != "reading":
        return all(entered[name] == now[name] for name in both)
    # A page names its code only where one was read, which earlier programs did not do.
    pages = [[{name: page[name] for name in page if name != "code"} for page in reading["pages"]]
             for reading in (entered, now)]
    return pages[0] == pages[1] and all(entered[name] == now[name] for name in both - {"pages"})


def _added(session: Session, rows: _GameRows, known: frozenset[tuple[str, str]]) -> list[Difference]:
    """Rows of a game of which no entry was ever made."""
    phases = rows.keys_of(PhaseRow)
    sheets = select(SubmissionRow.id).where(SubmissionRow.phase_id.in_(phases))
    reviews = (
        select(ReviewRow.id).join(LineRow, LineRow.id == ReviewRow.line_id)
        .join(PageRow, PageRow.id == LineRow.page_id)
        .join(SubmissionRow, SubmissionRow.id == PageRow.submission_id)
        .where(SubmissionRow.phase_id.in_(phases)))
    keys: Mapping[str, Iterable[int]] = {
        "phase": phases, "sheet": session.scalars(sheets), "decision": session.scalars(reviews),
        "posted": rows.keys_of(PostalOriginalRow), "word": rows.keys_of(LotContributionRow),
        "letter": rows.keys_of(OutboxRow), "correction": rows.keys_of(CorrectionRow),
        "event": rows.keys_of(EventRow),
    }
    added = []
    for kind, own_keys in keys.items():
        entered = {int(fact) for of, fact in known if of == kind}
        added += [Difference(How.ADDED, kind, str(key)) for key in sorted(own_keys) if key not in entered]
    seats = sorted(f"{row.game_id}:{row.power}" for row in rows.held if isinstance(row, SeatRow))
    return added + [Difference(How.ADDED, "seat", seat) for seat in seats if ("seat", seat) not in known]
