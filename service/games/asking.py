"""Whether players were asked for their orders, and in time to answer (PHA-01, Q-75).

A phase is announced when it comes onto the calendar, and asks once the results of the phase before are sent:
its letters name what is due and by when. It cannot close before each power that owes orders was asked, and no
results leave with a deadline that gives much less time than the calendar does, unless the coordinator
confirms it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil

from sqlalchemy import select
from sqlalchemy.orm import Session, defer

from adjudicator.calendar import PhaseKind
from adjudicator.phases.year_end import builds_due
from adjudicator.position import Position
from adjudicator.ruleset import Ruleset
from maps.variant import Variant
from service.games.deadlines import pace_of
from service.games.options import options_of
from service.games.phases import phase_of, position_of
from service.store.tables import GameRow, OutboxRow, OutboxState, PhaseRow

LEAST_SHARE = 0.5
"""The share of its calendar's time that a phase keeps by itself; with less of it left the coordinator is
asked for a deadline. Results of a movement leave hours after the retreats would open: that is not a delay."""
LEAST_TIME = timedelta(hours=1)
"""The least time that a coordinator may leave the players of a real game: the letters are on their way for a
part of it."""

_ACCEPTED = (OutboxState.SENT, OutboxState.DELAYED)
_ON_ITS_WAY = (OutboxState.QUEUED, OutboxState.SENDING, OutboxState.HELD, OutboxState.FAILED)


def owing(phase: PhaseRow, variant: Variant) -> frozenset[str]:
    """The powers that owe orders in a phase whose board is known."""
    return owing_on(position_of(phase), PhaseKind(phase.kind), variant)


def owing_on(position: Position, kind: PhaseKind, variant: Variant) -> frozenset[str]:
    """The powers that owe orders on a board: with a unit in a movement phase, with a dislodged one in a
    retreat phase, with a build or removal due in an adjustment phase. All of them in any other phase, and
    where the rules hide units: who owes nothing would show who has none."""
    powers: Iterable[str] = variant.powers
    if kind is PhaseKind.RETREAT:
        powers = {retreat.unit.power for retreat in position.dislodged}
    elif type(variant.rules).redact_resolution is not Ruleset.redact_resolution:
        powers = variant.powers
    elif kind is PhaseKind.ADJUSTMENT:
        powers = builds_due(
            variant.context(), variant.rules, position.centres, position.units, position.memory)
    elif kind is PhaseKind.MOVEMENT:
        powers = {unit.power for unit in position.units} | {
            commander for _, commander in position.memory.proxies}
    return frozenset(powers) & variant.powers.keys()


@dataclass(frozen=True, slots=True)
class AnswerTime:
    """The time that players have to answer in a phase if its results leave at `asked`. `shortest`: the least
    that a coordinator may leave them."""

    phase: PhaseRow
    asked: datetime
    shortest: timedelta

    @property
    def span(self) -> timedelta:
        """What the calendar gives."""
        return self.phase.deadline - self.phase.opens_at

    @property
    def left(self) -> timedelta:
        """The time left; below zero if the deadline is past."""
        return self.phase.deadline - max(self.asked, self.phase.opens_at)

    @property
    def is_short(self) -> bool:
        """Whether the coordinator must choose a deadline."""
        return self.left < LEAST_SHARE * self.span

    @property
    def proposed(self) -> datetime:
        """The deadline that gives all of the calendar's time: whole days later, so that it keeps its hour; in
        a rehearsal whole minutes."""
        step = timedelta(days=1) if self.shortest >= LEAST_TIME else timedelta(minutes=1)
        missing = max(timedelta(), self.span - self.left)
        return self.phase.deadline + ceil(missing / step) * step


def answer_time(session: Session, phase: PhaseRow, asked: datetime) -> AnswerTime:
    """The time that players have in a phase if they are asked at an instant."""
    pace = min(1.0, pace_of(options_of(session.get_one(GameRow, phase.game_id))))
    return AnswerTime(phase, asked, pace * LEAST_TIME)


def unasked(session: Session, phase: PhaseRow, variant: Variant) -> tuple[str, ...]:
    """The powers that owe orders in a phase, and whose letter no server has accepted in time to answer.

    A power without a player, or whose player has no address, has no letter: the coordinator was informed
    then, and nothing waits for it. """
    before = _sent_before(session, phase)
    if before is None or before.sent_at is None:
        return ()
    # What the coordinator confirmed, when the results left or when the deadline was last moved.
    confirmed = max(phase.opens_at, before.sent_at, phase.moved_at or before.sent_at)
    latest = phase.deadline - LEAST_SHARE * (phase.deadline - confirmed)
    letters = session.execute(
        select(OutboxRow.power, OutboxRow.state, OutboxRow.sent_at)
        .where(OutboxRow.phase_id == before.id, OutboxRow.power.is_not(None),
               OutboxRow.state.in_([*_ACCEPTED, *_ON_ITS_WAY]))).all()
    # Receipts of the phase before left before its results did, and ask for nothing.
    since = [(power, state, sent_at) for power, state, sent_at in letters
             if sent_at is None or sent_at >= before.sent_at]
    asked = {power for power, state, sent_at in since
             if state in _ACCEPTED and sent_at is not None and sent_at <= latest}
    missing = {power for power, _, _ in since} - asked
    # The board is read only if a letter is missing.
    return tuple(sorted(str(power) for power in missing & owing(phase, variant))) if missing else ()


def _sent_before(session: Session, phase: PhaseRow) -> PhaseRow | None:
    """The phase whose results asked for the orders of `phase`; None for the first of a game."""
    return session.scalar(
        select(PhaseRow).options(defer(PhaseRow.position), defer(PhaseRow.resolution))
        .where(PhaseRow.game_id == phase.game_id, PhaseRow.ordinal < phase.ordinal,
               PhaseRow.sent_at.is_not(None))
        .order_by(PhaseRow.ordinal.desc()).limit(1))


def time_words(answer: AnswerTime) -> str:
    """What a phase leaves its players, in a clause for the coordinator."""
    title = phase_of(answer.phase)
    if answer.left <= timedelta():
        return f"the deadline of {title} passed on {answer.phase.deadline:%d %b %Y, %H:%M} GMT"
    return (f"the players would have until {answer.phase.deadline:%d %b %Y, %H:%M} GMT for {title}, "
            "which is less than half of the time that the calendar gives")
