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
    found = [chance.choice(sorted(board.provinces))]
    while len(found) < size:
        near = {n for p in found for m in (LAND, SEA) for n in board.near(p, m)} - set(found)
        if not near:
            break
        found.append(chance.choice(sorted(near)))
    return found


def units(board: Board, chance: Random, places: list[str], powers: list[str]) -> list[Unit]:
    """A unit in most of the places, of a kind that can stand there."""
    found = []
    for place in places:
        choices = [(k, r) for k, m in CLASS.items() for r in board.regions(place, m)]
        if choices and chance.random() < 0.85:
            kind, region = chance.choice(choices)
            found.append(Unit(chance.choice(powers), kind, region))
    return found


def straits(board: Board, chance: Random, powers: list[str]) -> tuple[list[Unit], dict[Unit, Order]]:
    """The stuff of paradoxes, once or twice: an army carried to where a unit supports the attack on the fleet
    that carries it. Some more units stand about without orders."""
    found: dict[str, Unit] = {}
    given: dict[Unit, Order] = {}
    seas = sorted(p for p in board.provinces if board.provinces[p].is_sea)
    middle = chance.choice(seas)
    beside = sorted(p for p in board.near(middle, SEA) if board.provinces[p].is_sea)
    for sea in (middle, *chance.sample(beside, min(len(beside), 1))):
        around = sorted(board.near(sea, SEA) - set(found))
        shores = [p for p in around if board.regions(p, LAND)]
        reach = [r for p in around for r in board.regions(p, SEA) if Region(sea) in board.neighbours(r, SEA)]
        ports = [r for r in reach if r.province in shores]
        if sea in found or len(shores) < 2 or not ports:
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
        found.update((u.region.province, u) for u in (army, fleet, support, attack))
        landing = Region(helper.province)
        given[army] = Move(power=army.power, unit=_ref(army), to=landing)
        given[fleet] = Convoy(power=fleet.power, unit=_ref(fleet), target=_ref(army), to=landing)
        given[attack] = Move(power=attack.power, unit=_ref(attack), to=fleet.region)
        given[support] = SupportMove(
            power=support.power, unit=_ref(support), target=_ref(attack), to=fleet.region
        )
    places = sorted({n for p in found for m in (LAND, SEA) for n in board.near(p, m)} - set(found))
    more = units(board, chance, chance.sample(places, min(len(places), 3)), powers)
    return [*found.values(), *more], given


def orders(
    board: Board, chance: Random, everybody: list[Unit], given: dict[Unit, Order] | None = None
) -> list[Order]:
    """An order for each unit that has none in `given`: moves and crossings first, then supports and convoys
    that mostly fit them."""
    given = {} if given is None else given
    for unit in everybody:
        if unit not in given and chance.random() < 0.55:
            given[unit] = _move(board, chance, unit, everybody)
    for unit in list(given):
        order = given[unit]
        if isinstance(order, Move) and unit.kind == "A":
            _carry(board, chance, unit, order, everybody, given)
    for unit in everybody:
        if unit not in given:
            given[unit] = _support(board, chance, unit, everybody, given)
    return [given[unit] for unit in everybody]


def _ref(unit: Unit) -> UnitRef:
    return UnitRef(unit.kind, unit.region)


def _move(board: Board, chance: Random, unit: Unit, everybody: list[Unit]) -> Order:
    near = sorted(board.neighbours(unit.region, CLASS[unit.kind]))
    if unit.kind == "A" and chance.random() < 0.5:
        across = _shores(board, unit, everybody)
        if across:
            return Move(power=unit.power, unit=_ref(unit), to=Region(chance.choice(sorted(across))))
    if not near:
        return Hold(power=unit.power, unit=_ref(unit))
    held = [r for r in near if any(u.region.province == r.province for u in everybody)]
    return Move(
        power=unit.power, unit=_ref(unit), to=chance.choice(held if held and chance.random() < 0.75 else near)
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
    board: Board, chance: Random, army: Unit, move: Move, everybody: list[Unit], given: dict[Unit, Order]
) -> None:
    """Order fleets without orders to carry an army: singly, or in pairs where neither alone would do."""
    fleets = _fleets(board, everybody)
    start, goal = army.region.province, move.to.province
    for place, fleet in fleets.items():
        touches = start in board.near(place, SEA), goal in board.near(place, SEA)
        partners = [
            p for p in board.near(place, SEA) if p in fleets
            and (goal in board.near(p, SEA)) != (goal in board.near(place, SEA))
            and (start in board.near(p, SEA)) != (start in board.near(place, SEA))
        ]
        if fleet not in given and (all(touches) or (any(touches) and partners)) and chance.random() < 0.8:
            given[fleet] = Convoy(power=fleet.power, unit=_ref(fleet), target=_ref(army), to=move.to)


def _support(
    board: Board, chance: Random, unit: Unit, everybody: list[Unit], given: dict[Unit, Order]
) -> UnitOrder:
    near = {r.province for r in board.neighbours(unit.region, CLASS[unit.kind])}
    choices: list[UnitOrder] = [Hold(power=unit.power, unit=_ref(unit))]
    for other in everybody:
        order = given.get(other)
        if other is unit:
            continue
        if isinstance(order, Move) and order.to.province in near:
            choices += [SupportMove(power=unit.power, unit=_ref(unit), target=_ref(other), to=order.to)] * 3
        elif not isinstance(order, Move) and other.region.province in near:
            choices.append(SupportHold(power=unit.power, unit=_ref(unit), target=_ref(other)))
    return chance.choice(choices)
