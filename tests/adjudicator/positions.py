"""Random small positions with legal, entangled orders, on a piece of a board. Chance comes in as a
`random.Random`."""

from __future__ import annotations

from random import Random

from adjudicator.geo import LAND, SEA, Board, Region
from adjudicator.orders import Convoy, Hold, Move, Order, SupportHold, SupportMove, UnitOrder
from adjudicator.units import Unit, UnitRef

CLASS = {"A": LAND, "F": SEA}


def piece(board: Board, chance: Random, size: int) -> list[str]:
    """Provinces that hang together, about `size` of them."""
    provinces = [chance.choice(sorted(board.provinces))]
    while len(provinces) < size:
        neighbours = {n for p in provinces for m in (LAND, SEA) for n in board.near(p, m)} - set(provinces)
        if not neighbours:
            break
        provinces.append(chance.choice(sorted(neighbours)))
    return provinces


def units(board: Board, chance: Random, places: list[str], powers: list[str]) -> list[Unit]:
    """A unit in most of the places, of a kind that can be there."""
    placed = []
    for place in places:
        choices = [(k, r) for k, m in CLASS.items() for r in board.regions(place, m)]
        # Gaps in the crowd: without them no unit could get away, and nothing but bounces would be tried.
        if choices and chance.random() < 0.85:
            kind, region = chance.choice(choices)
            placed.append(Unit(chance.choice(powers), kind, region))
    return placed


def straits(board: Board, chance: Random, powers: list[str]) -> tuple[list[Unit], dict[Unit, Order]]:
    """The stuff of paradoxes, once or twice: an army carried to where a unit supports the attack on the fleet
    that carries it. Some more units stand about without orders."""
    unit_in: dict[str, Unit] = {}
    order_of: dict[Unit, Order] = {}
    seas = sorted(p for p in board.provinces if board.provinces[p].is_sea)
    middle = chance.choice(seas)
    beside = sorted(p for p in board.near(middle, SEA) if board.provinces[p].is_sea)
    # Two seas side by side give the double paradoxes (DATC 6.F.22 to 6.F.24).
    for sea in (middle, *chance.sample(beside, min(len(beside), 1))):
        around = sorted(board.near(sea, SEA) - set(unit_in))
        shores = [p for p in around if board.regions(p, LAND)]
        reach = [r for p in around for r in board.regions(p, SEA) if Region(sea) in board.neighbours(r, SEA)]
        ports = [r for r in reach if r.province in shores]
        if sea in unit_in or len(shores) < 2 or not ports:
            continue
        helper = chance.choice(ports)
        start = chance.choice([p for p in shores if p != helper.province])
        others = [r for r in reach if r.province not in {start, helper.province}]
        if not others:
            continue
        army, fleet = (
            Unit(chance.choice(powers), "A", Region(start)),
            Unit(chance.choice(powers), "F", Region(sea)),
        )
        support, attack = (
            Unit(chance.choice(powers), "F", helper),
            Unit(chance.choice(powers), "F", chance.choice(others)),
        )
        unit_in.update((u.region.province, u) for u in (army, fleet, support, attack))
        # DATC 6.F.14: the army lands on the unit whose support would dislodge its own fleet.
        landing = Region(helper.province)
        order_of[army] = Move(power=army.power, unit=_ref(army), to=landing)
        order_of[fleet] = Convoy(power=fleet.power, unit=_ref(fleet), target=_ref(army), to=landing)
        order_of[attack] = Move(power=attack.power, unit=_ref(attack), to=fleet.region)
        order_of[support] = SupportMove(
            power=support.power, unit=_ref(support), target=_ref(attack), to=fleet.region
        )
    places = sorted({n for p in unit_in for m in (LAND, SEA) for n in board.near(p, m)} - set(unit_in))
    more = units(board, chance, chance.sample(places, min(len(places), 3)), powers)
    return [*unit_in.values(), *more], order_of


