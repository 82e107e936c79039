"""The data of the pages, read from the tables as values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from sqlalchemy import ColumnElement, and_, func, or_, select, true
from sqlalchemy.orm import Session, defer

from adjudicator.calendar import PhaseKind
from adjudicator.serialize import codec
from service.facts.sheets import VERSION_DOUBTS, Fate
from service.games import decisions, sealed_lots
from service.games.agreement import Stage
from service.games.approval import papers
from service.games.ballots import count, executed, ranked
from service.games.lines import SettledLine, line_numbers, line_states_of, lines_of, shown_to
from service.games.options import options_of
from service.games.phases import phase_title
from service.notices.answers.receipts import RECEIPT, waits_for_reading
from service.notices.answers.replies import HELD, REJECTION
from service.store.tables import (
    GameRow,
    LineRow,
    LineState,
    MailRow,
    MailState,
    OutboxRow,
    OutboxState,
    PageRow,
    PhaseRow,
    PhaseState,
    ReviewActionRow,
    ReviewRow,
    SeatRow,
    SubmissionRow,
)

CURRENT = (PhaseState.OPEN, PhaseState.CLOSED, PhaseState.READY)
# With 845 phases the front page took 259 ms of processor time with the boards and 99 ms without them.
_ABOUT_PAGES = (REJECTION, HELD, RECEIPT)
"""The kinds of letters about a page that cannot be used."""
CLOCK_ONLY = (defer(PhaseRow.position), defer(PhaseRow.resolution))
"""For pages of many phases: a phase without its board, which is most of its row's size and is never shown
there."""


@dataclass(frozen=True, slots=True)
class HeldSheet:
    """A sheet that waits for the coordinator: its power, its key, when it came, and the reasons
    ("heading_disagrees")."""

    power: str
    submission: int
    received_at: datetime
    flags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SheetCounts:
    """The sheets of a phase: `with_sheet` of `powers` powers have one that counts, `unread` sheets are still
    to be read by the machine.

    `missing`: ids of the powers of whom nothing came. `set_aside`: those of whom something came and nothing
    counts; `quarantined`: ids of powers with a mail in quarantine that came for it. `held`: the sheets that
    wait for the coordinator. `flagged`: sheets that count but whose version numbers need attention.
    """

    powers: int
    with_sheet: int
    unread: int
    missing: tuple[str, ...]
    held: tuple[HeldSheet, ...]
    flagged: tuple[tuple[str, tuple[str, ...]], ...]
    set_aside: tuple[str, ...] = ()
    quarantined: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LineCounts:
    """The lines of a phase that the machine took for orders, also those that a person then said are none: the
    total stays while people read. `doubtful` lines wait for a person; of these `second` were read by one of
    two people, and two people read `differing` lines differently."""

    total: int
    doubtful: int
    second: int
    differing: int


@dataclass(frozen=True, slots=True)
class PhaseView:
    """One running phase: counts and technical state only, so that it may be shown before the deadline
    (DESK-02). `beacon_round`: the time of the beacon's round without which a closed phase
    cannot be judged; None if it waits for none."""

    phase: PhaseRow
    game: GameRow
    title: str
    sheets: SheetCounts
    lines: LineCounts
    beacon_round: datetime | None = None


@dataclass(frozen=True, slots=True)
class LinePlace:
    """Where a line is in the work. `index` among all lines of the phase, from 0. `number`: its number on its
    sheet (`line_numbers`), "" for a line of the heading. `numbered`: the sheet's lines with a number that no
    person added. Sheet `sheet` of `sheets`, from 1."""

    index: int
    number: str
    numbered: int
    sheet: int
    sheets: int

    @property
    def name(self) -> str:
        """The line's name for people: "line 5", or "heading"."""
        return f"line {self.number}" if self.number else "heading"


@dataclass(frozen=True, slots=True)
class WorkLine:
    """One line on the desk with its place in the work, as one person sees it.

    `raw` is the machine's reading, whatever was decided. `version` names the newest decision that this
    person may know of (`SettledLine.version`). `asked_by`: who asked for a second reader, or "". `waits`: the
    phase cannot be judged before this line is decided. `carried`: its decision comes from an earlier version
    of the sheet.
    """

    line: SettledLine
    power: str
    place: LinePlace
    raw: str
    version: str
    asked_by: str
    waits: bool
    carried: bool


def phases_now(session: Session, games: frozenset[str] | None = None) -> list[PhaseView]:
    """The running phases of every game, or of `games`, nearest deadline first."""
    rows = session.execute(
        select(PhaseRow, GameRow)
        .join(GameRow, GameRow.id == PhaseRow.game_id)
        .where(PhaseRow.state.in_(CURRENT), true() if games is None else PhaseRow.game_id.in_(games))
        .order_by(PhaseRow.deadline).options(*CLOCK_ONLY)
    ).all()
    return _views(session, [(phase, game) for phase, game in rows])


