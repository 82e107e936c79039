"""Orders for any variant, made from what its rule set declares: the order classes of a phase and their
fields.

No game is named here, so a new game is measured and tested like the others (`tests/property/`). Chance is
an argument, a `random.Random`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from random import Random
from typing import Any, get_type_hints

from adjudicator.calendar import PhaseKind
from adjudicator.geo import SEA, Region
from adjudicator.lots import Lots
from adjudicator.orders import (
    Build,
    Convert,
    Convoy,
    Disband,
    Hold,
    Move,
    MoveHome,
    Order,
    Remove,
    Retreat,
    SupportHold,
    SupportMove,
)
from adjudicator.position import Position
from adjudicator.units import Unit, UnitRef
from bench.adjudicate.positions import unit_ref
from maps.variant import Variant

# The share of orders that a player would write; the others are anything that can be written.
SENSIBLE = 0.75


def classes(variant: Variant, kind: PhaseKind) -> list[type[Order]]:
    """Every order class that a kind of phase takes, sorted by name."""
    return sorted(variant.rules.ORDERS.get(kind, ()), key=lambda order_class: order_class.__name__)


def any_order(
    variant: Variant, order: type[Order], chance: Random, power: str, line: int | None = None,
    places: Sequence[str] = (),
) -> Order:
    """An order of that class with a value in every field, such as its text could give it.

    `places`: provinces to choose from, all by default. `line`: the number of the line that states it.
    """
    values: dict[str, Any] = {"power": power, "line": line}
    anywhere = places or sorted(variant.board.provinces)
    for name, hint in _fields(order).items():
        if name not in values:
            values[name] = _value(variant, name, hint, chance, anywhere)
    if issubclass(order, Convert):
        values |= _converted(variant, values["unit"])
    # A move that leaves its boats behind has no route in its text; a game without boats has no word for it.
    if issubclass(order, Move):
        values["sheds"] = values["sheds"] and not values["via_convoy"] and "sheds" in variant.wording
    if issubclass(order, MoveHome) and values["origin"] is None and "nominate" not in variant.wording:
        values["origin"] = values["to"]
    return order(**values)


def written(order: Order) -> Order:
    """The order as its own text can say it: orders in a game's own words name places without coasts."""
    if not order.TERSE:
        return order
    places: dict[str, Any] = {
        field.name: Region(value.province) for field in dataclasses.fields(order)
        if isinstance(value := getattr(order, field.name), Region)}
    return dataclasses.replace(order, **places)


# By order class, which mypy does not take for hashable.
_FIELDS: dict[Any, dict[str, Any]] = {}


def _fields(order: type[Order]) -> dict[str, Any]:
    """The fields of an order class with their types. Kept: `get_type_hints` takes longer than a judgement."""
    if order not in _FIELDS:
        hints = get_type_hints(order)
        _FIELDS[order] = {field.name: hints[field.name] for field in dataclasses.fields(order)}
    return _FIELDS[order]


def _value(variant: Variant, name: str, hint: Any, chance: Random, places: Sequence[str]) -> object:
    kinds, region = sorted(variant.kinds), _region(variant, chance, places)
    named: dict[str, object] = {
        "to_kind": chance.choice([None, *kinds]),
        "kind": chance.choice(kinds),
        "coast": None,
    }
    if name in named:
        return named[name]
    values: dict[Any, object] = {
        UnitRef: UnitRef(chance.choice(kinds), region), Region: region,
        Region | None: chance.choice([None, region]),
        str: chance.choice(sorted(variant.powers)), int: chance.choice([1, 2, 3, 5, 8, 40]),
        bool: chance.random() < 0.5,
    }
    assert hint in values, f"an order has a field {name} of {hint}; say here which values it may have"
    return values[hint]


def _region(variant: Variant, chance: Random, places: Sequence[str]) -> Region:
    return _any_coast(variant, chance.choice(places), chance)


def _converted(variant: Variant, unit: UnitRef) -> dict[str, object]:
    """A conversion's unit and coast: a floating unit has its coast with it, another names its future coast;
    the text has room for one of them (CVT-06)."""
    floats = SEA in variant.kinds[unit.kind or ""].moves
    where = unit.region if floats else Region(unit.region.province)
    return {"unit": UnitRef(unit.kind, where), "coast": None if floats else unit.region.coast}


# A whole phase
# -------------------------------------------------------------------------------------------------------


