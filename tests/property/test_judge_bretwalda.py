"""What holds of boat bunches for any position and any orders (BRE-10 to BRE-17)."""

from __future__ import annotations

from collections import Counter
from random import Random

from hypothesis import given, settings, strategies as st

import maps
from adjudicator.calendar import Phase, PhaseKind
from adjudicator.geo import Region, Terrain
from adjudicator.judge import judge
from adjudicator.orders import Convert, Convoy, Hold, Move, Order, Retreat, SupportHold, SupportMove
from adjudicator.outcome import Resolution, Result
from adjudicator.position import Position
from adjudicator.units import Unit, UnitRef
from tests.adjudicator import positions

VARIANT = maps.load("bretwalda")
CONTEXT, RULES = VARIANT.context(), VARIANT.rules
BOARD, CHART = VARIANT.board, CONTEXT.tables
CALM = settings(deadline=None, max_examples=150)
seeds = st.integers(0, 2**32)


def _case(seed: int) -> tuple[Position, list[Order]]:
    """A crowded piece of the board with bunches at sea and ashore, and entangled orders for everybody."""
    chance = Random(seed)
    powers = list(VARIANT.powers)[:4]
    units = []
    for place in positions.piece(BOARD, chance, chance.randint(3, 24)):
        inland = BOARD.provinces[place].terrain is Terrain.INLAND
        kinds = [kind for kind in "AFBB" if place in CHART.stands[kind] and not (inland and kind == "B")]
        if kinds and chance.random() < 0.85:
            units.append(Unit(chance.choice(powers), chance.choice(kinds), Region(place)))
    order_of: dict[Unit, Order] = {}
    for unit in units:
        if chance.random() < 0.6:
            order_of[unit] = _move(chance, unit, units)
    for unit in units:
        if unit not in order_of:
            order_of[unit] = _help(chance, unit, units, order_of)
    season = chance.choice(["Spring", "Autumn"])
    return Position(Phase(622, season, PhaseKind.MOVEMENT),
        frozenset(units)), [order_of[unit] for unit in units]


def _ref(unit: Unit) -> UnitRef:
    return UnitRef(unit.kind, unit.region)


def _move(chance: Random, unit: Unit, units: list[Unit]) -> Order:
    if unit.kind == "A" and chance.random() < 0.15:
        return Convert(power=unit.power, unit=_ref(unit), to_kind="B")
    fleets = [u.region.province for u in units if u.kind == "F" and BOARD.provinces[u.region.province].is_sea]
    shores = sorted(
        {shore for fleet in fleets for shore in CHART.neighbours[fleet] if not BOARD.provinces[shore].is_sea}
    )
    steps = sorted(CHART.steps(unit.kind, unit.region))
    across = unit.kind != "F" and shores and chance.random() < 0.5
    goals = shores if across else steps
    if not goals:
        return Hold(power=unit.power, unit=_ref(unit))
    return Move(
        power=unit.power,
        unit=_ref(unit),
        to=Region(chance.choice(goals)),
        via_convoy=chance.random() < 0.1,
        # "(db)": the boats are left behind on purpose (BRE-12).
        sheds=chance.random() < 0.1,
    )


def _help(chance: Random, unit: Unit, units: list[Unit], order_of: dict[Unit, Order]) -> Order:
    reach = CHART.steps(unit.kind, unit.region)
    choices: list[Order] = [Hold(power=unit.power, unit=_ref(unit))]
    for other in units:
        order = order_of.get(other)
        if isinstance(order, Move) and unit.kind == "F" and other.kind != "F":
            # Weighted: without whole chains of fleets no bunch is ever destroyed or left standing (BRE-16,
            # BRE-17).
            choices += 5 * [Convoy(power=unit.power, unit=_ref(unit), target=_ref(other), to=order.to)]
        if isinstance(order, Move) and order.to.province in reach and other != unit:
            choices += 2 * [SupportMove(power=unit.power, unit=_ref(unit), target=_ref(other), to=order.to)]
        elif other.region.province in reach:
            choices.append(SupportHold(power=unit.power, unit=_ref(unit), target=_ref(other)))
    return chance.choice(choices)