def phases_between(session: Session, games: frozenset[str] | None = None) -> list[PhaseView]:
    """Of every game, or of `games`, that is between two phases the one that opens next, the nearest first."""
    current = select(PhaseRow.game_id).where(PhaseRow.state.in_(CURRENT))
    following = (
        select(PhaseRow.game_id, func.min(PhaseRow.ordinal).label("ordinal"))
        .where(PhaseRow.state == PhaseState.WAITING, PhaseRow.game_id.not_in(current),
               true() if games is None else PhaseRow.game_id.in_(games))
        .group_by(PhaseRow.game_id).subquery())
    rows = session.execute(
        select(PhaseRow, GameRow).join(GameRow, GameRow.id == PhaseRow.game_id)
        .join(following, and_(following.c.game_id == PhaseRow.game_id,
                              following.c.ordinal == PhaseRow.ordinal))
        .order_by(PhaseRow.opens_at).options(*CLOCK_ONLY)).all()
    return _views(session, [(phase, game) for phase, game in rows])


def phases_to_come(session: Session, game_id: str, limit: int | None = None) -> list[PhaseRow]:
    """Phases of a game whose results are not sent, in order, at most `limit` of them, without their
    boards."""
    return list(session.scalars(
        select(PhaseRow).where(PhaseRow.game_id == game_id, PhaseRow.state != PhaseState.SENT)
        .order_by(PhaseRow.ordinal).limit(limit).options(*CLOCK_ONLY)))


def phase_view(session: Session, phase: PhaseRow, game: GameRow) -> PhaseView:
    """The counts of one phase."""
    return _views(session, [(phase, game)])[0]


def with_names(view: PhaseView, power_name: Callable[[str, str], str]) -> PhaseView:
    """The same view with names of powers in place of ids. `power_name` takes a board and an id."""
    name_of = partial(power_name, view.game.variant)
    quarantined = tuple(dict.fromkeys(name_of(power) for power in view.sheets.quarantined))
    missing = tuple(name_of(power) for power in view.sheets.missing)
    set_aside = [name_of(power) for power in view.sheets.set_aside]
    return replace(view, sheets=replace(
        view.sheets, missing=tuple(name for name in missing if name not in quarantined),
        set_aside=(*set_aside, *(name for name in missing if name in quarantined)), quarantined=quarantined,
        held=tuple(replace(held, power=name_of(held.power)) for held in view.sheets.held),
    ))


def _views(session: Session, pairs: Sequence[tuple[PhaseRow, GameRow]]) -> list[PhaseView]:
    """The counts of each phase, with the same number of queries for twenty phases as for one."""
    # The front page cost 120 questions with 20 games and 10 years; per table one is asked for all phases.
    rows: dict[int, list[SubmissionRow]] = {phase.id: [] for phase, _ in pairs}
    for row in session.scalars(
        select(SubmissionRow).where(SubmissionRow.phase_id.in_(rows)).order_by(SubmissionRow.id)
    ):
        rows[row.phase_id].append(row)
    powers: dict[str, list[str]] = {game.id: [] for _, game in pairs}
    for seat in session.scalars(select(SeatRow).where(SeatRow.game_id.in_(powers)).order_by(SeatRow.power)):
        powers[seat.game_id].append(seat.power)
    chosen = {
        phase.id: {power: ballot.submission.id for power, ballot in
                   count([ranked(row) for row in rows[phase.id]], phase.deadline,
                         first=options_of(game).first_counts).items()}
        for phase, game in pairs
    }
    lines_by_sheet = line_states_of(
        session, [key for by_power in chosen.values() for key in by_power.values()])
    mails = papers.quarantined_powers(session, list({game.id: game for _, game in pairs}.values()))
    all_phases = [phase for phase, _ in pairs]
    asked_powers = _asked_powers(session, all_phases)
    return [
        _view(phase, game, rows[phase.id],
              [power for power in powers[game.id] if power in asked_powers.get(phase.id, (power,))],
              chosen[phase.id],
              mails.get(phase.id, ()),
              [line for key in chosen[phase.id].values() for line in lines_by_sheet[key]])
        for phase, game in pairs
    ]


def _asked_powers(session: Session, phases: Sequence[PhaseRow]) -> dict[int, frozenset[str]]:
    """The powers that are asked for orders in each retreat phase whose board is known: those with a dislodged
    unit. In any other all are."""
    rows = session.execute(
        select(PhaseRow.id, PhaseRow.position)
        .where(PhaseRow.id.in_([phase.id for phase in phases]), PhaseRow.kind == PhaseKind.RETREAT,
               PhaseRow.position.is_not(None))).all()
    return {key: frozenset(retreat.unit.power for retreat in codec.load_position(position).dislodged)
            for key, position in rows}


