"""The results of a judged phase leave: checked, drawn, and put into the outbox in one transaction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from sqlalchemy.orm import Session

from adjudicator.orders import Order
from adjudicator.outcome import Resolution
from adjudicator.serialize import codec
from service.clock import Clock
from service.facts.events import Event
from service.games.acts.act import Act, ActTable, LoggedEvent, perform
from service.games.approval.papers import Paper, unsettled_papers
from service.games.phases import phase_of
from service.games.turns import Load, NotReady, hand_on, is_incomplete, resolve_orders
from service.store import records
from service.store.engine import Store
from service.store.tables import GameRow, PhaseRow, PhaseState


class Announcer(Protocol):
    """What leaves when a phase is approved."""

    def prepare(self, session: Session, phase: PhaseRow, resolution: Resolution) -> Callable[[Session], None]:
        """Render every letter and picture of the results. The returned function puts them into a
        transaction; a rendering that fails raises here, before anything is put."""


def approve_phase(
    store: Store, phase_id: int, by: str, announce: Announcer, clock: Clock, load: Load
) -> None:
    """Send the results and open the way for the next phase: the only step that cannot be taken back.

    1. Check: READY, every sheet and line read, the orders as they were judged, no paper unsettled. An
       approved phase is left alone.
    2. Render letters and pictures, outside the transaction: they take seconds.
    3. Claim READY -> SENT with the `judged_at` of step 1, so that results judged again meanwhile stay.
    4. In the same transaction check sheets, orders and papers again, put the letters, hand the position on,
       and log.
    Raises NotReady with the reason when step 1, 3 or 4 fails.
    """
    with store() as session:
        phase = session.get_one(PhaseRow, phase_id)
        # A second press of the button, or a repeated delivery of the first, is no fault.
        if phase.state == PhaseState.SENT:
            return
        resolution = check(session, phase, load)
        _check_orders(session, phase, load)
        judged_at = phase.judged_at
        put_letters = announce.prepare(session, phase, resolution)
    with store.begin() as session:
        perform(SendResults(phase_id, judged_at, resolution, put_letters),
                ActTable(session, by, clock.now(), load))


@dataclass(frozen=True, slots=True)
class SendResults(Act[PhaseRow]):
    """Steps 3 and 4 of `approve_phase`, which alone makes it: `put_letters` puts what was drawn of
    `resolution`, as it was judged at `judged_at`."""

    phase: int
    judged_at: datetime | None
    resolution: Resolution
    put_letters: Callable[[Session], None]

    def change(self, table: ActTable) -> PhaseRow:
        """Claim the phase, put the letters and hand the position on."""
        session = table.session
        claimed = records.claim(
            session, PhaseRow, PhaseRow.id == self.phase, PhaseRow.state == PhaseState.READY,
            PhaseRow.judged_at == self.judged_at, state=PhaseState.SENT, sent_at=table.now)
        if not claimed:
            raise NotReady("the phase was judged again meanwhile; look at the results once more")
        phase = session.get_one(PhaseRow, self.phase)
        # While the letters were drawn a mail may have come, or a line been decided again: they would say that
        # nothing was received, or what is no longer so.
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
    """The resolution of a phase whose results may leave. Raises NotReady, which says what is missing.

    It does not judge again, for a page waits for it; `approve_phase` does.
    """
    if phase.state != PhaseState.READY or phase.resolution is None:
        raise NotReady("nothing is judged yet; judge the turn at the desk first")
    _check_complete(session, phase, load)
    return codec.load_resolution(phase.resolution)


def _check_complete(session: Session, phase: PhaseRow, load: Load) -> None:
    if is_incomplete(session, phase):
        raise NotReady("the results are not complete: a sheet or a line is still to be read")
    _check_papers(session, phase, load)


def _check_orders(session: Session, phase: PhaseRow, load: Load) -> None:
    resolution, _ = resolve_orders(session, phase, load)
    # The orders alone: a later version of this program may say the same verdict in other words.
    if _orders_of(resolution) != _orders_of(codec.load_resolution(phase.resolution or {})):
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
