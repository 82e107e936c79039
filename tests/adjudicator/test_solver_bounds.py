"""What must hold of the bounds and the dependencies of every puzzle, whatever is decided so far (JUD-02).

Whole positions show too little of them: where a bound is too wide, or a dependency is missing, the rule for
cycles decides what sums would have decided, and mostly states the same. The puzzles have no board, so that
any unit may go anywhere. """

from __future__ import annotations

from random import Random

import pytest

from adjudicator.solver import solve
from adjudicator.strength import FALSE, TRUE, UNKNOWN, MovementOrders, PartialResolution, Route
from tests.adjudicator.test_solver import CONVOY, HOLD, MOVE, SUPPORT, Unit, puzzle

PUZZLES = 400
"""Puzzles a seed: a third of a second."""


def _crowd(chance: Random) -> MovementOrders:
    """Three to nine units of three powers that go to, support and carry each other in any direction."""
    count = chance.randint(3, 9)
    places = [f"p{n}" for n in range(count + chance.randint(0, 2))]
    units: list[Unit] = []
    for place in places[:count]:
        role = chance.choice((MOVE, MOVE, MOVE, SUPPORT, SUPPORT, HOLD))
        goal = chance.choice([p for p in places if p != place]) if role == MOVE else ""
        units.append(Unit(place, chance.choice("EFG"), role, goal, alone=chance.choice((1, 1, 1, 0))))
    for number, unit in enumerate(units):
        if unit.role == SUPPORT:
            helped = chance.choice([u for u in units if u is not unit])
            # Mostly for what it does, sometimes for what it does not do.
            goal = helped.goal if helped.role == MOVE and chance.random() < 0.9 else helped.place
            units[number] = Unit(unit.place, unit.power, SUPPORT, goal, helped.place, unit.alone)
    return puzzle(*units, routes=_routes(units, chance))


def _routes(units: list[Unit], chance: Random) -> dict[int, Route]:
    """Some moves are by sea: one to three units that held carry them, in a row or side by side."""
    routes: dict[int, Route] = {}
    idle = [n for n, unit in enumerate(units) if unit.role == HOLD]
    for number, army in enumerate(units):
        if army.role != MOVE or not idle or chance.random() < 0.5:
            continue
        fleets = [idle.pop() for _ in range(min(len(idle), chance.randint(1, 3)))]
        for fleet in fleets:
            held = units[fleet]
            units[fleet] = Unit(held.place, held.power, CONVOY, army.goal, army.place, held.alone)
        bits = [1 << fleet for fleet in fleets]
        if chance.random() < 0.5:
            links = {fleet: sum(bits) & ~(1 << fleet) for fleet in fleets}
            routes[number] = Route(sum(bits), sum(bits), links)
        else:
            links = {fleet: sum(bits[max(0, n - 1):n + 2]) & ~(1 << fleet) for n, fleet in enumerate(fleets)}
            routes[number] = Route(bits[0], bits[-1], links)
    return routes


def _puzzles(seed: int) -> list[tuple[MovementOrders, list[int]]]:
    """Puzzles with their verdicts. Where a paradox was settled by rule, no sum is behind the verdict."""
    chance = Random(seed)
    solved = [(orders, solve(orders)) for orders in (_crowd(chance) for _ in range(PUZZLES))]
    assert not any(state.unresolved for _, state in solved)
    return [(orders, state.verdicts) for orders, state in solved if not state.paradox_convoys]


def _given(orders: MovementOrders, number: int, verdicts: list[int]) -> int:
    """The supports of a unit that are given, counted plainly."""
    return sum(
        verdicts[support] == TRUE and orders.partner[support] == number
        and orders.goal[number] == orders.expected_goal[support]
        for support in orders.supports)


@pytest.mark.parametrize("seed", range(4))
def test_at_the_end_both_bounds_are_the_count_of_supports_given(seed: int) -> None:
    for orders, verdicts in _puzzles(seed):
        state = solve(orders)
        strengths = [1 + _given(orders, number, verdicts) for number in range(len(orders.goal))]
        assert state.min_strength == strengths == state.max_strength