def phase_orders(variant: Variant, position: Position, chance: Random) -> list[Order]:
    """Orders of all powers for the phase of a position: mostly orders that may succeed, and some of
    anything."""
    kind = position.phase.kind
    makers = {PhaseKind.MOVEMENT: _movement, PhaseKind.RETREAT: _retreat, PhaseKind.ADJUSTMENT: _winter}
    known = classes(variant, kind)
    orders = [order for order in makers.get(kind, _own)(variant, position, chance) if type(order) in known]
    loose = max(4, round(len(orders) * (1 - SENSIBLE)))
    orders += [
        any_order(variant, chance.choice(known), chance, chance.choice(sorted(variant.powers)))
        for _ in range(loose)
    ]
    orders.sort(key=lambda order: order.power)
    return orders


def _own(variant: Variant, position: Position, chance: Random) -> list[Order]:
    """Orders for a kind of phase that only one rule set has: most order classes from each power, about its
    centres and those next to them, or about all if it has none."""
    known, orders = classes(variant, position.phase.kind), []
    centres = set(variant.board.centres())
    for power in sorted(variant.powers):
        owned = position.centres.get(power, frozenset())
        beside = {
            neighbour
            for centre in owned
            for link_kind in variant.board.links
            for neighbour in variant.board.near(centre, link_kind)
        }
        places = [*sorted(owned) * 3, *sorted(beside & centres)] or sorted(centres)
        orders += [
            any_order(variant, order, chance, power, places=places)
            for order in known
            if chance.random() < SENSIBLE
        ]
    return orders


def _steps(variant: Variant, unit: Unit) -> list[Region]:
    return sorted(
        {to for move_kind in variant.kinds[unit.kind].moves
            for to in variant.board.neighbours(unit.region, move_kind)}
    )


def _movement(variant: Variant, position: Position, chance: Random) -> list[Order]:
    """Half of the units move, most to an occupied province; the others support what they reach."""
    moves: dict[Unit, Region] = {}
    standing = {unit.region.province: unit for unit in sorted(position.units)}
    steps = {unit: _steps(variant, unit) for unit in standing.values()}
    for unit, to in steps.items():
        held = [region for region in to if region.province in standing]
        if to and chance.random() < 0.5:
            moves[unit] = chance.choice(held if held and chance.random() < 0.6 else to)
    orders: list[Order] = []
    for unit, to in steps.items():
        reference, power, reachable = unit_ref(unit), unit.power, {region.province for region in to}
        backed = [other for other, goal in moves.items() if goal.province in reachable and other != unit]
        beside = [standing[place] for place in sorted(reachable & standing.keys())]
        if unit in moves:
            sheds = chance.random() < 0.1 and "sheds" in variant.wording
            orders.append(Move(power=power, unit=reference, to=moves[unit], sheds=sheds))
        elif backed:
            other = chance.choice(backed)
            orders.append(SupportMove(power=power, unit=reference, target=unit_ref(other), to=moves[other]))
        elif beside and chance.random() < 0.8:
            other = chance.choice(beside)
            goal = _region(variant, chance, sorted(variant.board.provinces))
            target = unit_ref(other)
            orders.append(SupportHold(power=power, unit=reference, target=target) if chance.random() < 0.7
                          else Convoy(power=power, unit=reference, target=target, to=goal))
        else:
            orders.append(Hold(power=power, unit=reference))
    return orders


def _retreat(variant: Variant, position: Position, chance: Random) -> list[Order]:
    orders: list[Order] = []
    for beaten in position.dislodged:
        reference, power = unit_ref(beaten.unit), beaten.unit.power
        steps = sorted(beaten.may_retreat) or _steps(variant, beaten.unit)
        orders.append(
            Retreat(power=power, unit=reference, to=chance.choice(steps))
            if steps and chance.random() < 0.8
            else Disband(power=power, unit=reference)
        )
    return orders


def _winter(variant: Variant, position: Position, chance: Random) -> list[Order]:
    orders: list[Order] = []
    for power, owned in sorted(position.centres.items()):
        own_units = sorted(unit for unit in position.units if unit.power == power)
        if chance.random() < 0.6:
            kinds = sorted(variant.kinds)
            orders += [
                Build(power=power, kind=chance.choice(kinds), region=_any_coast(variant, centre, chance))
                for centre in sorted(owned)
            ]
        else:
            orders += [Remove(power=power, unit=unit_ref(unit)) for unit in own_units[: chance.randint(0, 3)]]
    return orders


def _any_coast(variant: Variant, province: str, chance: Random) -> Region:
    coasts = (coast.id for coast in variant.board.provinces[province].coasts)
    return Region(province, chance.choice([None, *coasts]))


# Lots for any phase; no phase takes as many (`Ruleset.LOTS`).
TAPE = tuple(range(3, 2003, 7))


def lots() -> Lots:
    """Lots that do not run out."""
    return Lots(TAPE)