def _judge(position: Position, orders: list[Order]) -> Resolution:
    return judge(CONTEXT, RULES, position, orders)


@given(seeds)
@CALM
def test_nobody_stands_where_its_kind_cannot(seed: int) -> None:
    """No bunch inland, no army at sea, no two in one place; a retreat keeps it so."""
    position, orders = _case(seed)
    resolution = _judge(position, orders)
    _stand_well(resolution)
    if resolution.dislodged:
        going: list[Order] = [
            Retreat(power=d.unit.power, unit=_ref(d.unit), to=min(d.may_retreat))
            for d in resolution.dislodged
            if d.may_retreat
        ]
        _stand_well(_judge(resolution.position, going))


def _stand_well(resolution: Resolution) -> None:
    for unit in [*resolution.position.units, *(d.unit for d in resolution.dislodged)]:
        terrain = BOARD.provinces[unit.region.province].terrain
        assert unit.region.province in CHART.stands[unit.kind], unit
        assert unit.kind != "B" or terrain is not Terrain.INLAND, unit
    places = [unit.region.province for unit in resolution.position.units]
    assert len(places) == len(set(places))
    taken = {*places, *resolution.contested}
    for beaten in resolution.dislodged:
        assert beaten.may_retreat <= {
            region
            for regions in CHART.steps(beaten.unit.kind, beaten.unit.region).values()
            for region in regions
        }
        assert not {region.province for region in beaten.may_retreat} & taken


@given(seeds)
@CALM
def test_units_are_lost_only_by_a_convoy_from_a_sea(seed: int) -> None:
    """Who is neither on the board afterwards nor beaten was a bunch at sea that moved to land (BRE-16)."""
    position, orders = _case(seed)
    resolution = _judge(position, orders)
    after = [*resolution.position.units, *(d.unit for d in resolution.position.dislodged),
             *resolution.disbanded]
    assert Counter(u.power for u in after) == Counter(u.power for u in position.units)
    moves = {o.order.unit.region.province: o for o in resolution.outcomes if isinstance(o.order, Move)}
    # Where no one who is beaten has a place to go, all of them are lost at once (WOR-07).
    beaten = {d.unit for d in resolution.dislodged}
    for lost in set(resolution.disbanded) - beaten:
        assert lost.kind == "B"
        assert BOARD.provinces[lost.region.province].is_sea
        assert moves[lost.region.province].result is Result.FAILS
        assert "destroyed" in moves[lost.region.province].why


@given(seeds)
@CALM
def test_boats_appear_only_where_they_are_built_and_void_orders_cost_none(seed: int) -> None:
    """BRE-10, BRE-14."""
    position, orders = _case(seed)
    resolution = _judge(position, orders)
    after = {
        u.region.province: u for u in [*resolution.position.units, *(d.unit for d in resolution.dislodged)]
    }
    for outcome in resolution.outcomes:
        order = outcome.order
        if isinstance(order, Convert) and outcome.result is Result.SUCCEEDS:
            assert after[order.unit.region.province].kind == "B"
        if isinstance(order, Hold | Move) and outcome.result is Result.VOID and not outcome.dislodged:
            place = order.unit.region.province
            assert after[place].kind == order.unit.kind
    bunches = sum(u.kind == "B" for u in after.values())
    built = sum(isinstance(o.order, Convert) and o.result is Result.SUCCEEDS for o in resolution.outcomes)
    assert bunches <= sum(u.kind == "B" for u in position.units) + built


@given(seeds, st.randoms(use_true_random=False))
@CALM
def test_the_order_of_orders_does_not_matter_to_bunches(seed: int, chance: Random) -> None:
    position, orders = _case(seed)
    mixed = orders[:]
    chance.shuffle(mixed)
    first, other = _judge(position, orders), _judge(position, mixed)
    assert (first.position, first.dislodged, first.disbanded) == (other.position, other.dislodged,
        other.disbanded)
    assert {(o.order, o.result, o.reason, o.why) for o in first.outcomes} == {
        (o.order, o.result, o.reason, o.why) for o in other.outcomes}
