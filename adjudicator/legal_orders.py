"""The legal orders of a power: all orders that the judge does not void, whatever the others order.

Legality has one home, the judge. This module makes candidates, those of the shared rules from the board's
tables and those of a rule set from the fields of its order classes, and the judge strikes the void ones. A
new rule set needs no code here.

The list is in the order of the board. It does not rank orders.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product, zip_longest
from typing import Any

from adjudicator.calendar import PhaseKind
from adjudicator.context import Context
from adjudicator.geo import Region
from adjudicator.judge import judge
from adjudicator.lots import Lots
from adjudicator.orders import (
    SHARED_ORDERS,
    Build,
    Convoy,
    Disband,
    FieldKind,
    Hold,
    Move,
    Order,
    Remove,
    Retreat,
    SupportHold,
    SupportMove,
    UnitOrder,
    Waive,
    order_fields,
)
from adjudicator.outcome import Outcome, Result
from adjudicator.phases.convoys import shortest_ways
from adjudicator.phases.legality import may_cross
from adjudicator.phases.movement_sheet import MovementSheet
from adjudicator.position import Position
from adjudicator.ruleset import Ruleset
from adjudicator.units import Unit, UnitRef

_PROBES = (10, 5, 1)
"""Numbers to try in an order with a number. In 1 to 10 are the least that any rule requests (5 grain for an
alliance, 4 for an attack over sea) and what a power can pay that has anything at all."""

MOST = 10_000
"""No larger number is looked for: where a rule takes no more than its price, any number is legal."""


@dataclass(frozen=True, slots=True)
class LegalOrder:
    """An order, and the numbers that may be in it: `counts` is None for an order without a number, and
    else the order has the least of them."""

    order: Order
    counts: range | None = None

    def with_count(self, count: int) -> Order:
        """The order with another number. Raises ValueError for one that is not legal."""
        if self.counts is None or count not in self.counts:
            raise ValueError(f"{count} is not among the numbers of this order")
        return _counted(self.order, count)


def legal_orders(
    context: Context, rules: Ruleset, position: Position, power: str, unit: Unit | None = None,
    longest_convoy: int | None = None,
) -> tuple[LegalOrder, ...]:
    """Every order that a power may give in the phase that is judged next; of one unit if it is named.

    A coast is named where the unit needs one, "via convoy" where an army could also walk. Supports name no
    coast, since one that is named only narrows them. `longest_convoy`: convoys over more fleets than that are
    left out; there may be hundreds of thousands where all seas are full.
    """
    kind = position.phase.kind
    shared = _SHARED.get(kind)
    candidates: list[Order] = []
    if shared is not None:
        candidates += shared(_Board(context, rules, position, power, unit, longest_convoy))
    legal = [LegalOrder(order) for order in _struck(context, rules, position, candidates)]
    for order_class in sorted(rules.ORDERS.get(kind, ()), key=_place_in_list):
        if order_class not in _COVERED and (unit is None or issubclass(order_class, UnitOrder)):
            legal += _own_kind(context, rules, position, power, unit, order_class)
    return tuple(legal)


def _place_in_list(order_class: type[Order]) -> tuple[int, str]:
    """Shared classes first, as listed; a rule set's own by their word."""
    is_shared = order_class in SHARED_ORDERS
    return (SHARED_ORDERS.index(order_class) if is_shared else len(SHARED_ORDERS)), order_class.WORD


# Candidates of the shared rules


@dataclass(frozen=True, slots=True)
class _Board:
    """The question: whose orders, on which board. `unit` is the one unit asked about, or None."""

    context: Context
    rules: Ruleset
    position: Position
    power: str
    unit: Unit | None
    longest_convoy: int | None
    _ways: dict[str, Mapping[str, int]] = field(default_factory=dict)

    def ways(self, sheet: MovementSheet, place: str) -> Mapping[str, int]:
        """The fewest fleets from a place to each sea that has one."""
        if place not in self._ways:
            self._ways[place] = shortest_ways(sheet.sea, self.context.tables, place)
        return self._ways[place]

    def own(self, units: Iterable[Unit]) -> list[Unit]:
        """The units among these that the question is about, sorted."""
        return sorted(unit for unit in units if unit.power == self.power and self.unit in {None, unit})


def _movement(board: _Board) -> Iterator[Order]:
    power, sheet = board.power, MovementSheet(board.context, board.rules, board.position, ())
    goals = {number: _goals(board, sheet, number) for number in range(len(sheet.units))}
    for unit in board.own(sheet.units):
        number, ref = sheet.unit_at[unit.region.province], _ref(unit)
        yield Hold(power=power, unit=ref)
        for region, by_sea in goals[number]:
            yield Move(power=power, unit=ref, to=region, via_convoy=by_sea)
            if unit.kind in board.rules.SHEDDING and not by_sea:
                yield Move(power=power, unit=ref, to=region, sheds=True)
        yield from _supports(sheet, unit, goals)
        if sheet.sea.carries(unit.region.province):
            yield from _convoys(board, sheet, unit)


