"""A war of orders that chance writes: every phase of some years, judged."""

from __future__ import annotations

import random
from collections.abc import Iterator

from adjudicator.calendar import PhaseKind
from adjudicator.geo import Region
from adjudicator.judge import judge
from adjudicator.lots import Lots
from adjudicator.orders import Build, Hold, Move, Order, Retreat, SupportHold, SupportMove
from adjudicator.position import Position
from adjudicator.units import UnitRef
from maps.valid_moves import valid_moves
from maps.variant import Variant
from service.games.phases import JudgedPhase


def random_war(variant: Variant, start: Position, years: int, seed: int) -> Iterator[JudgedPhase]:
    """The phases of so many years, as anybody may know them."""
    chance, position, number = random.Random(seed), start, 0
    while position.phase.year < start.phase.year + years:
        orders = _orders(variant, position, chance)
        tape = tuple(chance.randrange(10**6) for _ in range(variant.rules.LOTS))
        resolution = judge(variant.context(), variant.rules, position, orders, Lots(tape))
        number += 1
        yield JudgedPhase(number, position.phase, position, resolution)
        position = resolution.position


def _orders(variant: Variant, position: Position, chance: random.Random) -> list[Order]:
    if position.phase.kind is PhaseKind.RETREAT:
        return [Retreat(power=each.unit.power, unit=UnitRef(each.unit.kind, each.unit.region),
                        to=chance.choice(sorted(each.may_retreat, key=str)))
                for each in position.dislodged if each.may_retreat and chance.random() < 0.7]
    if position.phase.kind is PhaseKind.ADJUSTMENT:
        return [Build(power=power, kind="A", region=Region(centre))
                for power, centres in sorted(position.centres.items()) for centre in sorted(centres)]
    reach = {unit: [to for moves in valid_moves(variant, Region(unit.region.province))
                    if moves.kind == unit.kind for to in moves.to] for unit in sorted(position.units)}
    going = {unit: chance.choice(places) for unit, places in reach.items()
             if places and chance.random() < 0.55}
    orders: list[Order] = [Move(power=unit.power, unit=UnitRef(unit.kind, unit.region), to=to)
                           for unit, to in going.items()]
    for unit, places in reach.items():
        if unit in going:
            continue
        near, own = {place.province for place in places}, UnitRef(unit.kind, unit.region)
        movers = [other for other, to in going.items() if to.province in near]
        stayers = [other for other in reach if other.region.province in near and other not in going]
        if movers:
            other = chance.choice(movers)
            orders.append(SupportMove(power=unit.power, unit=own, to=going[other],
                                      target=UnitRef(other.kind, other.region)))
        elif stayers and chance.random() < 0.5:
            other = chance.choice(stayers)
            orders.append(SupportHold(power=unit.power, unit=own,
                                      target=UnitRef(other.kind, other.region)))
        else:
            orders.append(Hold(power=unit.power, unit=own))
    return orders
