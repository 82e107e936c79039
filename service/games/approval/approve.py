"""The results of a judged phase leave: checked, drawn, and put into the outbox in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

from sqlalchemy.orm import Session
from sqlalchemy.orm.attributes import set_committed_value

from adjudicator.orders import Order
from adjudicator.outcome import Resolution
from adjudicator.serialize import codec
from service.clock import Clock
from service.facts.events import Event
from service.games.acts.act import Act, ActTable, Circulars, LoggedEvent, perform
from service.games.acts.deadlines import MoveDeadline, moved_calendar
from service.games.approval.papers import Paper, unsettled_papers
from service.games.asking import AnswerTime, answer_time, time_words
from service.games.phases import phase_of, resolution_of
from service.games.turns import Load, NotReady, hand_on, is_incomplete, phase_that_follows, resolve_orders
from service.store import records
from service.store.engine import Store
from service.store.tables import GameRow, PhaseRow, PhaseState

LATE = "The results before it were sent later than planned."
"""Why deadlines move with late results, if the coordinator gives no other reason. Letters translate it."""


class Announcer(Protocol):
    """The letters that leave when a phase is approved."""

    @property
    def circulars(self) -> Circulars | None:
        """The door of the letter that informs everybody of moved deadlines; None where the site writes
        none."""

    def prepare(self, session: Session, phase: PhaseRow, resolution: Resolution) -> Callable[[Session], None]:
        """Render every letter and picture of the results. The returned function puts them into a
        transaction; a rendering that fails raises here, before anything is put."""


@dataclass(frozen=True, slots=True)
class AnswerBy:
    """The deadline that the coordinator confirms for the phase that follows. If it is another than that
    phase has, it and all later ones move by as much, and everybody is informed, with the reason `why`."""

    deadline: datetime
    why: str = LATE


def approve_phase(
    store: Store, phase_id: int, by: str, announce: Announcer, clock: Clock, load: Load,
    answer_by: AnswerBy | None = None,
) -> None:
    """Send the results and open the way for the next phase: the only step that cannot be taken back.

    1. Check: READY, every sheet and line read, the orders as they were judged, no paper unsettled, and time
       for the players to answer (`check_time`). An approved phase is left alone.
    2. Render letters and pictures, outside the transaction: they take seconds.
    3. Claim READY -> SENT with the `judged_at` of step 1, so that results judged again meanwhile stay.
    4. In the same transaction move the deadlines, check sheets, orders, papers and time again, put the
       letters, hand the position on, and log.
    Raises NotReady with the reason when step 1, 3 or 4 fails.
    """
    with store() as session:
        phase = session.get_one(PhaseRow, phase_id)
        # A second press of the button, or a repeated delivery of the first, is not a fault.
        if phase.state == PhaseState.SENT:
            return
        resolution = check(session, phase, load)
        check_time(session, phase, load, clock.now(), answer_by)
        _check_orders(session, phase, load)
        judged_at = phase.judged_at
        # Kept, so that every look of this session finds the rows with their new dates.
        moved_rows = _with_new_dates(session, phase, resolution, load, answer_by)
        put_letters = announce.prepare(session, phase, resolution)
        del moved_rows
    with store.begin() as session:
        table = ActTable(session, by, clock.now(), load, announce.circulars)
        phase = session.get_one(PhaseRow, phase_id)
        following = phase_that_follows(session, phase, resolution, load)
        # Before the phase opens: the deadline of one that is open and past is not moved.
        if following is not None and answer_by is not None and answer_by.deadline != following.deadline:
            new = answer_by.deadline.astimezone(UTC)
            perform(MoveDeadline(phase.game_id, following.id, new.date().isoformat(), f"{new:%H:%M}",
                                 answer_by.why, later=True), table)
        perform(SendResults(phase_id, judged_at, resolution, put_letters, answer_by), table)


@dataclass(frozen=True, slots=True)
class SendResults(Act[PhaseRow]):
    """Steps 3 and 4 of `approve_phase`, which alone makes it: `put_letters` puts what was drawn of
    `resolution`, as it was judged at `judged_at`."""

    phase: int
    judged_at: datetime | None
    resolution: Resolution
    put_letters: Callable[[Session], None]
    answer_by: AnswerBy | None = None

    def change(self, table: ActTable) -> PhaseRow:
        """Claim the phase, put the letters and hand the position on."""
        session = table.session
        claimed = records.claim(
            session, PhaseRow, PhaseRow.id == self.phase, PhaseRow.state == PhaseState.READY,
            PhaseRow.judged_at == self.judged_at, state=PhaseState.SENT, sent_at=table.now)
        if not claimed:
            raise NotReady("the phase was judged again meanwhile; check the results again")
        phase = session.get_one(PhaseRow, self.phase)
        check_time(session, phase, table.load, table.now, self.answer_by)
        # While the letters were drawn a mail may have come, or a line been decided again: they would state
        # that nothing was received, or what is no longer so.
        _check_complete(session, phase, table.load)
        _check_orders(session, phase, table.load)
        # Before the position is handed on, which opens the next phase: the letters are about this one.
        self.put_letters(session)
        hand_on(session, phase, self.resolution, table.now, table.load)
        return phase

    def event(self, table: ActTable, outcome: PhaseRow, letters: int) -> LoggedEvent:
        """The phase."""
        return LoggedEvent(Event.RESULTS_APPROVED, outcome.game_id, {"phase": str(phase_of(outcome))})


def check(session: Session, phase: PhaseRow, load: Load) -> Resolution:
    """The resolution of a phase whose results may leave. Raises NotReady, which shows what is missing.

    It does not judge again, for a page waits for it; `approve_phase` does.
    """
    if phase.state != PhaseState.READY or phase.resolution is None:
        raise NotReady("the turn is not judged yet; judge it at the desk first")
    _check_complete(session, phase, load)
    return codec.load_resolution(phase.resolution)


def time_to_answer(session: Session, phase: PhaseRow, load: Load, now: datetime) -> AnswerTime | None:
    """The time that players have in the phase that follows if these results leave now; None where the game
    ends with them."""
    resolution = resolution_of(phase)
    following = phase_that_follows(session, phase, resolution, load)
    return None if following is None else answer_time(session, following, now)


def check_time(
    session: Session, phase: PhaseRow, load: Load, now: datetime, answer_by: AnswerBy | None
) -> None:
    """Raise NotReady if the players would have too little time to answer: half of the calendar's without a
    deadline that the coordinator confirms, and an hour with one (PHA-01, Q-75)."""
    answer = time_to_answer(session, phase, load, now)
    if answer is None:
        return
    if answer_by is None and answer.is_short:
        raise NotReady(f"{time_words(answer)}. Choose a deadline: {answer.proposed:%d %b %Y, %H:%M} GMT "
                       "gives them the full time")
    if answer_by is not None and answer_by.deadline < now + answer.shortest:
        raise NotReady(f"the deadline {answer_by.deadline:%d %b %Y, %H:%M} GMT leaves the players less than "
                       f"{round(answer.shortest.total_seconds() / 60)} minutes; choose a later one")


def _with_new_dates(
    session: Session, phase: PhaseRow, resolution: Resolution, load: Load, answer_by: AnswerBy | None
) -> Sequence[PhaseRow]:
    """The rows of the phases ahead with the dates that they get, for the letters; nothing of it is
    written."""
    following = phase_that_follows(session, phase, resolution, load)
    if following is None or answer_by is None or answer_by.deadline == following.deadline:
        return ()
    rows, extension = moved_calendar(session, following, answer_by.deadline, answer_by.why, later=True)
    for row, window in zip(rows, extension.windows, strict=True):
        set_committed_value(row, "opens_at", window.opens)
        set_committed_value(row, "deadline", window.deadline)
    return rows


def _check_complete(session: Session, phase: PhaseRow, load: Load) -> None:
    if is_incomplete(session, phase):
        raise NotReady("the results are not complete: a sheet or a line is still to be read")
    _check_papers(session, phase, load)


def _check_orders(session: Session, phase: PhaseRow, load: Load) -> None:
    resolution, _ = resolve_orders(session, phase, load)
    # The orders alone: a later version of this program may say the same verdict in other words.
    if _orders_of(resolution) != _orders_of(resolution_of(phase)):
        raise NotReady("the orders changed since the results were judged; judge the turn again")


def _orders_of(resolution: Resolution) -> list[Order]:
    return [outcome.order for outcome in resolution.outcomes]


def _check_papers(session: Session, phase: PhaseRow, load: Load) -> None:
    variant = load(session.get_one(GameRow, phase.game_id).variant)
    papers = unsettled_papers(session, phase, variant)
    if papers:
        names = ", ".join(dict.fromkeys(_name(paper, variant.powers[paper.power].name) for paper in papers))
        raise NotReady(f"not every sheet of this phase is settled ({names}). Use each, or refuse it with a "
                       "reason; the results page lists them")


def _name(paper: Paper, power: str) -> str:
    words = {"held": "a sheet set aside", "quarantined": "a mail in quarantine", "ignored": "an ignored mail",
             "posted": "a letter by post without a scan"}
    return f"{words.get(paper.kind.value, 'a letter that may be a sheet')} of {power}"
