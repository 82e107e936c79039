"""Orders for any variant, made from what its rule set says of itself: the classes a phase takes, and the
fields they have.

Nothing here knows a game, so one that is added is measured and tested like the others (`tests/property/`).
Chance comes in as a `random.Random`.
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
from maps.variant import Variant

SENSIBLE = 0.75
"""How many orders a player would write; the others are anything that can be written down."""


def classes(variant: Variant, kind: PhaseKind) -> list[type[Order]]:
    """Every class of order that a kind of phase takes, by name."""
    return sorted(variant.rules.ORDERS.get(kind, ()), key=lambda one: one.__name__)


def any_order(
    variant: Variant, order: type[Order], chance: Random, power: str, line: int | None = None,
    places: Sequence[str] = (),
) -> Order:
    """An order of that class with something in every field: as good as its text, which is all that a paper
    has. Its places are among those given, or anywhere."""
    values: dict[str, Any] = {"power": power, "line": line}
    anywhere = places or sorted(variant.board.provinces)
    for name, hint in _fields(order).items():
        if name not in values:
            values[name] = _value(variant, name, hint, chance, anywhere)
    if issubclass(order, Convert):
        values |= _converted(variant, values["unit"])
    # who leaves boats behind says no more; where nobody has boats, nobody says it
    if issubclass(order, Move):
        values["sheds"] = values["sheds"] and not values["via_convoy"] and "sheds" in variant.wording
    if issubclass(order, MoveHome) and values["origin"] is None and "nominate" not in variant.wording:
        values["origin"] = values["to"]
    return order(**values)


def written(order: Order) -> Order:
    """The order as its own text can hold it: the words that a rule set brings name places without coasts."""
    if not order.TERSE:
        return order
    places: dict[str, Any] = {
        field.name: Region(value.province) for field in dataclasses.fields(order)
        if isinstance(value := getattr(order, field.name), Region)}
    return dataclasses.replace(order, **places)


_FIELDS: dict[str, dict[str, Any]] = {}


def _fields(order: type[Order]) -> dict[str, Any]:
    """The fields of an order class with what they hold; found once, for it takes long."""
    name = f"{order.__module__}.{order.__qualname__}"
    if name not in _FIELDS:
        hints = get_type_hints(order)
        _FIELDS[name] = {field.name: hints[field.name] for field in dataclasses.fields(order)}
    return _FIELDS[name]


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
    assert hint in values, f"an order has a field {name} of {hint}; say here what may stand in it"
    return values[hint]


def _region(variant: Variant, chance: Random, places: Sequence[str]) -> Region:
    province = variant.board.provinces[chance.choice(places)]
    return Region(province.id, chance.choice([None, *(coast.id for coast in province.coasts)]))


def _converted(variant: Variant, unit: UnitRef) -> dict[str, object]:
    """A floating unit has its coast with it, another names its future coast; the text holds one of them
    (CVT-06)."""
    floats = SEA in variant.kinds[unit.kind or ""].moves
    where = unit.region if floats else Region(unit.region.province)
    return {"unit": UnitRef(unit.kind, where), "coast": None if floats else unit.region.coast}


# A whole phase
# -------------------------------------------------------------------------------------------------------


def phase_orders(variant: Variant, position: Position, chance: Random) -> list[Order]:
    """Papers of all powers for the phase a position stands before: mostly orders that may come true, and some
    of anything."""
    kind = position.phase.kind
    makers = {PhaseKind.MOVEMENT: _movement, PhaseKind.RETREAT: _retreat, PhaseKind.ADJUSTMENT: _winter}
    known = classes(variant, kind)
    orders = [one for one in makers.get(kind, _own)(variant, position, chance) if type(one) in known]
    loose = max(4, round(len(orders) * (1 - SENSIBLE)))
    orders += [
        any_order(variant, chance.choice(known), chance, chance.choice(sorted(variant.powers)))
        for _ in range(loose)
    ]
    orders.sort(key=lambda one: one.power)
    return orders


def _own(variant: Variant, position: Position, chance: Random) -> list[Order]:
    """For a kind of phase that only its rule set knows: most kinds of order from each power, about its own
    places and those beside; whoever has none looks everywhere."""
    known, found = classes(variant, position.phase.kind), []
    centres = set(variant.board.centres())
    for power in sorted(variant.powers):
        owned = position.centres.get(power, frozenset())
        beside = {
            near
            for centre in owned
            for way in variant.board.links
            for near in variant.board.near(centre, way)
        }
        places = [*sorted(owned) * 3, *sorted(beside & centres)] or sorted(centres)
        found += [
            any_order(variant, order, chance, power, places=places)
            for order in known
            if chance.random() < SENSIBLE
        ]
    return found


def _ref(unit: Unit) -> UnitRef:
    return UnitRef(unit.kind, unit.region)


def _steps(variant: Variant, unit: Unit) -> list[Region]:
    return sorted(
        {to for way in variant.kinds[unit.kind].moves for to in variant.board.neighbours(unit.region, way)}
    )


def _movement(variant: Variant, position: Position, chance: Random) -> list[Order]:
    """Half of the units move, most to where somebody stands; the others back what they reach."""
    moves: dict[Unit, Region] = {}
    standing = {unit.region.province: unit for unit in sorted(position.units)}
    steps = {unit: _steps(variant, unit) for unit in standing.values()}
    for unit, to in steps.items():
        held = [region for region in to if region.province in standing]
        if to and chance.random() < 0.5:
            moves[unit] = chance.choice(held if held and chance.random() < 0.6 else to)
    found: list[Order] = []
    for unit, to in steps.items():
        here, power, near = _ref(unit), unit.power, {region.province for region in to}
        backed = [other for other, goal in moves.items() if goal.province in near and other != unit]
        beside = [standing[place] for place in sorted(near & standing.keys())]
        if unit in moves:
            found.append(
                Move(
                    power=power,
                    unit=here,
                    to=moves[unit],
                    sheds=chance.random() < 0.1 and "sheds" in variant.wording,
                )
            )
        elif backed:
            other = chance.choice(backed)
            found.append(SupportMove(power=power, unit=here, target=_ref(other), to=moves[other]))
        elif beside and chance.random() < 0.8:
            other = chance.choice(beside)
            goal = _region(variant, chance, sorted(variant.board.provinces))
            found.append(SupportHold(power=power, unit=here, target=_ref(other)) if chance.random() < 0.7
                         else Convoy(power=power, unit=here, target=_ref(other), to=goal))
        else:
            found.append(Hold(power=power, unit=here))
    return found


def _retreat(variant: Variant, position: Position, chance: Random) -> list[Order]:
    found: list[Order] = []
    for beaten in position.dislodged:
        here, power = _ref(beaten.unit), beaten.unit.power
        steps = sorted(beaten.may_retreat) or _steps(variant, beaten.unit)
        found.append(
            Retreat(power=power, unit=here, to=chance.choice(steps))
            if steps and chance.random() < 0.8
            else Disband(power=power, unit=here)
        )
    return found


def _winter(variant: Variant, position: Position, chance: Random) -> list[Order]:
    found: list[Order] = []
    for power, owned in sorted(position.centres.items()):
        mine = sorted(unit for unit in position.units if unit.power == power)
        if chance.random() < 0.6:
            found += [
                Build(
                    power=power,
                    kind=chance.choice(sorted(variant.kinds)),
                    region=_at(variant, centre, chance),
                )
                for centre in sorted(owned)
            ]
        else:
            found += [Remove(power=power, unit=_ref(unit)) for unit in mine[: chance.randint(0, 3)]]
    return found


def _at(variant: Variant, centre: str, chance: Random) -> Region:
    return Region(
        centre, chance.choice([None, *(coast.id for coast in variant.board.provinces[centre].coasts)])
    )


TAPE = tuple(range(3, 2003, 7))
"""Lots for any phase; none takes as many (`Ruleset.LOTS`)."""


def lots() -> Lots:
    """A tape that is long enough."""
    return Lots(TAPE)
