"""What holds for any retreats and any Winter, whatever is ordered: on w3k, from positions that random fights
lead to."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

import pytest
from hypothesis import assume, given, settings, strategies as st

import maps
from adjudicator.calendar import Phase, PhaseKind
from adjudicator.geo import LAND, SEA, Region
from adjudicator.judge import judge
from adjudicator.lots import Lots
from adjudicator.orders import Build, Disband, Order, Remove, Retreat, SendSupply
from adjudicator.outcome import Result
from adjudicator.position import Position
from adjudicator.units import UnitRef
from tests.adjudicator import positions
from tests.adjudicator.naive_winter import NaiveWinter

W3K = maps.load("w3k")
CONTEXT, RULES = W3K.context(), W3K.rules
POWERS = list(W3K.powers)[:4]
CENTRES = W3K.board.centres()
CALM = settings(deadline=None, max_examples=200)
CLASS = {"A": LAND, "F": SEA}
TAPE = tuple(range(7, 307))

seeds = st.integers(0, 2**32)


def _fight(chance: Random) -> Position:
    """A position after a crowded Autumn's movement."""
    units = positions.units(W3K.board, chance, positions.piece(W3K.board, chance, 25), POWERS)
    orders = positions.orders(W3K.board, chance, units)
    autumn = Phase(1643, "Autumn", PhaseKind.MOVEMENT)
    return judge(CONTEXT, RULES, Position(autumn, frozenset(units), _owned(chance)), orders).position


def _owned(chance: Random) -> dict[str, frozenset[str]]:
    owner = {centre: chance.choice(POWERS) for centre in CENTRES if chance.random() < 0.4}
    return {power: frozenset(c for c, p in owner.items() if p == power) for power in POWERS}


def _retreats(chance: Random, position: Position) -> list[Order]:
    orders: list[Order] = []
    for beaten in position.dislodged:
        unit = beaten.unit
        neighbours = sorted(W3K.board.neighbours(unit.region, CLASS[unit.kind]))
        # One retreat in ten is written by a person whose unit it is not.
        power = unit.power if chance.random() < 0.9 else chance.choice(POWERS)
        reference = UnitRef(unit.kind, unit.region)
        if neighbours and chance.random() < 0.85:
            orders.append(Retreat(power=power, unit=reference, to=chance.choice(neighbours)))
        else:
            orders.append(Disband(power=power, unit=reference))
    return orders


@given(seeds)
@CALM
def test_the_beaten_arrive_alone_where_they_may_or_are_gone(seed: int) -> None:
    """RET-02, RET-03."""
    chance = Random(seed)
    position = _fight(chance)
    assume(position.phase.kind is PhaseKind.RETREAT)
    orders = _retreats(chance, position)
    resolution = judge(CONTEXT, RULES, position, orders)
    after = resolution.position.units
    # Anyone who stood stays: a retreat dislodges no person.
    assert position.units <= after
    assert len({u.region.province for u in after}) == len(after)
    goal_counts = Counter(
        o.to.province for o in orders if isinstance(o, Retreat)
        for d in position.dislodged
        if d.unit.region == o.unit.region and d.unit.power == o.power and o.to in d.may_retreat)
    for beaten in position.dislodged:
        arrived = {replace(beaten.unit, region=region) for region in beaten.may_retreat} & (
            after - position.units
        )
        goals = [o.to for o in orders if isinstance(o, Retreat) and o.unit.region == beaten.unit.region
                 and o.power == beaten.unit.power and o.to in beaten.may_retreat]
        alone = [goal for goal in goals if goal_counts[goal.province] == 1]
        assert (beaten.unit in resolution.disbanded) == (not alone)
        assert [replace(beaten.unit, region=goal) in arrived for goal in alone] == [True] * len(alone)
    assert len(after) == len(position.units) + len(position.dislodged) - len(resolution.disbanded)


@given(seeds)
@CALM
def test_the_order_of_retreats_does_not_matter(seed: int) -> None:
    chance = Random(seed)
    position = _fight(chance)
    assume(position.phase.kind is PhaseKind.RETREAT)
    orders = _retreats(chance, position)
    assert (
        judge(CONTEXT, RULES, position, orders).position
        == judge(CONTEXT, RULES, position, orders[::-1]).position
    )


@given(seeds)
@CALM
def test_centres_belong_to_who_stands_there_or_had_them(seed: int) -> None:
    """OWN-01, OWN-02: after the Autumn's retreats no one else owns anything, and nothing owned is lost
    unentered."""
    chance = Random(seed)
    position = _fight(chance)
    assume(position.phase.kind is PhaseKind.RETREAT)
    after = judge(CONTEXT, RULES, position, _retreats(chance, position)).position
    assert after.phase == Phase(1644, "Winter", PhaseKind.ADJUSTMENT)
    standing = {u.region.province: u.power for u in after.units}
    before = {c: p for p, owned in position.centres.items() for c in owned}
    owner = {c: p for p, owned in after.centres.items() for c in owned}
    assert owner == {c: p for c in CENTRES if (p := standing.get(c) or before.get(c, ""))}


# Winter
# ----------------------------------------------------------------------------------------------------------


