"""The hidden fleet of 1066 (D66-06, D66-14): boxes next to the board whose units no other power sees until
they show themselves by trying to act outside, and what others may know of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from typing import ClassVar

from adjudicator.context import Context
from adjudicator.geo import Region
from adjudicator.orders import Convoy, Move, Order, SupportHold, SupportMove, UnitOrder
from adjudicator.outcome import Outcome, Resolution, Result, make_outcome
from adjudicator.phases.legality import CHECKS
from adjudicator.phases.movement_sheet import MovementSheet
from adjudicator.position import Memory, Position
from adjudicator.strength import NOBODY
from adjudicator.units import Unit

HIDDEN = "hidden"
"""The mark of a box, "hidden=SEA"."""
SEEN = "seen"
"""The note that a unit in a box has shown itself: ("seen", box)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lie(Order):
    """`Hidden Germanicus 1 lies in The Wash`: where a hidden unit begins (D66-06)."""

    WORD: ClassVar[str] = "lie"
    TERSE: ClassVar[str] = "{place} lies in {sea}"
    PROSE: ClassVar[str] = "{place} lies in {sea}"

    place: Region
    sea: Region


def is_unseen(context: Context, memory: Memory, unit: Unit) -> bool:
    """True if a unit is in a box and has not shown itself."""
    box = unit.region.province
    return box in context.board.marked(HIDDEN) and (SEEN, box) not in memory.notes


def box_for(context: Context, order: Lie) -> str | None:
    """The box of the same number in the sea that the order names; None if it names no box or another sea."""
    place, boxes = order.place.province, context.board.marked(HIDDEN)
    if place not in boxes:
        return None
    names = {box: context.board.provinces[box].name for box in boxes}
    number = names[place].rpartition(" ")[2]
    return next((box for box, sea in boxes.items()
                 if sea == order.sea.province and names[box].rpartition(" ")[2] == number), None)


def visible_position(context: Context, position: Position, power: str | None) -> Position:
    """The position without the units of other powers that have not shown themselves."""
    hidden = {
        unit for unit in position.units if unit.power != power and is_unseen(context, position.memory, unit)
    }
    return replace(position, units=position.units - hidden) if hidden else position


def redact(context: Context, resolution: Resolution, power: str | None) -> Resolution:
    """The resolution without the units of other powers that have not shown themselves, and their orders.

    A unit in the open that was ordered to help one of them appears to hold without an order, because its
    order would show where the hidden one is.
    """
    boxes = context.board.marked(HIDDEN).keys()
    seen_boxes = {note[1] for note in resolution.position.memory.notes if note[0] == SEEN}
    owners = _owners(resolution, boxes)
    came_out = {outcome.order.unit.region.province for outcome in resolution.outcomes
                if isinstance(outcome.order, Move) and outcome.result is Result.SUCCEEDS}
    secret_boxes = boxes - seen_boxes - came_out

    def is_secret(outcome: Outcome) -> bool:
        order = outcome.order
        if isinstance(order, Lie):
            return order.power != power
        # What other powers guess about boxes shows nothing, so it is shown.
        if order.power == power or order.power not in owners or not isinstance(order, UnitOrder):
            return False
        if isinstance(order, SupportHold | SupportMove | Convoy):
            return not secret_boxes.isdisjoint((order.target.region.province, order.unit.region.province))
        return order.unit.region.province in secret_boxes

    public = tuple(outcome for outcome in resolution.outcomes if not is_secret(outcome))
    silenced = _ordered_provinces(o for o in resolution.outcomes if is_secret(o)) - _ordered_provinces(public)
    units = (*resolution.position.units, *(d.unit for d in resolution.dislodged))
    unordered = {
        u for u in resolution.unordered if u.power == power or u.region.province not in boxes - seen_boxes
    } | {u for u in units if u.region.province in silenced - boxes and u.power != power}
    position = visible_position(context, resolution.position, power)
    if (
        public == resolution.outcomes
        and unordered == set(resolution.unordered)
        and position is resolution.position
    ):
        return resolution
    return replace(resolution, outcomes=public, unordered=tuple(sorted(unordered)), position=position)


def _owners(resolution: Resolution, boxes: Collection[str]) -> set[str]:
    """The powers that had a unit in a box when the phase began, or have one now."""
    # The last unit may have surfaced in this very phase, so those that are left in boxes are not enough.
    ordered = {
        outcome.order.power for outcome in resolution.outcomes
        if isinstance(outcome.order, UnitOrder) and outcome.reason != "no_such_unit"
        and outcome.order.unit.region.province in boxes
    }
    units = (*resolution.position.units, *resolution.unordered)
    return ordered | {unit.power for unit in units if unit.region.province in boxes}


def _ordered_provinces(outcomes: Iterable[Outcome]) -> set[str]:
    return {o.order.unit.region.province for o in outcomes if isinstance(o.order, UnitOrder)}


def hide_help(
    sheet: MovementSheet, index: int, order: SupportHold | SupportMove | Convoy,
    seen_notes: Collection[tuple[str, str]],
) -> None:
    """Make help for a foreign unit that did not show itself fail as if no unit were there; `seen_notes` are
    the notes of this phase."""
    number = sheet.unit_at.get(order.target.region.province, NOBODY)
    if number == NOBODY or order.power == sheet.power[number] or (SEEN, sheet.place[number]) in seen_notes:
        return
    helper, outcome = sheet.ordered_unit(order), sheet.outcomes[index]
    is_hidden = is_unseen(sheet.context, sheet.position.memory, sheet.units[number])
    if helper == NOBODY or sheet.order_index[helper] != index or not is_hidden or outcome is None:
        return
    # The sentence is that of an empty box, so the check runs once more with the box empty.
    del sheet.unit_at[sheet.place[number]]
    fault = CHECKS[type(order)](sheet, helper, order)
    sheet.unit_at[sheet.place[number]] = number
    assert fault is not None, "help for nobody is never legal"
    sheet.outcomes[index] = make_outcome(
        order, Result.VOID, "illegal", None, (sheet.explainer, *fault), outcome.dislodged)