def orders(
    board: Board, chance: Random, everybody: list[Unit], order_of: dict[Unit, Order] | None = None
) -> list[Order]:
    """An order for each unit that has none in `order_of`: moves and crossings first, then supports and
    convoys that mostly fit them."""
    order_of = {} if order_of is None else order_of
    for unit in everybody:
        if unit not in order_of and chance.random() < 0.55:
            order_of[unit] = _move(board, chance, unit, everybody)
    for unit in list(order_of):
        order = order_of[unit]
        if isinstance(order, Move) and unit.kind == "A":
            _carry(board, chance, unit, order, everybody, order_of)
    for unit in everybody:
        if unit not in order_of:
            order_of[unit] = _support(board, chance, unit, everybody, order_of)
    return [order_of[unit] for unit in everybody]


def _ref(unit: Unit) -> UnitRef:
    return UnitRef(unit.kind, unit.region)


def _move(board: Board, chance: Random, unit: Unit, everybody: list[Unit]) -> Order:
    neighbours = sorted(board.neighbours(unit.region, CLASS[unit.kind]))
    if unit.kind == "A" and chance.random() < 0.5:
        across = _shores(board, unit, everybody)
        if across:
            return Move(power=unit.power, unit=_ref(unit), to=Region(chance.choice(sorted(across))))
    if not neighbours:
        return Hold(power=unit.power, unit=_ref(unit))
    # Three moves in four go to an occupied place: orders that meet no one try no rule.
    held = [r for r in neighbours if any(u.region.province == r.province for u in everybody)]
    return Move(
        power=unit.power, unit=_ref(unit),
        to=chance.choice(held if held and chance.random() < 0.75 else neighbours)
    )


def _fleets(board: Board, everybody: list[Unit]) -> dict[str, Unit]:
    return {
        u.region.province: u for u in everybody if u.kind == "F" and board.provinces[u.region.province].is_sea
    }


def _shores(board: Board, unit: Unit, everybody: list[Unit]) -> set[str]:
    """Where one or two fleets could take an army."""
    fleets = _fleets(board, everybody)
    first = [f for f in fleets if f in board.near(unit.region.province, SEA)]
    reached = {f for f in fleets if any(f in board.near(x, SEA) for x in first)} | set(first)
    return {
        p for f in reached for p in board.near(f, SEA)
        if not board.provinces[p].is_sea and p != unit.region.province and board.regions(p, LAND)
    }


def _carry(
    board: Board, chance: Random, army: Unit, move: Move, everybody: list[Unit], order_of: dict[Unit, Order]
) -> None:
    """Order fleets without orders to carry an army: singly, or in pairs where neither alone would do."""
    fleets = _fleets(board, everybody)
    start, goal = army.region.province, move.to.province
    for place, fleet in fleets.items():
        touches = start in board.near(place, SEA), goal in board.near(place, SEA)
        partners = [
            p for p in board.near(place, SEA) if p in fleets
            # A pair of which either fleet could be left out is not a chain.
            and (goal in board.near(p, SEA)) != (goal in board.near(place, SEA))
            and (start in board.near(p, SEA)) != (start in board.near(place, SEA))
        ]
        if fleet not in order_of and (all(touches) or (any(touches) and partners)) and chance.random() < 0.8:
            order_of[fleet] = Convoy(power=fleet.power, unit=_ref(fleet), target=_ref(army), to=move.to)


def _support(
    board: Board, chance: Random, unit: Unit, everybody: list[Unit], order_of: dict[Unit, Order]
) -> UnitOrder:
    reachable = {r.province for r in board.neighbours(unit.region, CLASS[unit.kind])}
    choices: list[UnitOrder] = [Hold(power=unit.power, unit=_ref(unit))]
    for other in everybody:
        order = order_of.get(other)
        if other is unit:
            continue
        if isinstance(order, Move) and order.to.province in reachable:
            # Weighted, since a support for a move entangles more orders than one in place.
            choices += [SupportMove(power=unit.power, unit=_ref(unit), target=_ref(other), to=order.to)] * 3
        elif not isinstance(order, Move) and other.region.province in reachable:
            choices.append(SupportHold(power=unit.power, unit=_ref(unit), target=_ref(other)))
    return chance.choice(choices)
