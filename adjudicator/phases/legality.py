"""Whether an order could be carried out at all, by the board and its units, whatever anybody else orders.

Each check returns None for a legal order, and has then entered on the sheet what the solver needs; otherwise
it returns the sentence that shows what is wrong.
"""

from __future__ import annotations

from collections.abc import Mapping

from adjudicator.explain import Sentence
from adjudicator.geo import Region
from adjudicator.orders import Convoy, Hold, Move, Order, SupportHold, SupportMove
from adjudicator.phases.movement_sheet import Check, MovementSheet
from adjudicator.strength import NOBODY
from adjudicator.units import Unit, UnitRef


def _hold(sheet: MovementSheet, number: int, _: Hold) -> None:
    sheet.holds.append(number)


def _move(sheet: MovementSheet, number: int, order: Move) -> Sentence | None:
    destination = order.to
    to = destination.province
    regions = sheet.steps[number].get(to)
    if sheet.non_attackers and sheet.kind[number] in sheet.non_attackers and to in sheet.unit_at:
        return ("may_not_attack", sheet.units[number])
    # "Via convoy" leaves no land move to fall back on (DATC 6.G.8, 6.G.20).
    if regions is None or order.via_convoy:
        if not (may_cross(sheet, number, to) or _counts_without_fleets(sheet, number, to)):
            return _out_of_reach(sheet, number, order)
        sheet.crossing.add(number)
        region: Region | None = sheet.context.tables.stands[sheet.kind[number]][to][0]
    else:
        region = regions[0]
        if region.coast is not None:
            region = pick_coast(sheet, regions, destination)
            if region is None:
                return _which_coast(sheet.units[number], destination)
    goal = sheet.place_numbers.get(to)
    sheet.moves.append(number)
    sheet.goal[number] = sheet.place_number(to) if goal is None else goal
    sheet.end_region[number] = region
    return None


def may_cross(sheet: MovementSheet, number: int, to: str, without: str | None = None) -> bool:
    """True if fleets, where they are now, could convoy a unit to a province; `without` leaves
    one fleet out."""
    tables, kind, start = sheet.context.tables, sheet.kind[number], sheet.place[number]
    return (
        to in tables.landings[kind] and start in tables.boardings[kind]
        and sheet.sea.joins(start, to, without)
    )


def _counts_without_fleets(sheet: MovementSheet, number: int, to: str) -> bool:
    """True if the rules take an order to go overseas for a move although no fleets are there (Q-17)."""
    place, kind = sheet.place[number], sheet.units[number].kind
    return (
        not sheet.rules.crossing_needs_fleets()
        and sheet.context.kinds[kind].can_be_convoyed
        and to != place
        and to in sheet.context.tables.basin.get(place, ())
        and to in sheet.context.tables.stands[kind]
    )


def pick_coast(sheet: MovementSheet, regions: tuple[Region, ...], destination: Region) -> Region | None:
    """The region meant among those within reach: the only one where no coast is named (DATC 4.B.2),
    None where a coast is wrong (4.B.3) or missing (4.B.1). A coast that means nothing to the unit
    is ignored (4.B.6)."""
    if regions[0].coast is None:
        return regions[0]
    if destination.coast is None:
        return regions[0] if len(regions) == 1 else None
    coast = sheet.context.board.provinces[destination.province].coast_id(destination.coast)
    return next((region for region in regions if region.coast == coast), None)


def _out_of_reach(sheet: MovementSheet, number: int, order: Move) -> Sentence:
    unit = sheet.units[number]
    tables = sheet.context.tables
    # DATC 6.A.4.
    if order.to.province == unit.region.province:
        return ("there_already", unit)
    if order.to.province not in tables.stands[unit.kind]:
        return ("not_enterable", unit, order.to)
    is_overseas = sheet.context.kinds[unit.kind].can_be_convoyed and tables.shores.issuperset(
        (unit.region.province, order.to.province))
    if order.via_convoy or is_overseas:
        return ("no_fleets", unit.region, order.to)
    return ("out_of_reach", unit, order.to)


def _which_coast(unit: Unit, destination: Region) -> Sentence:
    if destination.coast is None:
        return ("which_coast", destination)
    return ("wrong_coast", destination, unit)


def _support_hold(sheet: MovementSheet, number: int, order: SupportHold) -> Sentence | None:
    target = order.target.region.province
    partner = sheet.unit_at.get(target, NOBODY)
    # A supporter must be able to go there itself (SEA-03, DATC 6.A.10), be it to another coast (6.B.4).
    if partner == NOBODY or target not in sheet.steps[number]:
        return _cannot_support(sheet, number, order.target, target)
    sheet.supports.append(number)
    sheet.partner[number] = sheet.expected_goal[number] = partner
    return None


def _support_move(sheet: MovementSheet, number: int, order: SupportMove) -> Sentence | None:
    to = order.to.province
    partner = sheet.unit_at.get(order.target.region.province, NOBODY)
    # A unit cannot back itself (DATC 6.A.8).
    if partner in (NOBODY, number) or to not in sheet.steps[number]:
        return _cannot_support(sheet, number, order.target, to)
    regions = sheet.steps[partner].get(to)
    coast = order.to.coast
    if regions is None:
        # A fleet cannot both support an army and be the one that carries it (DATC 6.D.31).
        own_place = sheet.place[number]
        if not (may_cross(sheet, partner, to, own_place) or _counts_without_fleets(sheet, partner, to)):
            return ("target_cannot_go", sheet.units[partner], order.to)
    elif coast is not None and pick_coast(sheet, regions, order.to) is None:
        return ("target_cannot_go", sheet.units[partner], order.to)
    goal = sheet.place_numbers.get(to)
    sheet.supports.append(number)
    sheet.partner[number] = partner
    sheet.expected_goal[number] = sheet.place_number(to) if goal is None else goal
    if coast is not None:
        sheet.end_region[number] = order.to
    return None


def _cannot_support(sheet: MovementSheet, number: int, target: UnitRef, into: str) -> Sentence:
    partner = sheet.unit_at.get(target.region.province, NOBODY)
    if partner == NOBODY:
        return ("nobody_to_support", target.region)
    if partner == number:
        return ("supports_itself", sheet.units[number])
    if into == sheet.place[number]:
        return ("supports_own_attacker", sheet.units[number])
    return ("support_out_of_reach", sheet.units[number], into)


def _convoy(sheet: MovementSheet, number: int, order: Convoy) -> Sentence | None:
    unit = sheet.units[number]
    start, to = order.target.region.province, order.to.province
    partner = sheet.unit_at.get(start, NOBODY)
    # A fleet in a coastal province cannot convoy (DATC 6.F.1, CNV-05).
    if not sheet.sea.carries(sheet.place[number]):
        return ("no_carrier", unit)
    if partner == NOBODY:
        return ("nobody_to_convoy", order.target.region)
    if not may_cross(sheet, partner, to):
        return ("cannot_be_convoyed", sheet.units[partner], order.to)
    # A fleet that could be left out of every route serves none: its order shows no intent (DATC 6.G.19) and
    # its loss breaks nothing (6.F.12).
    if not sheet.sea.useful(unit.region.province, start, to):
        return ("off_the_way", unit, order.target.region, order.to)
    sheet.convoys.append(number)
    sheet.expected_goal[number], sheet.partner[number] = sheet.place_number(to), partner
    return None


CHECKS: Mapping[type[Order], Check] = {
    Hold: _hold,
    Move: _move,
    SupportHold: _support_hold,
    SupportMove: _support_move,
    Convoy: _convoy,
}