def _supports(
    sheet: MovementSheet, unit: Unit, goals: Mapping[int, list[tuple[Region, bool]]]
) -> Iterator[Order]:
    """Supports of what is in a place within reach, and of all who may go there (`goals`)."""
    number = sheet.unit_at[unit.region.province]
    comers: dict[str, list[int]] = {place: [] for place in sorted(sheet.steps[number])}
    for other in sorted(goals, key=sheet.place.__getitem__):
        for place in {region.province for region, _ in goals[other]} & comers.keys():
            if other != number:
                comers[place].append(other)
    for place, others in comers.items():
        if place in sheet.unit_at:
            target = _ref(sheet.units[sheet.unit_at[place]])
            yield SupportHold(power=unit.power, unit=_ref(unit), target=target)
        for other in others:
            target = _ref(sheet.units[other])
            yield SupportMove(power=unit.power, unit=_ref(unit), target=target, to=Region(place))


def _goals(board: _Board, sheet: MovementSheet, number: int) -> list[tuple[Region, bool]]:
    """Where a unit may go, and whether it must state that it goes by convoy."""
    kind, place, steps = sheet.kind[number], sheet.place[number], sheet.steps[number]
    goals = [(region, False) for to in sorted(steps) for region in steps[to]]
    tables = board.context.tables
    if place not in tables.boardings[kind]:
        return goals
    for to in sorted(tables.landings[kind]):
        over_sea = may_cross(sheet, number, to) and _is_short(board, sheet, place, to)
        # Rules may take a move overseas for legal though no fleet is there.
        if over_sea or (to not in steps and _is_overseas(board, kind, place, to)):
            goals.append((tables.stands[kind][to][0], to in steps))
    return goals


def _is_overseas(board: _Board, kind: str, place: str, to: str) -> bool:
    return (not board.rules.crossing_needs_fleets() and board.context.kinds[kind].can_be_convoyed
            and to != place and to in board.context.tables.basin.get(place, ()))


def _is_short(board: _Board, sheet: MovementSheet, start: str, to: str) -> bool:
    if board.longest_convoy is None:
        return True
    ways = board.ways(sheet, start)
    return any(ways[sea] <= board.longest_convoy for sea in board.context.tables.waters[to] if sea in ways)


def _convoys(board: _Board, sheet: MovementSheet, fleet: Unit) -> Iterator[Order]:
    tables = board.context.tables
    for number in sorted(range(len(sheet.units)), key=sheet.place.__getitem__):
        kind, start = sheet.kind[number], sheet.place[number]
        if start not in tables.boardings[kind]:
            continue
        for to in sorted(tables.landings[kind]):
            sea, target = fleet.region.province, _ref(sheet.units[number])
            if may_cross(sheet, number, to) and _is_short_over(board, sheet, sea, start, to):
                yield Convoy(power=board.power, unit=_ref(fleet), target=target, to=Region(to))


def _is_short_over(board: _Board, sheet: MovementSheet, sea: str, start: str, to: str) -> bool:
    """True if a way over that sea is short enough: to it and on from it, its fleet counted once."""
    if board.longest_convoy is None:
        return True
    ways, onward = board.ways(sheet, start), board.ways(sheet, to)
    return sea in ways and sea in onward and ways[sea] + onward[sea] - 1 <= board.longest_convoy


def _retreats(board: _Board) -> Iterator[Order]:
    commanded = dict(board.position.memory.proxies)
    for dislodged in sorted(board.position.dislodged, key=lambda d: d.unit):
        unit = dislodged.unit
        if board.unit not in {None, unit}:
            continue
        if board.power in {unit.power, commanded.get(unit.region.province)}:
            for region in sorted(dislodged.may_retreat):
                yield Retreat(power=board.power, unit=_ref(unit), to=region)
            yield Disband(power=board.power, unit=_ref(unit))


def _adjustments(board: _Board) -> Iterator[Order]:
    for unit in board.own(board.position.units):
        yield Remove(power=board.power, unit=_ref(unit))
    if board.unit is not None:
        return
    for kind, places in board.context.tables.stands.items():
        for place in sorted(places):
            for region in places[place]:
                yield Build(power=board.power, kind=kind, region=region)
    yield Waive(power=board.power)


_SHARED: Mapping[PhaseKind, Callable[[_Board], Iterator[Order]]] = {
    PhaseKind.MOVEMENT: _movement,
    PhaseKind.RETREAT: _retreats,
    PhaseKind.ADJUSTMENT: _adjustments,
}
_COVERED: frozenset[type[Order]] = frozenset({
    Hold, Move, SupportHold, SupportMove, Convoy, Retreat, Disband, Build, Remove, Waive})


def _ref(unit: Unit) -> UnitRef:
    return UnitRef(unit.kind, unit.region)


# Candidates of a rule set's own orders


