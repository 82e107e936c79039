"""The solver on bare puzzles, without any board. Places are letters; the DATC numbers name the situation."""

from __future__ import annotations

from dataclasses import dataclass

from adjudicator.solver import break_cycle, solve
from adjudicator.strength import FALSE, NOBODY, TRUE, UNKNOWN, MovementOrders, PartialResolution, Route

HOLD, MOVE, SUPPORT, CONVOY = range(4)


@dataclass(frozen=True)
class Unit:
    """One line of a puzzle: `helps` is the place of the supported unit."""

    place: str
    power: str
    role: int = HOLD
    goal: str = ""
    helps: str = ""
    alone: int = 1


def puzzle(*units: Unit, routes: dict[int, Route] | None = None) -> MovementOrders:
    """The orders of some units, whose number is their place in the list."""
    number = {unit.place: index for index, unit in enumerate(units)}
    for unit in units:
        # Empty goals are numbered after the units, as `adjudicator.strength` needs them.
        number.setdefault(unit.goal, len(number))
    return MovementOrders(
        moves=[n for n, u in enumerate(units) if u.role == MOVE],
        supports=[n for n, u in enumerate(units) if u.role == SUPPORT],
        convoys=[n for n, u in enumerate(units) if u.role == CONVOY],
        power=[u.power for u in units],
        goal=[number[u.goal if u.role == MOVE else u.place] for u in units],
        partner=[number.get(u.helps, NOBODY) for u in units],
        expected_goal=[number[u.goal] for u in units],
        base_defence=[u.alone for u in units],
        routes=routes or {},
    )


def _solve(*units: Unit, routes: dict[int, Route] | None = None) -> PartialResolution:
    return solve(puzzle(*units, routes=routes))


def _known(state: PartialResolution) -> list[int]:
    # No rule may ever be missing for a real puzzle.
    assert not state.unresolved
    return state.verdicts


def test_three_units_go_round_in_a_circle() -> None:
    """6.C.1."""
    ring = [Unit("a", "T", MOVE, "b"), Unit("b", "T", MOVE, "c"), Unit("c", "T", MOVE, "a")]
    assert _known(_solve(*ring)) == [TRUE, TRUE, TRUE]


def test_a_circle_disrupted_by_a_fourth_stands_still() -> None:
    """6.C.3."""
    ring = [
        Unit("a", "T", MOVE, "b"),
        Unit("b", "T", MOVE, "c"),
        Unit("c", "T", MOVE, "a"),
        Unit("d", "A", MOVE, "a"),
    ]
    assert _known(_solve(*ring)) == [FALSE, FALSE, FALSE, FALSE]


def test_two_units_may_not_swap_over_land() -> None:
    assert _known(_solve(Unit("a", "T", MOVE, "b"), Unit("b", "A", MOVE, "a"))) == [FALSE, FALSE]


def test_a_beleaguered_garrison_stands() -> None:
    """6.E.7 in its simplest form: two equal supported attacks from outside."""
    state = _solve(
        Unit("x", "R"), Unit("a", "E", MOVE, "x"), Unit("b", "E", SUPPORT, "x", helps="a"),
        Unit("c", "G", MOVE, "x"), Unit("d", "G", SUPPORT, "x", helps="c"),
    )
    assert _known(state) == [TRUE, FALSE, TRUE, FALSE, TRUE]


def test_a_unit_without_strength_of_its_own_is_beaten_one_to_one() -> None:
    """TYW-06: strength alone is a trait of the unit, not a rule of the solver."""
    assert _known(_solve(Unit("x", "R", alone=0), Unit("a", "E", MOVE, "x"))) == [TRUE, TRUE]
    guarded = _solve(
        Unit("x", "R", alone=0), Unit("a", "E", MOVE, "x"), Unit("b", "R", SUPPORT, "x", helps="x")
    )
    assert _known(guarded) == [TRUE, FALSE, TRUE]


def test_a_convoy_that_would_decide_its_own_fight_fails() -> None:
    """6.F.14: the army's landing would cut the support that dislodges its fleet."""
    route = Route(first=0b10, last=0b10, links={1: 0})
    state = _solve(
        Unit("army", "E", MOVE, "shore"), Unit("sea", "E", CONVOY, "shore"),
        Unit("shore", "F", SUPPORT, "sea", helps="out"), Unit("out", "F", MOVE, "sea"),
        routes={0: route},
    )
    assert _known(state) == [FALSE, FALSE, TRUE, TRUE]
    assert state.paradox_convoys == {1}


def test_bounds_come_before_any_rule_for_cycles() -> None:
    """Trap T4: an attack on the fleet that can never succeed is not a paradox."""
    route = Route(first=0b10, last=0b10, links={1: 0})
    state = _solve(
        Unit("army", "E", MOVE, "shore"), Unit("sea", "E", CONVOY, "shore"),
        Unit("guard", "E", SUPPORT, "sea", helps="sea"),
        Unit("shore", "F", SUPPORT, "sea", helps="out"), Unit("out", "F", MOVE, "sea"),
        routes={0: route},
    )
    assert state.paradox_convoys == set()
    assert _known(state) == [FALSE, TRUE, TRUE, FALSE, FALSE]
    # The army arrives and bounces; its convoy was never in doubt.
    assert state.path_verdict(0) == TRUE


def test_only_the_moves_of_a_circle_are_decided_by_rule() -> None:
    """A support that waits with them is given or cut by what the moves bring about (JUD-02: a mutation that
    decided it too was missed by all positions)."""
    state = PartialResolution(puzzle(
        Unit("a", "T", MOVE, "b"), Unit("b", "T", MOVE, "c"), Unit("c", "T", MOVE, "a"),
        Unit("d", "T", SUPPORT, "b", helps="a"), Unit("e", "R", MOVE, "d"),
    ))
    break_cycle(state, [0, 1, 2, 3])
    assert state.verdicts[:4] == [TRUE, TRUE, TRUE, UNKNOWN]


def test_help_in_doubt_from_the_defenders_power_takes_nothing_from_the_least_strength() -> None:
    """6.D.12: help from the defender's own power never counts against it. While it is in doubt it is not in
    the lower bound, so nothing is taken from that either (JUD-02: missed by all positions)."""
    state = PartialResolution(puzzle(
        Unit("x", "R"), Unit("a", "E", MOVE, "x"), Unit("b", "R", SUPPORT, "x", helps="a"),
        Unit("c", "G", MOVE, "b"),
    ))
    assert state.verdicts[2] == UNKNOWN
    assert state.attack_strength(1) == (1, 1)


def test_a_unit_that_may_leave_stands_against_a_move_with_its_strength_or_with_none() -> None:
    """JUD-02: missed by all positions."""
    state = PartialResolution(puzzle(
        Unit("x", "R", MOVE, "y"), Unit("y", "R", MOVE, "z"), Unit("z", "R", MOVE, "x"),
        Unit("a", "E", MOVE, "x"),
    ))
    assert state.opposing_strength(3) == (0, 1)
    for verdict, bounds in ((TRUE, (0, 0)), (FALSE, (1, 1))):
        state.verdicts[0] = verdict
        assert state.opposing_strength(3) == bounds
