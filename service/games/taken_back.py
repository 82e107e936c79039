"""Results that were sent and taken back, to be judged again: what was sent, why it was taken back, and what
is different now (PHA-04, Q-78)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from adjudicator.outcome import Resolution
from adjudicator.position import Position
from adjudicator.serialize import codec
from maps.variant import Variant
from service.facts.events import Event
from service.games.phases import phase_of
from service.games.results import redacted_for, show_order, unit_text
from service.store.tables import EntryRow, EventRow, PhaseRow


@dataclass(frozen=True, slots=True)
class Replaced:
    """Results that were taken back: as they were sent, when, and why they were taken back. `times`: how often
    results of their phase were taken back up to them."""

    sent: Resolution
    sent_at: datetime
    why: str
    times: int


class DifferenceKind(StrEnum):
    """The differences: an order with what became of it, a unit on the board, or a centre."""

    ORDER = "order"
    UNIT = "unit"
    CENTRE = "centre"


@dataclass(frozen=True, slots=True)
class Difference:
    """The differences for a power (by name), in words: `now`, and `before`; "" where it has none."""

    kind: DifferenceKind
    power: str
    now: str
    before: str


@dataclass(frozen=True, slots=True)
class Differences:
    """What an act makes different on a board or in results; None while the phase is not judged again, since a
    sheet or line waits for a person."""

    changes: tuple[Difference, ...] | None


def times_taken_back(session: Session, phase: PhaseRow) -> int:
    """How often results of a phase were taken back."""
    return len(_takings(session, phase))


def replaced(session: Session, phase: PhaseRow) -> Replaced | None:
    """The newest results of a phase that were taken back; None if none were."""
    takings = _takings(session, phase)
    if not takings:
        return None
    *_, newest = takings
    sent_at = datetime.fromisoformat(newest.detail["sent"][str(phase_of(phase))])
    return Replaced(_sent_last(session, phase), sent_at, newest.detail["why"], len(takings))


def differences(
    variant: Variant, before: Resolution, now: Resolution, power: str | None = None
) -> tuple[Difference, ...]:
    """The differences in results that are judged again: orders with what became of them, then units and
    centres. `power` (an id): only what its rules let it know; None for all."""
    if power is not None:
        before, now = (redacted_for(variant, each, power)[0] for each in (before, now))
    return (*_differing(DifferenceKind.ORDER, variant, _orders(variant, before), _orders(variant, now)),
            *board_differences(variant, before.position, now.position))


def board_differences(variant: Variant, before: Position, now: Position) -> tuple[Difference, ...]:
    """Units and centres that are on one of two boards alone."""
    return (*_differing(DifferenceKind.UNIT, variant, _units(variant, before), _units(variant, now)),
            *_differing(DifferenceKind.CENTRE, variant, _centres(variant, before), _centres(variant, now)))


def _differing(kind: DifferenceKind, variant: Variant, before: _Facts, now: _Facts) -> list[Difference]:
    return [Difference(kind, variant.powers[key[0]].name, now.get(key, ""), before.get(key, ""))
            for key in dict.fromkeys([*now, *before]) if before.get(key) != now.get(key)]


_Facts = Mapping[tuple[str, str], str]
"""The words for each unit, order or centre, by its power's id and itself in words."""


def _orders(variant: Variant, resolution: Resolution) -> _Facts:
    """Each order with what became of it, by its unit; an order without one by its own words."""
    shown = [(outcome.order.power, show_order(variant, outcome)) for outcome in resolution.outcomes]
    return {(power, order.unit or order.text):
            f"{order.text}{order.ending}" if order.went_well else f"{order.text}: {order.failure}"
            for power, order in shown}


def _units(variant: Variant, position: Position) -> _Facts:
    units = sorted(position.units | {retreat.unit for retreat in position.dislodged})
    return {(unit.power, unit_text(variant, unit)): unit_text(variant, unit) for unit in units}


def _centres(variant: Variant, position: Position) -> _Facts:
    return {(power, centre): variant.board.provinces[centre].name
            for power, centres in position.centres.items() for centre in sorted(centres)}


def _takings(session: Session, phase: PhaseRow) -> list[EventRow]:
    rows = session.scalars(select(EventRow).where(
        EventRow.game_id == phase.game_id, EventRow.what == Event.RESULTS_TAKEN_BACK).order_by(EventRow.id))
    # With the results of a phase those of later ones are taken back, as far as they were sent.
    return [row for row in rows if str(phase_of(phase)) in row.detail["sent"]]


def _sent_last(session: Session, phase: PhaseRow) -> Resolution:
    """The results of a phase as they were when they were taken back last, from the record."""
    # A phase's row has only what is judged now. The record has every judging.
    judged = last = None
    for kind, tells in _judgings(session, phase):
        if kind == "event":
            last = judged
        elif "taken_back" not in tells:
            judged = tells["resolution"]
    if last is None:
        raise LookupError(f"the record of {phase.game_id} has no results of {phase_of(phase)} that were sent")
    return codec.load_resolution(last)


def _judgings(session: Session, phase: PhaseRow) -> Iterator[tuple[str, dict[str, Any]]]:
    """The judgings of a phase and the takings back, in order."""
    rows = session.execute(
        select(EntryRow.what, EntryRow.body)
        .where(EntryRow.game_id == phase.game_id, EntryRow.what.in_(["judged", "event"]))
        .order_by(EntryRow.number))
    for kind, body in rows:
        tells = json.loads(body)["tells"]
        is_taking = kind == "event" and tells["event"] == Event.RESULTS_TAKEN_BACK and (
            str(phase_of(phase)) in tells["detail"]["sent"])
        if is_taking or (kind == "judged" and tells["phase"] == phase.ordinal):
            yield kind, tells