@pytest.mark.parametrize("seed", range(4))
def test_what_is_known_of_the_rest_decides_an_order(seed: int) -> None:
    """All others decided, an order is decided as it was in the end; and while some are open, either so or not
    at all. Every strength stays within its bounds."""
    chance = Random(seed)
    for orders, verdicts in _puzzles(seed):
        state = PartialResolution(orders)
        undecided = chance.sample(state.undecided, len(state.undecided))
        for number in undecided:
            assert state.decide(number) in (UNKNOWN, verdicts[number])
            state.settle(number, verdicts[number])
        final = solve(orders)
        for number in undecided:
            state.verdicts[number] = UNKNOWN
            assert state.decide(number) == verdicts[number], (orders, number)
            state.verdicts[number] = verdicts[number]
        for number in orders.moves:
            for partial in (PartialResolution(orders), state):
                for name in ("attack_strength", "opposing_strength", "prevent_strength"):
                    least, most = getattr(partial, name)(number)
                    exact, same = getattr(final, name)(number)
                    assert exact == same
                    assert least <= exact <= most, name


@pytest.mark.parametrize("seed", range(4))
def test_an_order_that_waits_for_nothing_is_decided(seed: int) -> None:
    """What an order depends on is undecided, and with nothing to wait for it is decided: else a cycle would
    be seen where there is none, or overlooked."""
    chance = Random(seed)
    for orders, verdicts in _puzzles(seed):
        state = PartialResolution(orders)
        undecided = chance.sample(state.undecided, len(state.undecided))
        while undecided:
            for number in undecided:
                waits_for = state.depends_on(number)
                assert waits_for <= set(undecided)
                if not waits_for:
                    assert state.decide(number) == verdicts[number]
            number = undecided.pop()
            state.settle(number, verdicts[number])


@pytest.mark.parametrize("seed", range(4))
def test_a_way_is_closed_as_soon_as_no_chain_can_be_whole(seed: int) -> None:
    """DATC 4.A.1: one whole chain is enough. Tried over every set of fleets, certain and possible."""
    chance = Random(seed)
    for orders, _ in _puzzles(seed):
        for army, route in orders.routes.items():
            fleets = list(route.links)
            state = PartialResolution(orders)
            for fleet in fleets:
                state.verdicts[fleet] = chance.choice((TRUE, UNKNOWN, FALSE))
            state.path_verdicts[army] = UNKNOWN
            certain, possible = (
                _is_joined(route, [f for f in fleets if state.verdicts[f] in known])
                for known in ((TRUE,), (TRUE, UNKNOWN)))
            assert state.path_verdict(army) == (TRUE if certain else UNKNOWN if possible else FALSE)


def _is_joined(route: Route, fleets: list[int]) -> bool:
    """Step by step, without a trick."""
    reached = {fleet for fleet in fleets if route.first >> fleet & 1}
    while True:
        further = {f for f in fleets if any(route.links[r] >> f & 1 for r in reached)} | reached
        if further == reached:
            return any(route.last >> fleet & 1 for fleet in reached)
        reached = further


def test_what_needs_no_sums_is_decided_at_once() -> None:
    """A move without support against a unit that stays; one that comes the other way; one to an empty place;
    and two that surely arrive there together."""
    at_once = PartialResolution(puzzle(
        Unit("x", "R"), Unit("a", "E", MOVE, "x"),
        Unit("b", "E", MOVE, "c"), Unit("c", "F", MOVE, "b"),
        Unit("d", "E", MOVE, "free"),
        Unit("e", "E", MOVE, "shared"), Unit("f", "F", MOVE, "shared"),
    ))
    assert at_once.verdicts == [TRUE, FALSE, FALSE, FALSE, TRUE, FALSE, FALSE]
    assert at_once.undecided == []