def _own_kind(
    context: Context, rules: Ruleset, position: Position, power: str, unit: Unit | None,
    order_class: type[Order],
) -> Iterator[LegalOrder]:
    """The legal orders of a class that has no tables: every value in every field, put to the judge."""
    counted = _count_field(order_class)
    for values in _values(context, position, power, unit, order_class):
        order = order_class(power=power, **values, **({counted: _PROBES[-1]} if counted else {}))
        if not counted:
            if _is_legal(context, rules, position, order):
                yield LegalOrder(order)
            continue

        def fits(count: int, order: Order = order) -> bool:
            return _is_legal(context, rules, position, _counted(order, count))

        paid = next((count for count in _PROBES if fits(count)), None)
        if paid is not None:
            least = next(count for count in range(1, paid + 1) if fits(count))
            yield LegalOrder(_counted(order, least), range(least, _most(paid, fits) + 1))


def _most(known: int, fits: Callable[[int], bool]) -> int:
    """The largest number that fits, from one that does."""
    step = 1
    while known + step <= MOST and fits(known + step):
        known, step = known + step, step * 2
    while step:
        if known + step <= MOST and fits(known + step):
            known += step
        else:
            step //= 2
    return known


def _counted(order: Order, count: int) -> Order:
    """The order with another number."""
    change: dict[str, Any] = {_count_field(type(order)): count}
    return replace(order, **change)


def _count_field(order_class: type[Order]) -> str:
    """The field of an order class that holds a number, or ""; there is one at most."""
    fields = order_fields(order_class)
    return next((name for name, (kind, _) in fields.items() if kind is FieldKind.COUNT), "")


def _values(
    context: Context, position: Position, power: str, unit: Unit | None, order_class: type[Order]
) -> Iterator[dict[str, Any]]:
    """Every value of every field but a number."""
    fields = {name: field for name, field in order_fields(order_class).items()
              if field.kind is not FieldKind.COUNT}
    units = [unit] if unit is not None else sorted(u for u in position.units if u.power == power)
    coasts = sorted({coast.id for u in units for coast in context.board.provinces[u.region.province].coasts})
    choices: dict[FieldKind, list[Any]] = {
        FieldKind.UNIT: [_ref(u) for u in units],
        FieldKind.PLACE: [Region(place) for place in sorted(context.board.provinces)],
        FieldKind.POWER: sorted(context.powers),
        FieldKind.FLAG: [False, True],
        FieldKind.UNIT_KIND: sorted(context.kinds),
        FieldKind.COAST: coasts,
    }
    listed = [
        ([None] if is_optional and kind in {FieldKind.COAST, FieldKind.PLACE} else []) + choices[kind]
        for kind, is_optional in fields.values()
    ]
    places = [index for index, (kind, _) in enumerate(fields.values()) if kind is FieldKind.PLACE]
    near = _concerned(context, position, power) if len(places) > 1 else None
    for values in product(*listed):
        # Of two places one is the power's own: a board has ten thousand pairs.
        named = [values[index].province for index in places if values[index] is not None]
        if near is None or not near.isdisjoint(named):
            yield dict(zip(fields, values, strict=True))


def _concerned(context: Context, position: Position, power: str) -> frozenset[str]:
    """Provinces that a power owns, has a unit in, has its home in, or that are marked with its name."""
    return frozenset({
        *position.centres.get(power, ()), *(u.region.province for u in position.units if u.power == power),
        *(p.id for p in context.board.provinces.values()
          if p.home == power or any(mark.endswith(f"={power}") for mark in p.marks)),
        *(word for note in position.memory.notes if power in note for word in note)})


# The judge


def _struck(
    context: Context, rules: Ruleset, position: Position, candidates: Sequence[Order]
) -> list[Order]:
    """The candidates without those that are void, in the order given. Each judging has one candidate for each
    unit: whether an order is void depends on what it names, and not on what other units are ordered."""
    by_unit: dict[object, list[int]] = {}
    for index, order in enumerate(candidates):
        # An order without a unit is judged alone; so is each removal, of which a power may owe one.
        alone = not isinstance(order, UnitOrder) or isinstance(order, Remove)
        by_unit.setdefault(index if alone else order.unit, []).append(index)  # type: ignore[attr-defined]
    alone_each = [indexes for key, indexes in by_unit.items() if isinstance(key, int)]
    together = [indexes for key, indexes in by_unit.items() if not isinstance(key, int)]
    legal: set[int] = set()
    for batch in [*alone_each, *zip_longest(*together)]:
        indexes = [index for index in batch if index is not None]
        outcomes = _judged(context, rules, position, [candidates[index] for index in indexes])
        legal.update(index for index, outcome in zip(indexes, outcomes, strict=True) if _is_valid(outcome))
    return [order for index, order in enumerate(candidates) if index in legal]


def _is_legal(context: Context, rules: Ruleset, position: Position, order: Order) -> bool:
    return _is_valid(_judged(context, rules, position, [order])[0])


def _judged(
    context: Context, rules: Ruleset, position: Position, orders: Sequence[Order]
) -> tuple[Outcome, ...]:
    return judge(context, rules, position, orders, Lots((0,) * rules.LOTS)).outcomes


def _is_valid(outcome: Outcome) -> bool:
    # A swap or an alliance that the other side does not answer is void as "unmatched": legal, without effect.
    return outcome.result is not Result.VOID or outcome.reason == "unmatched"
