"""Positions that chance does not bring about: seas full of fleets of several powers, long chains next to idle
fleets, islands, paradoxes. Chance comes in as a `random.Random`."""

from __future__ import annotations

from random import Random

from adjudicator.geo import LAND, SEA, Board, Region
from adjudicator.orders import Convoy, Hold, Move, Order, SupportHold, SupportMove, UnitOrder
from adjudicator.units import Unit, UnitRef
from tests.adjudicator import positions
from tests.adjudicator.positions import CLASS

Position = tuple[list[Unit], list[UnitOrder]]


def dense(board: Board, chance: Random, powers: list[str]) -> Position:
    """A piece of water full of fleets, armies on its shores, and fleets ordered along some way of each."""
    seas = _water(board, chance, chance.randint(3, 10))
    full = chance.choice([0.6, 0.8, 1.0])
    fleets = [sea for sea in seas if chance.random() < full]
    return _filled(board, chance, powers, fleets, chance.randint(1, 3), islands=False)


def islands(board: Board, chance: Random, powers: list[str]) -> Position:
    """As `dense`, around an island if the board has one, whose army can only go by sea."""
    lone = [p for p in sorted(board.provinces) if _is_island(board, p)]
    if not lone:
        return dense(board, chance, powers)
    around = [sea for sea in sorted(board.near(chance.choice(lone), SEA)) if board.provinces[sea].is_sea]
    fleets = _water(board, chance, chance.randint(2, 8), chance.choice(around))
    return _filled(board, chance, powers, fleets, chance.randint(1, 3), islands=True)


def chain(
    board: Board, chance: Random, powers: list[str], *, tries: int = 6, longest: int = 9
) -> Position:
    """A long way of which no fleet can be spared, the longest of some tries, and fleets next to it that no
    person ordered to carry."""
    way = max((_long_way(board, chance, longest) for _ in range(tries)), key=len)
    beside = sorted({
        n for sea in way for n in board.near(sea, SEA) if board.provinces[n].is_sea and n not in way
    })
    idle = chance.sample(beside, min(len(beside), chance.randint(0, 3)))
    first = _shores(board, way[0])
    last = [p for p in _shores(board, way[-1]) if p not in first] or _shores(board, way[-1])
    if not first or not last:
        return dense(board, chance, powers)
    start, goal = chance.choice(first), chance.choice(last)
    if start == goal:
        return dense(board, chance, powers)
    return _filled(board, chance, powers, [*way, *idle], 0, islands=False, sailing=(start, goal, way))


def straits(board: Board, chance: Random, powers: list[str]) -> Position:
    """The stuff of paradoxes, with a third sea's fleets that could carry too."""
    units, order_of = positions.straits(board, chance, powers)
    taken = {unit.region.province for unit in units}
    beside = sorted({
        n for place in taken for n in board.near(place, SEA)
        if board.provinces[n].is_sea and n not in taken
    })
    for sea in chance.sample(beside, min(len(beside), chance.randint(0, 3))):
        units.append(Unit(chance.choice(powers), "F", Region(sea)))
    for unit in units:
        if unit not in order_of and board.provinces[unit.region.province].is_sea and chance.random() < 0.5:
            armies = [o for o in order_of.values() if isinstance(o, Move) and o.unit.kind == "A"]
            if armies:
                carried = chance.choice(armies)
                order_of[unit] = Convoy(
                    power=unit.power, unit=_ref(unit), target=carried.unit, to=carried.to)
    return units, _orders(board, chance, units, order_of)


def _filled(
    board: Board, chance: Random, powers: list[str], fleets: list[str], armies: int, *, islands: bool,
    sailing: tuple[str, str, list[str]] | None = None,
) -> Position:
    placed = {sea: Unit(chance.choice(powers), "F", Region(sea)) for sea in fleets}
    shores = sorted({shore for sea in fleets for shore in _shores(board, sea)})
    order_of: dict[Unit, Order] = {}
    if sailing is not None:
        start, goal, way = sailing
        _sail(placed, order_of, chance, start, goal, way)
    starts = [p for p in shores if p not in placed]
    if islands:
        starts = [p for p in starts if _is_island(board, p)] or starts
    for start in chance.sample(starts, min(len(starts), armies)):
        placed[start] = Unit(chance.choice(powers), "A", Region(start))
        goal = chance.choice([p for p in shores if p != start] or [start])
        free = {sea for sea in fleets if placed[sea] not in order_of}
        way = _way(board, chance, free, start, goal)
        _sail(placed, order_of, chance, start, goal, way)
    # Who attacks the fleets, defends the shores and helps either.
    for shore in chance.sample(shores, min(len(shores), chance.randint(1, 4))):
        if shore not in placed:
            choices = [(kind, r) for kind, m in CLASS.items() for r in board.regions(shore, m)]
            kind, region = chance.choice(choices)
            placed[shore] = Unit(chance.choice(powers), kind, region)
    units = list(placed.values())
    return units, _orders(board, chance, units, order_of)


