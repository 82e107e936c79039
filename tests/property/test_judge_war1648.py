"""What holds of ice, mercenaries, loans and builds of 1648 for any position and any orders (TYW-03 to
TYW-14)."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

from hypothesis import given, settings, strategies as st

import maps
from adjudicator.calendar import Phase, PhaseKind
from adjudicator.geo import Region
from adjudicator.judge import judge
from adjudicator.orders import Build, Convert, Move, MoveHome, Order, Remove, SupportHold, SupportMove
from adjudicator.outcome import Resolution, Result
from adjudicator.position import Memory, Position
from adjudicator.rules.war1648_loans import Lend, TakeBack
from adjudicator.units import Unit, UnitRef
from tests.adjudicator import positions

VARIANT = maps.load("war1648")
CONTEXT, BOARD, POWERS = VARIANT.context(), VARIANT.board, list(VARIANT.powers)
RULES = VARIANT.rules
FROZEN = {p.id for p in BOARD.provinces.values() if "frozen" in p.marks}
FROZEN_LAND = {name for name in FROZEN if not BOARD.provinces[name].is_sea}
NORTH = sorted({n for p in FROZEN for movement in BOARD.links for n in (p, *BOARD.near(p, movement))})
CALM = settings(deadline=None, max_examples=150)
seeds = st.integers(0, 2**32)


def _month(seed: int, season: str) -> tuple[Position, list[Order]]:
    """A crowded north, or a crowded piece of anywhere, a third of its armies mercenaries."""
    chance = Random(seed)
    places = NORTH if chance.random() < 0.6 else positions.piece(BOARD, chance, 24)
    units = [
        replace(unit, kind="M") if unit.kind == "A" and chance.random() < 0.3 else unit
        for unit in positions.units(BOARD, chance, places, POWERS[:4])
    ]
    # Mercenaries are ordered like armies, so that they attack and support mercenaries as they must not.
    orders = positions.orders(BOARD, chance, [replace(u, kind="A") if u.kind == "M" else u for u in units])
    for index, unit in enumerate(units):
        if unit.kind == "F" and chance.random() < 0.1:
            orders[index] = Convert(power=unit.power, unit=UnitRef("F", unit.region))
    return Position(Phase(1620, season, PhaseKind.MOVEMENT), frozenset(units)), orders


@given(seeds, st.sampled_from(["January", "February"]))
@CALM
def test_ice_holds_whoever_is_in_it_and_keeps_everybody_out(seed: int, season: str) -> None:
    """TYW-11, TYW-12, Q-52."""
    position, orders = _month(seed, season)
    resolution = judge(CONTEXT, RULES, position, orders)
    before = {u.region.province: u for u in position.units}
    for unit in resolution.position.units:
        place = unit.region.province
        assert place not in FROZEN or before.get(place) == unit
    for beaten in resolution.dislodged:
        assert beaten.unit.region.province not in FROZEN
        assert not {r.province for r in beaten.may_retreat} & FROZEN
    for outcome in resolution.outcomes:
        order = outcome.order
        if isinstance(order, SupportHold | SupportMove) and outcome.result is not Result.VOID:
            into = order.to if isinstance(order, SupportMove) else order.target.region
            assert not {order.unit.region.province, into.province} & FROZEN
        if (
            isinstance(order, Move)
            and order.unit.region.province in FROZEN_LAND
            and outcome.result is not Result.VOID
        ):
            assert order.to.province not in before
            assert order.unit.kind == "A"


@given(seeds, st.sampled_from(["January", "April", "November"]))
@CALM
def test_mercenaries_beat_nobody_and_never_retreat(seed: int, season: str) -> None:
    """TYW-06."""
    position, orders = _month(seed, season)
    resolution = judge(CONTEXT, RULES, position, orders)
    hired = {u.region.province for u in position.units if u.kind == "M"}
    taken = {u.region.province for u in position.units}
    assert not {beaten.attacker_from for beaten in resolution.dislodged} & hired
    assert not any(beaten.may_retreat for beaten in resolution.dislodged if beaten.unit.kind == "M")
    for outcome in resolution.outcomes:
        order = outcome.order
        if (
            order.power
            and isinstance(order, Move)
            and order.unit.region.province in hired
            and outcome.result is not Result.VOID
        ):
            assert order.to.province not in taken
        if isinstance(order, SupportHold | SupportMove) and order.unit.region.province in hired:
            assert order.target.region.province not in hired or outcome.result is Result.VOID


def _builds(seed: int) -> tuple[Position, list[Order]]:
    """A build month with random owners, units, loans and orders; loans are such as the rules allow."""
    chance = Random(seed)
    powers = [*POWERS[:4], "Ottoman Empire"]
    owned: dict[str, set[str]] = {power: set() for power in powers}
    for centre in BOARD.centres():
        if chance.random() < 0.7:
            owned[chance.choice(powers)].add(centre)
    units = positions.units(
        BOARD, chance, chance.sample(sorted(BOARD.provinces), chance.choice([6, 40])), powers
    )
    units = [replace(u, kind="M") if u.kind == "A" and chance.random() < 0.4 else u for u in units]
    notes: set[tuple[str, ...]] = {
        ("loan", centre, powers[0], powers[1])
        for centre in sorted(owned[powers[0]])[:2]
        if chance.random() < 0.5
    }
    for power in powers:
        notes |= {
            ("held", c, power, "1619", chance.choice(["September", "December"]))
            for c in sorted(owned[power])[::3]
        }
    orders: list[Order] = []
    for power in powers:
        orders += _sheet(chance, power, owned, [u for u in units if u.power == power])
    season = chance.choice(["December", "March"])
    phase = Phase(1619 if season == "December" else 1620, season, PhaseKind.ADJUSTMENT)
    centres = {power: frozenset(held) for power, held in owned.items()}
    return Position(phase, frozenset(units), centres, memory=Memory(notes=frozenset(notes))), orders


def _sheet(chance: Random, power: str, owned: dict[str, set[str]], units: list[Unit]) -> list[Order]:
    own_centres, others = sorted(owned[power]), [p for p in owned if p != power]
    orders: list[Order] = [
        # Twice as often a fleet: two a turn is the most that may be built (rule 3).
        Build(power=power, kind=chance.choice("AFFM"), region=Region(place))
        for place in own_centres
        if chance.random() < 0.7
    ]
    if own_centres and chance.random() < 0.5:
        centre, borrower = Region(chance.choice(own_centres)), chance.choice(others)
        orders.append(Lend(power=power, centre=centre, borrower=borrower))
    if own_centres and chance.random() < 0.4:
        orders.append(TakeBack(power=power, centre=Region(chance.choice(own_centres))))
    if chance.random() < 0.4:
        orders.append(MoveHome(power=power, to=Region(chance.choice(["Buda", "Egypt", "Smyrna", "Tunis"]))))
    orders += [Remove(power=power, unit=UnitRef(u.kind, u.region)) for u in units if chance.random() < 0.3]
    chance.shuffle(orders)
    return orders


def _after(resolution: Resolution, power: str) -> int:
    return RULES.upkeep(CONTEXT, [u for u in resolution.position.units if u.power == power])


@given(seeds)
@CALM
def test_nobody_has_more_units_than_supply_and_no_supply_is_lost(seed: int) -> None:
    """TYW-06, TYW-07, TYW-14."""
    position, orders = _builds(seed)
    resolution = judge(CONTEXT, RULES, position, orders)
    after = resolution.position
    fed = {
        power: RULES.supply_from(after.memory, power, after.centres.get(power, frozenset()))
        for power in POWERS
    }
    # A loan moves supply from one power to another and makes none.
    assert sum(fed.values()) == sum(len(owned) for owned in after.centres.values())
    for power in POWERS:
        assert _after(resolution, power) <= max(fed[power], 0)
        built = [u for u in resolution.built if u.power == power]
        assert not built or not any(u.power == power for u in resolution.removed)


@given(seeds)
@CALM
def test_builds_keep_the_rules_and_loans_never_chain(seed: int) -> None:
    """TYW-03, TYW-04, TYW-09, TYW-12, TYW-14."""
    position, orders = _builds(seed)
    resolution = judge(CONTEXT, RULES, position, orders)
    assert max(Counter(u.power for u in resolution.built if u.kind == "F").values(), default=0) <= 2
    homes = {note[2]: note[1] for note in resolution.position.memory.notes if note[0] == "home"}
    for unit in resolution.built:
        province = BOARD.provinces[unit.region.province]
        at_home = unit.power in {province.home, homes.get(province.id)}
        assert at_home or province.home is None
        if unit.kind == "F":
            assert at_home or f"fleets={unit.power}" in province.marks
            assert position.phase.season != "December" or province.id not in FROZEN
        if not at_home:
            held = next(
                (n for n in position.memory.notes if n[:3] == ("held", province.id, unit.power)), None
            )
            assert held is None or held[4] != position.phase.season
    loans = [note for note in resolution.position.memory.notes if note[0] == "loan"]
    assert not {note[2] for note in loans} & {note[3] for note in loans}


@given(seeds, st.randoms(use_true_random=False))
@CALM
def test_the_order_in_which_sheets_are_read_does_not_matter(seed: int, chance: Random) -> None:
    """TYW-14: powers are heard all at once; only the lines of one sheet have an order."""
    position, orders = _builds(seed)
    sheets = [[order for order in orders if order.power == power] for power in POWERS]
    chance.shuffle(sheets)
    mixed = [order for sheet in sheets for order in sheet]
    assert judge(CONTEXT, RULES, position, orders).position == judge(CONTEXT, RULES, position, mixed).position
