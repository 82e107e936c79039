"""What holds for any position and any orders (issue rule: metamorphic checks of the judge)."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from random import Random

import pytest
from hypothesis import assume, given, settings, strategies as st

import maps
from adjudicator.calendar import Phase, PhaseKind
from adjudicator.geo import LAND, Region
from adjudicator.judge import judge
from adjudicator.lots import Lots
from adjudicator.orders import Convert, Hold, Move, Order, Proxy, UnitOrder
from adjudicator.outcome import Outcome, Resolution, Result
from adjudicator.position import Memory, Position
from adjudicator.units import Unit, UnitRef
from maps.valid_moves import has_movement_phases
from tests.adjudicator import positions

VARIANTS = {slug: variant for slug in maps.variants() if has_movement_phases(variant := maps.load(slug))}
"""Every game but those in which states take states (tests/property/test_judge_brittania.py)."""


def _around(slug: str, place: str) -> set[str]:
    """The place, and all within two steps of it."""
    board = VARIANTS[slug].board
    return {place} | {p for m in board.links for n in board.near(place, m) for p in (n, *board.near(n, m))}


def _remotest(slug: str) -> str:
    """The place where an army can stand, and nothing else is stated of it, from which the others lie farthest
    on the whole."""
    board = VARIANTS[slug].board
    beside = {place: {p for m in board.links for p in board.near(place, m)} for place in board.provinces}

    def far(place: str) -> int:
        total, steps, edge, left = 0, 0, {place}, set(board.provinces) - {place}
        while edge and left:
            steps, edge = steps + 1, {neighbour for reached in edge for neighbour in beside[reached]} & left
            left -= edge
            total += steps * len(edge)
        return total

    return max((place for place in sorted(board.provinces) if board.regions(place, LAND)
                and not board.provinces[place].marks), key=far)


FAR = {slug: _remotest(slug) for slug in VARIANTS}

FAR_POSITIONS, MOST_POSITIONS = 5_000, 30_000

CALM = settings(deadline=None)
"""A busy machine is not a fault of the judge."""

seeds = st.integers(0, 2**32)
slugs = st.sampled_from(sorted(VARIANTS))


def _case(slug: str, seed: int) -> tuple[Position, list[Order]]:
    """A position with entangled orders, some of them odd: illegal, doubled, foreign, conversions and
    proxies."""
    variant, chance = VARIANTS[slug], Random(seed)
    board, powers = variant.board, list(variant.powers)
    # Four powers, so that many fights are between three and own units get in each other's way.
    units = positions.units(board, chance, positions.piece(board, chance, chance.randint(3, 30)), powers[:4])
    orders = positions.orders(board, chance, units)
    for number, unit in enumerate(units):
        reference = UnitRef(unit.kind, unit.region)
        roll = chance.random()
        if roll < 0.04:
            orders[number] = Move(
                power=unit.power, unit=reference, to=Region(chance.choice(sorted(board.provinces))))
        # A second line for the unit, in one case of four by its own power.
        elif roll < 0.07:
            orders.append(Hold(power=chance.choice(powers[:4]), unit=reference))
        elif roll < 0.15:
            # Mostly wrong or missing (CVT-06), for few provinces have these coasts.
            coast = chance.choice([None, "North Coast", "South Coast"])
            orders[number] = Convert(power=unit.power, unit=reference, coast=coast)
        elif roll < 0.19:
            orders.append(Proxy(power=unit.power, unit=reference, to_power=chance.choice(powers[:4])))
    centres: dict[str, set[str]] = {}
    for centre in board.centres():
        if chance.random() < 0.7:
            centres.setdefault(chance.choice(powers[:4]), set()).add(centre)
    owned = {power: frozenset(held) for power, held in centres.items()}
    season = chance.choice([s for s, kind in variant.calendar.steps if kind is PhaseKind.MOVEMENT])
    begun = frozenset(unit for unit in units if chance.random() < 0.5)
    position = Position(
        Phase(1643, season, PhaseKind.MOVEMENT), frozenset(units), owned, memory=Memory(begun)
    )
    return position, orders


def _judge(slug: str, position: Position, orders: Iterable[Order]) -> Resolution:
    variant = VARIANTS[slug]
    return judge(variant.context(), variant.rules, position, list(orders), Lots((0,) * 200))


@given(slugs, seeds, st.randoms(use_true_random=False))
@CALM
def test_the_order_of_orders_does_not_matter(slug: str, seed: int, chance: Random) -> None:
    position, orders = _case(slug, seed)
    mixed = orders[:]
    chance.shuffle(mixed)
    _same_in_any_order(slug, position, orders, mixed)


def _same_in_any_order(slug: str, position: Position, orders: list[Order], mixed: list[Order]) -> None:
    first, other = _judge(slug, position, orders), _judge(slug, position, mixed)
    assert first.position == other.position
    assert first.unordered == other.unordered
    assert Counter(_plain(first.outcomes)) == Counter(_plain(other.outcomes))


def _plain(outcomes: Iterable[Outcome]) -> list[tuple[Order, Result, str | None, Order | None, str]]:
    # Of two different orders for one unit, or two words for the same, each outcome stands with its own order.
    return [(o.order, o.result, o.reason, o.cause, o.why) for o in outcomes]


@given(slugs, seeds)
@CALM
def test_renaming_powers_renames_the_result(slug: str, seed: int) -> None:
    _renaming_renames(slug, *_case(slug, seed))


def _renaming_renames(slug: str, position: Position, orders: list[Order]) -> None:
    powers = list(VARIANTS[slug].powers)[:4]
    new = dict(zip(powers, [*powers[1:], powers[0]], strict=True))
    renamed = replace(
        position, units=_renamed(position.units, new),
        memory=Memory(_renamed(position.memory.converting, new)),
        centres={new[power]: owned for power, owned in position.centres.items()})
    first = _judge(slug, position, orders)
    other = _judge(slug, renamed, [_renamed_order(order, new) for order in orders])
    assert other.position.units == _renamed(first.position.units, new)
    assert other.position.memory.converting == _renamed(first.position.memory.converting, new)
    assert {d.unit: d.may_retreat for d in other.dislodged} == {
        replace(d.unit, power=new[d.unit.power]): d.may_retreat for d in first.dislodged}
    assert dict(other.position.centres) == {
        new[p]: owned for p, owned in first.position.centres.items()}
    assert [(o.result, o.reason, o.dislodged) for o in other.outcomes] == [
        (o.result, o.reason, o.dislodged) for o in first.outcomes]


def _renamed(units: Iterable[Unit], new: dict[str, str]) -> frozenset[Unit]:
    return frozenset(replace(unit, power=new[unit.power]) for unit in units)


def _renamed_order(order: Order, new: dict[str, str]) -> Order:
    if isinstance(order, Proxy):
        order = replace(order, to_power=new[order.to_power])
    return replace(order, power=new[order.power])


@given(slugs, seeds)
@CALM
def test_a_unit_far_away_changes_nothing(slug: str, seed: int) -> None:
    position, orders = _case(slug, seed)
    assume(_far_from_all(slug, position))
    _stranger_changes_nothing(slug, position, orders)


def _far_from_all(slug: str, position: Position) -> bool:
    return not any(unit.region.province in _around(slug, FAR[slug]) for unit in position.units)


def _stranger_changes_nothing(slug: str, position: Position, orders: list[Order]) -> None:
    # A power that plays no part, so that it owns nothing and supports no person.
    stranger = Unit(list(VARIANTS[slug].powers)[5], "A", Region(FAR[slug]))
    first = _judge(slug, position, orders)
    other = _judge(slug, replace(position, units=position.units | {stranger}), orders)
    assert other.position.units == first.position.units | {stranger}
    assert (other.dislodged, other.contested) == (first.dislodged, first.contested)
    assert _plain(other.outcomes) == _plain(first.outcomes)


@given(slugs, seeds)
@CALM
def test_the_board_afterwards_is_sound(slug: str, seed: int) -> None:
    position, orders = _case(slug, seed)
    resolution = _judge(slug, position, orders)
    _each_order_has_its_outcome(orders, resolution)
    _each_unit_does_one_thing(position, resolution)
    _nobody_shares_a_province(resolution)
    _nobody_moves_by_magic(position, resolution)
    _retreats_are_free_and_near(slug, resolution)


def _each_order_has_its_outcome(orders: list[Order], resolution: Resolution) -> None:
    assert [o.order for o in resolution.outcomes] == orders
    assert all(o.why for o in resolution.outcomes)
    assert all((o.result is Result.SUCCEEDS) or o.reason for o in resolution.outcomes)


def _each_unit_does_one_thing(position: Position, resolution: Resolution) -> None:
    """A unit carries out one order at most, those that repeat it aside; a unit for which no one wrote
    holds unordered."""
    acts: dict[str, set[tuple[Order, Result, str | None]]] = {
        unit.region.province: set() for unit in position.units
    }
    written = {o.order.unit.region.province for o in resolution.outcomes if isinstance(o.order, UnitOrder)}
    for o in resolution.outcomes:
        if isinstance(o.order, UnitOrder) and o.result is not Result.VOID and not isinstance(o.order, Proxy):
            acts[o.order.unit.region.province].add((replace(o.order, line=None), o.result, o.reason))
    assert all(len(carried_out) <= 1 for carried_out in acts.values())
    for unit in position.units:
        place = unit.region.province
        assert not (unit in resolution.unordered and acts[place])
        assert place in written or unit in resolution.unordered


def _nobody_shares_a_province(resolution: Resolution) -> None:
    places = [u.region.province for u in resolution.position.units]
    assert len(set(places)) == len(places)


def _nobody_moves_by_magic(position: Position, resolution: Resolution) -> None:
    moved = {}
    for outcome in resolution.outcomes:
        order = outcome.order
        if outcome.result is Result.SUCCEEDS and isinstance(order, Move):
            moved[order.unit.region.province] = order.to.province
    expected = {
        moved.get(unit.region.province, unit.region.province): unit.power
        for unit in position.units - {d.unit for d in resolution.dislodged}
    }
    assert {u.region.province: u.power for u in resolution.position.units} == expected
    kinds = Counter((u.power, u.kind) for u in position.units)
    after = Counter(
        (u.power, u.kind) for u in [*resolution.position.units, *(d.unit for d in resolution.dislodged)]
    )
    # Only a completed conversion changes what a unit is (CVT-02).
    converted = sum(o.reason == "completed" for o in resolution.outcomes)
    assert sum((kinds - after).values()) == converted


def _retreats_are_free_and_near(slug: str, resolution: Resolution) -> None:
    board, kinds = VARIANTS[slug].board, VARIANTS[slug].kinds
    taken = {u.region.province for u in resolution.position.units} | resolution.contested
    # A province where a person stands is taken, not contested.
    assert not resolution.contested & {u.region.province for u in resolution.position.units}
    for beaten in resolution.dislodged:
        goals = {r for m in kinds[beaten.unit.kind].moves for r in board.neighbours(beaten.unit.region, m)}
        assert beaten.may_retreat <= goals
        assert not {r.province for r in beaten.may_retreat} & taken
        # DATC 4.A.5.
        assert beaten.by_convoy or beaten.attacker_from not in {r.province for r in beaten.may_retreat}


@given(slugs, seeds)
@CALM
def test_judging_twice_gives_the_same(slug: str, seed: int) -> None:
    position, orders = _case(slug, seed)
    assert _judge(slug, position, orders) == _judge(slug, position, orders)


@given(slugs, seeds, slugs, seeds)
@CALM
def test_nothing_is_kept_from_one_judging_to_the_next(
    slug: str, seed: int, other_slug: str, other_seed: int
) -> None:
    """Two games judged in turns, each by a setting used before, and once by a fresh one, whose sentences are
    read last."""
    position, orders = _case(slug, seed)
    first = _judge(slug, position, orders)
    _judge(other_slug, *_case(other_slug, other_seed))
    fresh = judge(VARIANTS[slug].context(), VARIANTS[slug].rules, position, orders, Lots((0,) * 200))
    # Sentences become words only when they are read: these are read last, after another game was judged.
    again = _judge(slug, position, orders)
    assert again == fresh
    assert _plain(again.outcomes) == _plain(fresh.outcomes) == _plain(first.outcomes)


@given(slugs, seeds)
@settings(CALM, max_examples=60)
def test_a_year_can_be_played_to_its_end(slug: str, seed: int) -> None:
    """Whatever the orders, every phase of a year is judged and the next one follows."""
    position, orders = _case(slug, seed)
    for _ in VARIANTS[slug].calendar.steps:
        position, orders = _judge(slug, position, orders).position, []
    assert position.phase.year > 1643


@pytest.mark.slow
@pytest.mark.parametrize("slug", sorted(VARIANTS))
def test_ten_thousand_positions(slug: str) -> None:
    """All of the above, 10,000 times on each board, and 5,000 times a stranger far away: on a small board
    that takes more positions, since few leave anybody a place far away."""
    far_count = 0
    for seed in range(10_000):
        position, orders = _case(slug, seed)
        resolution = _judge(slug, position, orders)
        _each_order_has_its_outcome(orders, resolution)
        _each_unit_does_one_thing(position, resolution)
        _nobody_shares_a_province(resolution)
        _nobody_moves_by_magic(position, resolution)
        _retreats_are_free_and_near(slug, resolution)
        _same_in_any_order(slug, position, orders, orders[::-1])
        _renaming_renames(slug, position, orders)
        if _far_from_all(slug, position):
            far_count += 1
            _stranger_changes_nothing(slug, position, orders)
    # On from where the first loop ended, so that no position counts twice.
    more = itertools.count(10_000)
    while far_count <= FAR_POSITIONS:
        position, orders = _case(slug, seed := next(more))
        assert seed < MOST_POSITIONS
        if _far_from_all(slug, position):
            far_count += 1
            _stranger_changes_nothing(slug, position, orders)