def _sail(
    placed: dict[str, Unit], order_of: dict[Unit, Order], chance: Random, start: str, goal: str,
    way: list[str]
) -> None:
    """Order an army to go overseas, and the fleets of a way to carry it; now and then one forgets."""
    power = chance.choice([unit.power for unit in placed.values()])
    army = placed.setdefault(start, Unit(power, "A", Region(start)))
    if army.kind != "A" or start == goal:
        return
    order_of[army] = Move(
        power=army.power, unit=_ref(army), to=Region(goal), via_convoy=chance.random() < 0.15)
    for sea in way:
        if chance.random() < 0.95:
            fleet = placed[sea]
            order_of[fleet] = Convoy(
                power=fleet.power, unit=_ref(fleet), target=_ref(army), to=Region(goal))


def _orders(
    board: Board, chance: Random, units: list[Unit], order_of: dict[Unit, Order]
) -> list[UnitOrder]:
    carried = [order for order in order_of.values() if isinstance(order, Move) and order.unit.kind == "A"]
    carriers = [unit for unit, order in order_of.items() if isinstance(order, Convoy)]
    for unit in units:
        if unit in order_of:
            continue
        roll = chance.random()
        reachable = sorted(board.neighbours(unit.region, CLASS[unit.kind]))
        targets = [r for r in reachable if any(c.region.province == r.province for c in carriers)]
        is_at_sea = board.provinces[unit.region.province].is_sea
        if roll < 0.3 and targets:
            order_of[unit] = Move(power=unit.power, unit=_ref(unit), to=chance.choice(targets))
        elif roll < 0.45 and is_at_sea and carried:
            # A further fleet of the same convoy: a second way, or of no use.
            army = chance.choice(carried)
            order_of[unit] = Convoy(power=unit.power, unit=_ref(unit), target=army.unit, to=army.to)
        elif roll < 0.55 and reachable:
            order_of[unit] = Move(power=unit.power, unit=_ref(unit), to=chance.choice(reachable))
    for unit in units:
        if unit not in order_of:
            order_of[unit] = _help(board, chance, unit, units, order_of)
    orders = [order_of[unit] for unit in units]
    return [order for order in orders if isinstance(order, UnitOrder)]


def _help(
    board: Board, chance: Random, unit: Unit, units: list[Unit], order_of: dict[Unit, Order]
) -> UnitOrder:
    reachable = {r.province for r in board.neighbours(unit.region, CLASS[unit.kind])}
    choices: list[UnitOrder] = [Hold(power=unit.power, unit=_ref(unit))]
    for other in units:
        order = order_of.get(other)
        if other is unit:
            continue
        if isinstance(order, Move) and order.to.province in reachable:
            choices += [SupportMove(power=unit.power, unit=_ref(unit), target=_ref(other), to=order.to)] * 3
        elif not isinstance(order, Move) and other.region.province in reachable:
            choices.append(SupportHold(power=unit.power, unit=_ref(unit), target=_ref(other)))
    return chance.choice(choices)


def _ref(unit: Unit) -> UnitRef:
    return UnitRef(unit.kind, unit.region)


def _water(board: Board, chance: Random, size: int, first: str | None = None) -> list[str]:
    """Seas that hang together, about `size` of them."""
    seas = [first or chance.choice(sorted(p for p in board.provinces if board.provinces[p].is_sea))]
    while len(seas) < size:
        beside = {n for sea in seas for n in board.near(sea, SEA) if board.provinces[n].is_sea} - set(seas)
        if not beside:
            break
        seas.append(chance.choice(sorted(beside)))
    return seas


def _shores(board: Board, sea: str) -> list[str]:
    return sorted(p for p in board.near(sea, SEA) if not board.provinces[p].is_sea)


def _is_island(board: Board, province: str) -> bool:
    place = board.provinces[province]
    return not place.is_sea and not board.near(province, LAND) and bool(board.near(province, SEA))


def _way(board: Board, chance: Random, fleets: set[str], start: str, goal: str) -> list[str]:
    """Some way of free fleets, often not the shortest; empty where there is none."""
    for _ in range(4):
        way: list[str] = []
        beside = board.near(start, SEA) & fleets
        while beside:
            way.append(chance.choice(sorted(beside)))
            if goal in board.near(way[-1], SEA):
                return way
            beside = (board.near(way[-1], SEA) & fleets) - set(way)
    return []


def _long_way(board: Board, chance: Random, longest: int) -> list[str]:
    """Seas in a row of which none next to the next touches an earlier one."""
    way = _water(board, chance, 1)
    closed = set(way)
    while len(way) < longest:
        beside = {n for n in board.near(way[-1], SEA) if board.provinces[n].is_sea} - closed
        if not beside:
            break
        closed |= beside
        way.append(chance.choice(sorted(beside)))
    return way