def _view(
    phase: PhaseRow, game: GameRow, rows: Sequence[SubmissionRow], powers: Sequence[str],
    chosen: Mapping[str, int], quarantined: tuple[str, ...], lines: Sequence[SettledLine],
) -> PhaseView:
    orders = [line for line in lines if line.state is not LineState.NOT_ORDER]
    came = {row.power for row in rows}
    waiting = papers.waiting_sheets(
        rows, phase.deadline, first=options_of(game).first_counts)
    sheets = SheetCounts(
        powers=len({*powers, *chosen}), with_sheet=len(chosen),
        unread=sum(row.read_at is None for row in rows),
        missing=tuple(power for power in powers if power not in chosen and power not in came),
        set_aside=tuple(power for power in sorted(came) if power not in chosen),
        quarantined=quarantined,
        held=tuple(HeldSheet(row.power, row.id, row.received_at, tuple(str(flag) for flag in row.flags))
                   for row in waiting),
        flagged=tuple(
            (row.power, flags) for row in rows
            # A held sheet's flags are the reasons why it is held, and are shown as such.
            if row.fate != Fate.HELD and (flags := tuple(str(f) for f in row.flags if f in VERSION_DOUBTS))
        ),
    )
    counts = LineCounts(
        total=len(orders) + sum(_is_set_aside(line) for line in lines),
        doubtful=sum(line.needs_a_person for line in orders),
        second=sum(line.stage is Stage.SECOND for line in orders),
        differing=sum(line.stage is Stage.DIFFERS for line in orders),
    )
    due = sealed_lots.round_due(phase) if phase.state == PhaseState.CLOSED else None
    return PhaseView(phase, game, phase_title(phase), sheets, counts, None if due is None else due[2])


def _is_set_aside(line: SettledLine) -> bool:
    """True if a person stated that a line is not an order; not for a line that was cut into others."""
    return line.state is LineState.NOT_ORDER and bool(line.standing) and not line.standing[-1].settles


def work(session: Session, phase: PhaseRow, me: str = "") -> list[WorkLine]:
    """Every line of the executed sheets, by power, then sheet, then order on the page, never by the board.

    With `me` as shown to that reader: of a line that two people must read, nothing of the other's reading
    before both have read it. Lines that were joined or broken are left out while that act counts; the lines
    made from them are left out while it does not.
    """
    # Order of work: power, sheet, page. An order by the board would show what is around a unit (DESK-03).
    chosen = executed(session, phase)
    by_sheet = lines_of(session, list(chosen.values()))
    away, asked_by, carried = decisions.set_aside(session, phase.id)
    pairs = [
        (power, line) for power, key in chosen.items() for line in decisions.present(by_sheet[key], away)]
    ids = [line.id for _, line in pairs]
    numbers = {power: line_numbers(by_sheet[key]) for power, key in chosen.items()}
    numbered = {power: sum(number.isdecimal() for number in of_sheet.values())
                for power, of_sheet in numbers.items()}
    raw = {
        row.id: row.text
        for row in session.execute(select(LineRow.id, LineRow.text).where(LineRow.id.in_(ids)))
    }
    return [
        WorkLine(
            # The second reader is shown nothing of the first reader's decision (desk plan, "Two-person
            # review").
            shown_to(line, me) if me else line,
            power,
            LinePlace(index, numbers[power].get(line.id, ""), numbered[power], list(chosen).index(power) + 1,
                      len(chosen)),
            raw[line.id],
            line.version(me),
            asked_by.get(line.version(), ""),
            line.needs_a_person,
            # That a decision was carried over shows a second reader that there is one.
            line.version() in carried and not line.blind,
        )
        for index, (power, line) in enumerate(pairs)
    ]


@dataclass(frozen=True, slots=True)
class UnusablePage:
    """A page that the machine could not use: its power, the reason, and when the sender was informed, or
    None.

    `page_id` has a picture to show if `picture` is set.
    """

    power: str
    note: str
    page_id: int
    picture: bool
    letter_sent_at: datetime | None