def _winter(chance: Random) -> tuple[Position, list[Order]]:
    units = positions.units(W3K.board, chance, positions.piece(W3K.board, chance, 30), POWERS)
    position = Position(Phase(1644, "Winter", PhaseKind.ADJUSTMENT), frozenset(units), _few(chance))
    orders: list[Order] = []
    for power in POWERS:
        own_units = sorted(unit for unit in units if unit.power == power)
        owned = sorted(position.centres[power]) or ["London"]
        for _ in range(chance.randint(0, 6)):
            roll = chance.random()
            if roll < 0.5:
                kind, place = (
                    chance.choice("AF"),
                    chance.choice([*owned, "Sutherland", chance.choice(CENTRES)]),
                )
                coast = chance.choice([None, "North Coast"]) if place == "Sutherland" else None
                orders.append(Build(power=power, kind=kind, region=Region(place, coast)))
            elif roll < 0.75 and own_units:
                unit = chance.choice(own_units)
                orders.append(Remove(power=power, unit=UnitRef(unit.kind, unit.region)))
            else:
                orders.append(
                    SendSupply(power=power, to_power=chance.choice(POWERS), count=chance.randint(1, 3))
                )
    return position, orders


def _few(chance: Random) -> dict[str, frozenset[str]]:
    """Enough centres for some powers and too few for others; now and then none."""
    left = chance.sample(CENTRES, len(CENTRES))
    return {power: frozenset(left.pop() for _ in range(chance.choice([0, 2, 5, 9, 14]))) for power in POWERS}


@given(seeds)
@CALM
def test_nobody_begins_the_spring_with_more_than_supply_allows(seed: int) -> None:
    """ADJ-01, MCY-01, SUP-01..05: the ledger is drawn up here once more, from what the judge let stand."""
    position, orders = _winter(Random(seed))
    resolution = judge(CONTEXT, RULES, position, orders, Lots(TAPE))
    stands = [o.order for o in resolution.outcomes if o.result is Result.SUCCEEDS]
    for power in POWERS:
        owned = len(position.centres[power])
        sent = sum(o.count for o in stands if isinstance(o, SendSupply) and o.power == power)
        received = sum(o.count for o in stands if isinstance(o, SendSupply) and o.to_power == power)
        assert sent <= owned
        have = sum(u.power == power for u in resolution.position.units)
        had = sum(u.power == power for u in position.units)
        assert have <= (owned - sent + received if owned else max(1, received))
        built = sum(isinstance(o, Build) and o.power == power for o in stands)
        removed = sum(isinstance(o, Remove) and o.power == power for o in stands)
        by_lot = sum(u.power == power for u in resolution.removed_by_lot)
        assert have == had + built - removed - by_lot
        # Lots take no more than is owed, and only where too little was removed.
        assert by_lot == 0 or have == (owned - sent + received if owned else max(1, received))
    assert resolution.lots_used == len(resolution.removed_by_lot)


@given(seeds)
@CALM
def test_builds_stand_in_empty_centres_of_their_owner(seed: int) -> None:
    """OWN-03, ADJ-07."""
    position, orders = _winter(Random(seed))
    resolution = judge(CONTEXT, RULES, position, orders, Lots(TAPE))
    held = {u.region.province for u in position.units}
    places = [u.region.province for u in resolution.built]
    assert len(set(places)) == len(places)
    for unit in resolution.built:
        assert unit.region.province in position.centres[unit.power]
        assert unit.region.province not in held
        assert unit.region in W3K.board.regions(unit.region.province, CLASS[unit.kind]) or unit.kind == "A"
    assert len({u.region.province for u in resolution.position.units}) == len(resolution.position.units)


@given(seeds, st.randoms(use_true_random=False))
@CALM
def test_one_power_s_sheet_may_be_read_before_or_after_another_s(seed: int, chance: Random) -> None:
    """Only the order of lines on one sheet counts (ADJ-04, SUP-05)."""
    position, orders = _winter(Random(seed))
    sheets = {power: [o for o in orders if o.power == power] for power in POWERS}
    mixed = [sheets[p].pop(0) for p in chance.sample([p for p in POWERS for _ in sheets[p]], len(orders))]
    first = judge(CONTEXT, RULES, position, orders, Lots(TAPE))
    other = judge(CONTEXT, RULES, position, mixed, Lots(TAPE))
    assert first.position == other.position
    assert first.removed_by_lot == other.removed_by_lot


def _agree(seed: int) -> list[str | None]:
    position, orders = _winter(Random(seed))
    naive = NaiveWinter(W3K.board, position.centres, set(position.units), list(TAPE))
    naive.judge(orders, list(W3K.powers))
    resolution = judge(CONTEXT, RULES, position, orders, Lots(TAPE))
    detail = f"{seed}\n{position.centres}\n" + "\n".join(
        f"{o.order} {o.result} {o.why}" for o in resolution.outcomes
    )
    reasons = [o.reason for o in resolution.outcomes]
    assert reasons == [naive.reasons[index] for index in range(len(orders))], detail
    assert [str(u.region) for u in resolution.removed_by_lot] == naive.by_lot, detail
    assert resolution.position.units == naive.units, detail
    return reasons


def test_a_second_opinion_on_winter_agrees() -> None:
    reasons = {reason for seed in range(1000) for reason in _agree(seed)}
    assert reasons == {None, "illegal", "no_supply", "no_such_unit", "struck"}


@pytest.mark.slow
def test_a_second_opinion_on_winter_agrees_on_many_more() -> None:
    for seed in range(1000, 6_000):
        _agree(seed)
