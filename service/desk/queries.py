"""What the pages show, read from the tables as values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, or_, select
from sqlalchemy.orm import Session, defer

from service.games.agreement import Stage
from service.games.ballots import _paper, count, executed
from service.games.decisions import PART, SHAPES, DecisionKind
from service.games.lines import SettledLine, lines_of, seen_by, stands_of
from service.games.options import FIRST_COUNTS
from service.games.phases import phase_title
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

VERSION_FLAGS = ("version_conflict", "version_disagrees", "choice_ended")
CURRENT = (PhaseState.OPEN, PhaseState.CLOSED, PhaseState.READY)
CLOCK_ONLY = (defer(PhaseRow.position), defer(PhaseRow.resolution), defer(PhaseRow.lots))
"""For pages of many phases: a phase without its board, which is most of what its row weighs and which they
never show."""


@dataclass(frozen=True, slots=True)
class PhaseView:
    """One running phase: counts and technical state only, so that it may be shown before the deadline.

    `doubtful` lines wait for somebody; of these `second` were read by one of two people, and `differing` by
    two otherwise. `missing` are the powers without a sheet that counts, by id; `held` the papers set aside,
    each power with the reasons found by the machine ("heading_disagrees"); `flagged` those that count but
    whose version numbers are worth a look.
    """

    id: int
    game: str
    title: str
    state: str
    deadline: datetime
    powers: int
    with_sheet: int
    lines: int
    doubtful: int
    unread: int
    game_id: str = ""
    variant: str = ""
    kind: str = ""
    missing: tuple[str, ...] = ()
    held: tuple[tuple[str, tuple[str, ...]], ...] = ()
    flagged: tuple[tuple[str, tuple[str, ...]], ...] = ()
    second: int = 0
    differing: int = 0


@dataclass(frozen=True, slots=True)
class WorkLine:
    """One line on the desk with where it stands in the work, as the person sees it who asks.

    `raw` is what the eye read, whatever was decided; `version` names the line's newest decision that this
    person may know of (`SettledLine.version`); `asked` who put the line aside for a second reader, or "".
    `waits` says whether it keeps the phase from being judged, whoever is to read it; `carried` that its
    decision was taken over from an earlier version of the sheet.
    """

    line: SettledLine
    power: str
    number: int
    of: int
    sheet: int
    sheets: int
    raw: str = ""
    version: str = ""
    asked: str = ""
    waits: bool = False
    carried: bool = False


def phases_now(session: Session) -> list[PhaseView]:
    """The running phases of every game, nearest deadline first."""
    rows = session.execute(
        select(PhaseRow, GameRow)
        .join(GameRow, GameRow.id == PhaseRow.game_id)
        .where(PhaseRow.state.in_(CURRENT))
        .order_by(PhaseRow.deadline).options(*CLOCK_ONLY)
    ).all()
    return _views(session, [(phase, game) for phase, game in rows])


def phases_to_come(session: Session, game_id: str, limit: int | None = None) -> list[PhaseRow]:
    """Phases of a game whose results are not sent, in their order, the first `limit` of them; without their
    boards."""
    return list(session.scalars(
        select(PhaseRow).where(PhaseRow.game_id == game_id, PhaseRow.state != PhaseState.SENT)
        .order_by(PhaseRow.ordinal).limit(limit).options(*CLOCK_ONLY)))


def phase_view(session: Session, phase: PhaseRow, game: GameRow) -> PhaseView:
    """What may be said of one phase at any time."""
    return _views(session, [(phase, game)])[0]


def _views(session: Session, pairs: Sequence[tuple[PhaseRow, GameRow]]) -> list[PhaseView]:
    """What may be said of each phase; as many questions to the database for twenty as for one."""
    rows: dict[int, list[SubmissionRow]] = {phase.id: [] for phase, _ in pairs}
    for row in session.scalars(
        select(SubmissionRow).where(SubmissionRow.phase_id.in_(rows)).order_by(SubmissionRow.id)
    ):
        rows[row.phase_id].append(row)
    powers: dict[str, list[str]] = {game.id: [] for _, game in pairs}
    for seat in session.scalars(select(SeatRow).where(SeatRow.game_id.in_(powers)).order_by(SeatRow.power)):
        powers[seat.game_id].append(seat.power)
    chosen = {
        phase.id: {power: ballot.paper.id for power, ballot in
                   count([_paper(row) for row in rows[phase.id]], phase.deadline,
                         first=bool(game.options.get(FIRST_COUNTS, False))).items()}
        for phase, game in pairs
    }
    stands = stands_of(session, [key for chosen_papers in chosen.values() for key in chosen_papers.values()])
    return [
        _view(phase, game, rows[phase.id], powers[game.id], chosen[phase.id],
              [line for key in chosen[phase.id].values() for line in stands[key]])
        for phase, game in pairs
    ]


def _view(
    phase: PhaseRow,
    game: GameRow,
    rows: Sequence[SubmissionRow],
    powers: Sequence[str],
    chosen: Mapping[str, int],
    lines: Sequence[SettledLine],
) -> PhaseView:
    orders = [line for line in lines if line.state is not LineState.NOT_ORDER]
    return PhaseView(
        id=phase.id, game=game.name, title=phase_title(phase), state=phase.state, deadline=phase.deadline,
        powers=len(powers), with_sheet=len(chosen), lines=len(orders),
        doubtful=sum(line.needs_a_person for line in orders),
        second=sum(line.stage is Stage.SECOND for line in orders),
        differing=sum(line.stage is Stage.DIFFERS for line in orders),
        unread=sum(r.read_at is None for r in rows),
        game_id=game.id, variant=game.variant, kind=phase.kind,
        missing=tuple(power for power in powers if power not in chosen),
        held=tuple((r.power, tuple(str(f) for f in r.flags)) for r in rows if r.fate == "held"),
        flagged=tuple(
            (r.power, flags) for r in rows
            if r.fate != "held" and (flags := tuple(str(f) for f in r.flags if f in VERSION_FLAGS))
        ),
    )


def work(session: Session, phase: PhaseRow, me: str = "") -> list[WorkLine]:
    """Every line of the executed sheets: by power, then sheet, then the order on the page. Never by the
    board. With `me` as that reader is shown them: of a line that two must read, nothing of what the other
    said before both have.

    Lines that a person joined or broke are left out while that act stands, and what they became while it does
    not.
    """
    chosen = executed(session, phase)
    by_sheet = lines_of(session, list(chosen.values()))
    away, asked, carried = set_aside(session, phase.id)
    pairs = [
        (power, line) for power, key in chosen.items() for line in by_sheet[key]
        if line.id not in away and not (line.kind == PART and line.by is None)
    ]
    ids = [line.id for _, line in pairs]
    raw = {
        row.id: row.text
        for row in session.execute(select(LineRow.id, LineRow.text).where(LineRow.id.in_(ids)))
    }
    return [
        WorkLine(
            seen_by(line, me) if me else line,
            power,
            index + 1,
            len(pairs),
            list(chosen).index(power) + 1,
            len(chosen),
            raw[line.id],
            line.version(me),
            asked.get(line.version(), ""),
            line.needs_a_person,
            line.version() in carried and not line.blind,
        )
        for index, (power, line) in enumerate(pairs)
    ]


def set_aside(session: Session, phase_id: int) -> tuple[set[int], dict[str, str], set[str]]:
    """Lines that were cut into others; decisions that are questions to a second reader, each with who asks;
    and decisions carried over from an earlier version of a sheet."""
    acts = session.execute(
        select(ReviewActionRow.kind, ReviewActionRow.reviews, ReviewActionRow.by)
        .where(ReviewActionRow.phase_id == phase_id, ReviewActionRow.undone_at.is_(None),
               ReviewActionRow.kind.in_([*SHAPES, DecisionKind.ASK, DecisionKind.CARRY]))).all()
    filed = {key: (kind, by) for kind, keys, by in acts for key in keys}
    if not filed:
        return set(), {}, set()
    rows = [
        (line, key, decision, *filed[number])
        for number, line, key, decision in session.execute(
            select(ReviewRow.id, ReviewRow.line_id, ReviewRow.key, ReviewRow.decision).where(
                ReviewRow.id.in_(filed)
            )
        )
    ]
    away = {line for line, _, decision, kind, _ in rows if kind in SHAPES and decision == LineState.NOT_ORDER}
    asked = {key: by for _, key, _, kind, by in rows if kind == DecisionKind.ASK}
    return away, asked, {key for _, key, _, kind, _ in rows if kind == DecisionKind.CARRY}


@dataclass(frozen=True, slots=True)
class UnusablePage:
    """A page of a paper that the machine could not use: whose, why, and when its sender was told, if at all.

    `page_id` has a picture to look at where `picture` is set.
    """

    power: str
    note: str
    page_id: int
    picture: bool
    told_at: datetime | None


def unusable_pages(session: Session, phase: PhaseRow) -> list[UnusablePage]:
    """Pages of this phase without lines since the photograph could not be used, oldest first."""
    rows = session.execute(
        select(PageRow, SubmissionRow)
        .join(SubmissionRow, SubmissionRow.id == PageRow.submission_id)
        .where(SubmissionRow.phase_id == phase.id, PageRow.note.is_not(None)).order_by(PageRow.id)).all()
    if not rows:
        return []  # as nearly always, and the outbox has every letter of every year
    letters = session.execute(
        select(OutboxRow.recipient, OutboxRow.sent_at)
        .where(OutboxRow.phase_id == phase.id, OutboxRow.kind == "rejection", OutboxRow.sent_at.is_not(None)))
    sent = [(recipient, sent_at) for recipient, sent_at in letters if sent_at is not None]
    return [
        UnusablePage(
            paper.power,
            page.note or "",
            page.id,
            page.upright is not None,
            max((sent_at for to, sent_at in sent if to == paper.sender and sent_at >= paper.received_at), default=None),
        )
        for page, paper in rows
    ]


def next_open(lines: Sequence[WorkLine], after: int | None = None, me: str = "") -> WorkLine | None:
    """The next line for a person, from line id `after` on and round again. Skipped lines come last; a line
    for a second reader comes in its place for everyone but who asked."""
    ids = [w.line.id for w in lines]
    start = ids.index(after) + 1 if after in ids else 0
    turned = [*lines[start:], *lines[:start]]
    doubtful = [w for w in turned if w.line.state is LineState.OPEN or (w.asked and w.asked != me)]
    skipped = [w for w in turned if w.line.state is LineState.SKIPPED]
    return next(iter([*doubtful, *skipped]), None)


def last_reviews(
    session: Session, phase_lines: Sequence[WorkLine], me: str, limit: int = 5
) -> list[ReviewRow]:
    """The last standing decisions of this phase, newest first; of lines that two people read blind only those
    of `me`."""
    blind = [w.line.id for w in phase_lines if w.line.blind]
    return list(
        session.scalars(
            select(ReviewRow).where(ReviewRow.line_id.in_(_ids(phase_lines)), ReviewRow.undone_at.is_(None),
                                    ReviewRow.decision != LineState.OPEN,
                                    or_(ReviewRow.by == me, ReviewRow.line_id.not_in(blind)))
            .order_by(ReviewRow.id.desc()).limit(limit)
        )
    )


def changed_since_judged(session: Session, phase: PhaseRow, phase_lines: Sequence[WorkLine]) -> bool:
    """Whether a decision was filed or taken back after the phase was judged: its results are then out of
    date."""
    if phase.judged_at is None:
        return False
    later = select(ReviewRow.id).where(
        ReviewRow.line_id.in_(_ids(phase_lines)),
        or_(ReviewRow.at > phase.judged_at, ReviewRow.undone_at > phase.judged_at))
    acts = select(ReviewActionRow.id).where(
        ReviewActionRow.phase_id == phase.id, ReviewActionRow.at > phase.judged_at
    )
    return any(session.scalar(query.limit(1)) is not None for query in (later, acts))


def mails_by_state(session: Session) -> dict[str, int]:
    """How many mails are kept, by their end: used, refused, quarantined, ignored, stored (not yet judged)."""
    rows = session.execute(select(MailRow.state, func.count()).group_by(MailRow.state)).all()
    return {str(state): number for state, number in rows}


def letters_by_state(session: Session) -> dict[str, int]:
    """How many letters there are: queued, sending, sent, failed, held."""
    rows = session.execute(select(OutboxRow.state, func.count()).group_by(OutboxRow.state)).all()
    return {str(state): number for state, number in rows}


def quarantine(session: Session) -> list[MailRow]:
    """Mails that wait for the coordinator, oldest first."""
    return list(
        session.scalars(
            select(MailRow).where(MailRow.state == MailState.QUARANTINED).order_by(MailRow.received_at)
        )
    )


def letters(session: Session, limit: int = 200) -> list[OutboxRow]:
    """The newest letters of the outbox, those that failed before all others. Two questions, each of which an
    index answers; one that sorts by state would sort every letter of every year."""
    newest = select(OutboxRow).order_by(OutboxRow.id.desc()).limit(limit)
    failed = list(session.scalars(newest.where(OutboxRow.state == OutboxState.FAILED)))
    others = session.scalars(newest.where(OutboxRow.state != OutboxState.FAILED))
    return [*failed, *others][:limit]


def _ids(lines: Sequence[WorkLine]) -> list[int]:
    return [w.line.id for w in lines]