def unusable_pages(session: Session, phase: PhaseRow) -> list[UnusablePage]:
    """Pages of this phase without lines because the photograph could not be used, oldest first."""
    rows = session.execute(
        select(PageRow, SubmissionRow)
        .join(SubmissionRow, SubmissionRow.id == PageRow.submission_id)
        .where(SubmissionRow.phase_id == phase.id, PageRow.note.is_not(None)).order_by(PageRow.id)).all()
    if not rows:
        return []  # as nearly always, and the outbox has every letter of every year
    letters = session.execute(
        select(OutboxRow.kind, OutboxRow.key, OutboxRow.sent_at)
        .where(OutboxRow.phase_id == phase.id, OutboxRow.kind.in_([kind.name for kind in _ABOUT_PAGES]),
               OutboxRow.sent_at.is_not(None)))
    sent = [(kind, key, sent_at) for kind, key, sent_at in letters if sent_at is not None]
    return [
        UnusablePage(
            submission.power,
            page.note or "",
            page.id,
            page.upright is not None,
            max(
                # A letter has the mail that it answers in its key. A receipt is about the page if it waited
                # for the reading.
                (sent_at for kind, key, sent_at in sent
                 if submission.sha256 and submission.sha256 in key
                 and (kind != RECEIPT.name or waits_for_reading(session, submission, phase))),
                default=None,
            ),
        )
        for page, submission in rows
    ]


def next_open(lines: Sequence[WorkLine], after: int | None = None, me: str = "") -> WorkLine | None:
    """The next line for a person, after line id `after` and from the start again. Skipped lines come last. A
    line for a second reader keeps its place for everyone but the person who asked."""
    ids = [work_line.line.id for work_line in lines]
    start = ids.index(after) + 1 if after in ids else 0
    turned = [*lines[start:], *lines[:start]]
    doubtful = [
        work_line for work_line in turned
        if work_line.line.state is LineState.OPEN or (work_line.asked_by and work_line.asked_by != me)]
    # S at the desk: the line comes back at the end.
    skipped = [work_line for work_line in turned if work_line.line.state is LineState.SKIPPED]
    return next(iter([*doubtful, *skipped]), None)


def last_reviews(
    session: Session, phase_lines: Sequence[WorkLine], me: str, limit: int = 5
) -> list[ReviewRow]:
    """The last decisions of this phase that still count, newest first; of lines that two people read blind
    only those of `me`."""
    # The list of last decisions would show the second reader what the first one read.
    blind = [work_line.line.id for work_line in phase_lines if work_line.line.blind]
    return list(
        session.scalars(
            select(ReviewRow).where(ReviewRow.line_id.in_(_ids(phase_lines)), ReviewRow.undone_at.is_(None),
                                    ReviewRow.decision != LineState.OPEN,
                                    or_(ReviewRow.by == me, ReviewRow.line_id.not_in(blind)))
            .order_by(ReviewRow.id.desc()).limit(limit)
        )
    )


def changed_since_judged(session: Session, phase: PhaseRow, phase_lines: Sequence[WorkLine]) -> bool:
    """True if a decision was made or taken back after the phase was judged: its results are then out of
    date."""
    if phase.judged_at is None:
        return False
    # An undo changes an old row, so both times are compared.
    later = select(ReviewRow.id).where(
        ReviewRow.line_id.in_(_ids(phase_lines)),
        or_(ReviewRow.at > phase.judged_at, ReviewRow.undone_at > phase.judged_at))
    acts = select(ReviewActionRow.id).where(
        ReviewActionRow.phase_id == phase.id, ReviewActionRow.at > phase.judged_at
    )
    return any(session.scalar(query.limit(1)) is not None for query in (later, acts))


def mails_by_state(session: Session) -> dict[str, int]:
    """Number of mails by state: used, refused, quarantined, ignored, stored (not judged yet)."""
    rows = session.execute(select(MailRow.state, func.count()).group_by(MailRow.state)).all()
    return {str(state): number for state, number in rows}


def letters_by_state(session: Session, games: frozenset[str] | None = None) -> dict[str, int]:
    """Number of letters by state, of the site or of `games`: queued, sending, sent, failed, held."""
    rows = session.execute(
        select(OutboxRow.state, func.count()).where(_of_games(games)).group_by(OutboxRow.state)).all()
    return {str(state): number for state, number in rows}


def quarantine(session: Session) -> list[MailRow]:
    """Mails that wait for the coordinator, oldest first."""
    return list(
        session.scalars(
            select(MailRow).where(MailRow.state == MailState.QUARANTINED).order_by(MailRow.received_at)
        )
    )


def letters(
    session: Session, limit: int = 200, games: frozenset[str] | None = None
) -> list[OutboxRow]:
    """The newest letters of the outbox, or of `games`, failed ones first. Two queries, each answered by an
    index; sorting by state would sort every letter of every year."""
    newest = select(OutboxRow).where(_of_games(games)).order_by(OutboxRow.id.desc()).limit(limit)
    failed = list(session.scalars(newest.where(OutboxRow.state == OutboxState.FAILED)))
    others = session.scalars(newest.where(OutboxRow.state != OutboxState.FAILED))
    return [*failed, *others][:limit]


def _of_games(games: frozenset[str] | None) -> ColumnElement[bool]:
    return true() if games is None else OutboxRow.game_id.in_(games)


def _ids(lines: Sequence[WorkLine]) -> list[int]:
    return [work_line.line.id for work_line in lines]
