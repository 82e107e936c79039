"""A phase from its deadline to its results: close, judge, approve. Each step claims the state it expects."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Any, Protocol

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session, sessionmaker

from adjudicator.calendar import Phase, PhaseKind
from adjudicator.errors import UserFacingError
from adjudicator.judge import judge
from adjudicator.lots import Lots
from adjudicator.orders import Order
from adjudicator.outcome import Resolution
from adjudicator.serialize import codec
from maps.variant import Variant
from service.clock import Clock
from service.games import lots
from service.games.ballots import executed
from service.games.create import review_of
from service.games.deadlines import PhaseWindow, schedule
from service.games.lines import SettledLine, lines_of
from service.games.phases import phase_of
from service.store import records
from service.store.tables import GameRow, LineState, MailRow, MailState, PhaseRow, PhaseState, SubmissionRow

AHEAD = 8
"""Phases that are kept on the calendar ahead of the one being played: a whole game year."""


class NotReady(UserFacingError):
    """The step cannot be taken now; the sentence says what is missing."""


class Announcer(Protocol):
    """What leaves when a phase is approved."""

    def prepare(self, session: Session, phase: PhaseRow, resolution: Resolution) -> Callable[[Session], None]:
        """Render every letter and picture of the results. The answer puts them into a transaction; nothing is
        put when any rendering failed."""


@dataclass(frozen=True, slots=True)
class WrittenOrder:
    """An order that counts, with the line it was written on."""

    order: Order
    line: SettledLine


@dataclass(frozen=True, slots=True)
class Turns:
    """The steps of a phase, with everything they need.

    `drain` empties the mailbox; `take` judges one stored mail; `parse(variant, phase, power, text, line)`
    gives the orders of one line of canonical text.
    """

    store: sessionmaker[Session]
    clock: Clock
    load: Callable[[str], Variant]
    drain: Callable[[], None]
    take: Callable[[dict[str, Any]], None]
    parse: Callable[[Variant, Phase, str, str, int], Sequence[Order]]
    announce: Announcer

    def open(self, payload: dict[str, Any]) -> None:
        """Handler of `schedule.OPEN`: a waiting phase takes orders from its hour on, judged predecessor or
        not."""
        with self.store.begin() as session:
            phase = session.get(PhaseRow, int(payload["phase"]))
            if phase is None or phase.opens_at > self.clock.now():
                return
            if phase.id not in {p.id for p in records.phases_to_open(session, self.clock.now())}:
                return
            if records.claim_phase(session, phase.id, PhaseState.WAITING, PhaseState.OPEN):
                records.log_event(session, self.clock.now(), "phase_opened", game_id=phase.game_id,
                                  detail={"phase": str(phase_of(phase))})

    def close(self, payload: dict[str, Any]) -> None:
        """Handler of `schedule.DEADLINE`: empty the mailbox, judge what it brought, then close and fix the
        ballots.

        The deadline is read again afterwards: a deadline that was moved meanwhile closes nothing.
        """
        self.drain()
        phase_id = int(payload["phase"])
        with self.store() as session:
            waiting = [m.sha256 for m in records.unfinished_mails(session)]
        for key in waiting:
            self.take({"mail": key})
        with self.store.begin() as session:
            phase = session.get(PhaseRow, phase_id)
            now = self.clock.now()
            if phase is None or phase.deadline > now:
                return
            # the phase before is not approved yet; the sweep comes again when it is
            if phase.position is None:
                return
            if records.claim_phase(session, phase_id, PhaseState.OPEN, PhaseState.CLOSED, closed_at=now):
                records.log_event(session, now, "phase_closed", game_id=phase.game_id,
                                  detail={"phase": str(phase_of(phase))})
            judged = phase.state != PhaseState.CLOSED
        if not judged:
            self.judge_when_read(phase_id)

    def judge_when_read(self, phase_id: int) -> bool:
        """Judge a closed phase once every sheet is read and no line waits for a person; whether it was
        judged."""
        with self.store() as session:
            phase = session.get_one(PhaseRow, phase_id)
            if phase.state not in {PhaseState.CLOSED, PhaseState.READY} or _waits(session, phase):
                return False
        self.judge(phase_id)
        return True

    def judge(self, phase_id: int) -> Resolution:
        """Judge a closed phase, or one that is ready and was read again. Raises NotReady for any other
        state."""
        with self.store.begin() as session:
            phase = session.get_one(PhaseRow, phase_id)
            if phase.state not in {PhaseState.CLOSED, PhaseState.READY} or phase.position is None:
                raise NotReady("only a phase whose deadline has passed can be judged")
            lots.check_committed(session, phase)
            resolution, orders = self.resolve(session, phase)
            now = self.clock.now()
            changed = records.claim(
                session, PhaseRow, PhaseRow.id == phase_id,
                PhaseRow.state.in_([PhaseState.CLOSED, PhaseState.READY]),
                state=PhaseState.READY, judged_at=now, resolution=codec.dump_resolution(resolution))
            if not changed:
                raise NotReady("somebody else has moved this phase on")
            records.log_event(session, now, "phase_judged", game_id=phase.game_id,
                              detail={"phase": str(phase_of(phase)), "orders": orders})
        return resolution

    def resolve(self, session: Session, phase: PhaseRow) -> tuple[Resolution, int]:
        """What judging the executed sheets as they now stand gives, and of how many orders. Writes nothing;
        the same for a rehearsal and the real run. Raises NotReady where the position is not known yet."""
        if phase.position is None:
            raise NotReady("the results of the phase before are not approved yet")
        variant = self.load(session.get_one(GameRow, phase.game_id).variant)
        written = self.orders(session, phase, variant)
        resolution = judge(variant.setting(), codec.load_position(phase.position), [w.order for w in written],
                           Lots(lots.tape_of(session, phase, variant.rules.LOTS)))
        return resolution, len(written)

    def orders(self, session: Session, phase: PhaseRow, variant: Variant) -> list[WrittenOrder]:
        """The orders of every executed sheet, by power and line. Lines that are void, struck or no orders
        give none."""
        chosen = executed(session, phase)
        by_sheet = lines_of(session, list(chosen.values()))
        found = []
        for power, submission in chosen.items():
            for line in by_sheet[submission]:
                if line.order is None or line.state not in {LineState.AUTO, LineState.READ}:
                    continue
                orders = self.parse(variant, phase_of(phase), power, line.order, line.id)
                found += [WrittenOrder(replace(order, line=line.id), line) for order in orders]
        return found

    def approve(self, phase_id: int, by: str) -> None:
        """Send the results and open the way for the next phase: the only step that cannot be taken back.

        Every letter and picture is rendered first, outside the transaction. Raises NotReady with the reason.
        """
        with self.store() as session:
            phase = session.get_one(PhaseRow, phase_id)
            if phase.state == PhaseState.SENT:
                return
            if phase.state != PhaseState.READY or phase.resolution is None or _waits(session, phase):
                raise NotReady("the results are not complete: a sheet or a line is still to be read")
            resolution = codec.load_resolution(phase.resolution)
            judged_at = phase.judged_at
            put = self.announce.prepare(session, phase, resolution)
        with self.store.begin() as session:
            now = self.clock.now()
            sent = records.claim(
                session, PhaseRow, PhaseRow.id == phase_id, PhaseRow.state == PhaseState.READY,
                PhaseRow.judged_at == judged_at, state=PhaseState.SENT, sent_at=now)
            if not sent:
                raise NotReady("the phase was judged again meanwhile; look at the results once more")
            put(session)
            phase = session.get_one(PhaseRow, phase_id)
            self._go_on(session, phase, resolution, now)
            records.log_event(session, now, "results_approved", game_id=phase.game_id, actor=by,
                              detail={"phase": str(phase_of(phase))})

    def _go_on(self, session: Session, phase: PhaseRow, resolution: Resolution, now: datetime) -> None:
        """Hand the position to the phase it is for; those between have nothing to order and are over
        (CAL-17)."""
        game = session.get_one(GameRow, phase.game_id)
        drawn = resolution.draw_open_to is not None and self.load(game.variant).rules.draws_at_once()
        if resolution.winner is not None or resolution.joint or drawn:
            session.execute(update(PhaseRow).where(
                PhaseRow.game_id == game.id, PhaseRow.ordinal > phase.ordinal).values(state=PhaseState.SENT))
            return
        extend_calendar(session, game, self.load(game.variant))
        later = [p for p in records.phases(session, game.id) if p.ordinal > phase.ordinal]
        wanted = resolution.position.phase
        at = next(number for number, row in enumerate(later) if phase_of(row) == wanted)
        for row in later[:at]:
            row.state, row.closed_at = PhaseState.SENT, now
        following = later[at]
        following.position = codec.dump_position(resolution.position)
        session.flush()
        if following.opens_at <= now:
            records.claim_phase(session, following.id, PhaseState.WAITING, PhaseState.OPEN)


def extend_calendar(session: Session, game: GameRow, variant: Variant) -> None:
    """Keep `AHEAD` phases on the calendar after the one in play, each with its window and its own seed for
    lots."""
    rows = records.phases(session, game.id)
    over = sum(r.state == PhaseState.SENT for r in rows)
    wanted = over + 1 + AHEAD
    if len(rows) >= wanted:
        return
    start = date.fromisoformat(str(game.options["start"]))
    windows = schedule(start, variant.calendar, variant.start.phase, wanted)
    shift = _shift(rows[-1], windows[len(rows) - 1]) if rows else None
    for ordinal, window in enumerate(windows[len(rows):], start=len(rows) + 1):
        session.add(PhaseRow(
            game_id=game.id, ordinal=ordinal, year=window.phase.year, season=window.phase.season,
            kind=window.phase.kind.value, state=PhaseState.WAITING, seed=lots.fresh_seed(),
            review=review_of(game.options),
            opens_at=window.opens + shift if shift else window.opens,
            deadline=window.deadline + shift if shift else window.deadline,
        ))
    session.flush()


def _shift(last: PhaseRow, planned: PhaseWindow) -> timedelta:
    """By how much the calendar as a whole was moved, seen at its last row: a deadline moved alone leaves the
    instant at which its own phase opens, and the one at which its retreats close."""
    if last.kind == PhaseKind.RETREAT:
        return last.deadline - planned.deadline
    return last.opens_at - planned.opens


def _waits(session: Session, phase: PhaseRow) -> bool:
    """Whether a mail in time is unjudged, a sheet unread, or a line of an executed sheet waits for a
    person."""
    mails = session.scalar(select(func.count()).select_from(MailRow).where(
        MailRow.state == MailState.STORED, MailRow.received_at <= phase.deadline))
    unread = session.scalar(select(func.count()).select_from(SubmissionRow).where(
        SubmissionRow.phase_id == phase.id, SubmissionRow.read_at.is_(None)))
    if mails or unread:
        return True
    lines = lines_of(session, list(executed(session, phase).values()))
    return any(line.needs_a_person for group in lines.values() for line in group)
