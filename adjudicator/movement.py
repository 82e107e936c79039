"""The movement phase, start to finish."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from adjudicator import convoys, dislodgements, labels, years
from adjudicator.assignment import assign
from adjudicator.legality import CHECKS, pick_coast
from adjudicator.orders import Order, SupportMove, UnitOrder
from adjudicator.outcome import Outcome, Resolution, Result
from adjudicator.position import Position
from adjudicator.setting import Setting
from adjudicator.solver import solve
from adjudicator.strength import CONVOY, HOLD, MOVE, NOBODY, SUPPORT, Puzzle, State
from adjudicator.turn import Turn
from adjudicator.units import Unit


def resolve(setting: Setting, position: Position, orders: Sequence[Order]) -> Resolution:
    """Judge a movement phase. The next position's phase is the retreats when somebody is dislodged, else what follows
    them. Raises KeyError when a unit is of a kind the setting does not have: our own fault."""
    turn = Turn(setting, position, orders)
    repeats = assign(turn)
    _check(turn)
    puzzle = _puzzle(turn)
    state = solve(puzzle)
    while state.paradox and setting.rules.paradox_holds():
        _stand_still(turn, puzzle, state)
        state = solve(puzzle)
    turn.lost = frozenset([turn.at[p] for p in state.winners if p in turn.at and turn.at[p] not in state.movers])
    labels.label(turn, state)
    for repeat, first in repeats.items():
        outcome = turn.outcomes[first]
        turn.outcomes[repeat] = None if outcome is None else replace(outcome, order=turn.orders[repeat])
    return _finish(turn, state)


def _check(turn: Turn) -> None:
    """Void what is illegal; what is left stands in the turn's roles."""
    extra = turn.setting.rules.CHECKS
    orders = turn.orders
    for number, index in enumerate(turn.chosen):
        if index != NOBODY:
            order = orders[index]
            kind = type(order)
            check = CHECKS.get(kind) or extra.get(kind)
            wrong = check(turn, number, order) if check is not None else None
            if wrong is not None:
                turn.void(index, "illegal", *wrong)


def _puzzle(turn: Turn) -> Puzzle:
    """What the solver sees: matched supports and convoys beside the moves; all else holds."""
    helpers: list[list[int]] = [[] for _ in turn.units]
    fleets: dict[int, dict[str, int]] = {}
    role, partner = turn.role, turn.partner
    for number, kind in enumerate(role):
        if kind == SUPPORT:
            if _support_matches(turn, number):
                helpers[partner[number]].append(number)
            else:
                _unmatched(turn, number, "not_supported_there" if turn.to[number] else "moves_away")
        elif kind == CONVOY:
            if role[partner[number]] == MOVE and turn.goal[partner[number]] == turn.goal[number]:
                fleets.setdefault(partner[number], {})[turn.place[number]] = number
            else:
                _unmatched(turn, number, "not_convoyed_there")
    for army, carrying in fleets.items():
        _set_sail(turn, army, carrying)
    return Puzzle(
        role=role,
        place=turn.place,
        power=[unit.power for unit in turn.units],
        goal=turn.goal,
        helpers=helpers,
        alone=[turn.setting.chart.alone[unit.kind] for unit in turn.units],
        holder=turn.at,
        routes={
            army: convoys.route(turn.sea.waters, turn.place[army], turn.goal[army], fleets.get(army, {}))
            for army in turn.crossing
        },
    )


def _set_sail(turn: Turn, army: int, carrying: dict[str, int]) -> None:
    """A convoy by an own fleet shows that an army means to go over water (DATC 4.A.3); a foreign one alone does not,
    and is then not matched."""
    if army in turn.crossing:
        return
    if any(turn.units[fleet].power == turn.units[army].power for fleet in carrying.values()):
        turn.crossing.add(army)
        return
    for fleet in carrying.values():
        _unmatched(turn, fleet, "goes_over_land")


def _support_matches(turn: Turn, number: int) -> bool:
    partner = turn.partner[number]
    moves = turn.role[partner] == MOVE
    order = turn.order_of(number)
    if not isinstance(order, SupportMove):
        return not moves or _follows(turn, number, partner)
    if not moves or turn.goal[partner] != turn.goal[number]:
        return False
    ends = turn.to[partner]
    # A support may leave the coast out, but one that is named must be the one gone to (DATC 4.B.4).
    return ends is None or ends.coast is None or order.to.coast is None or pick_coast(turn, (ends,), order.to) == ends


def _follows(turn: Turn, number: int, partner: int) -> bool:
    """Whether a support in place of a unit that moves backs its move: not unless the rules say so (Q-15)."""
    if not turn.setting.rules.support_follows() or turn.goal[partner] not in turn.steps[number]:
        return False
    turn.goal[number] = turn.goal[partner]
    return True


def _stand_still(turn: Turn, puzzle: Puzzle, state: State) -> None:
    """Where a paradox makes all its moves fail (Q-18): the carried armies and whoever attacks their fleets hold."""
    for fleet in state.paradox:
        for number in {turn.partner[fleet], *state.toward.get(turn.place[fleet], ())}:
            if turn.role[number] == MOVE:
                turn.role[number], puzzle.helpers[number] = HOLD, []
                puzzle.routes.pop(number, None)
                turn.settle(number, Result.FAILS, "bounced", ("paradox_holds", turn.units[fleet]), fleet)
                turn.early.append(turn.chosen[number])


def _unmatched(turn: Turn, number: int, sentence: str) -> None:
    turn.role[number] = HOLD
    partner = turn.partner[number]
    turn.settle(number, Result.FAILS, "unmatched", (sentence, turn.units[partner], turn.to[number] or turn.goal[number]), partner)
    turn.early.append(turn.chosen[number])


def _finish(turn: Turn, state: State) -> Resolution:
    standing = _standing(turn, state)
    gaps = dislodgements.contested(state)
    beaten = dislodgements.find(turn, state, standing, gaps)
    units, memory = turn.setting.rules.after_movement(turn, standing)
    after = years.Aftermath(units, turn.position.centres, beaten, gaps, memory)
    return years.close(
        turn.setting, turn.position.phase, after,
        outcomes=_outcomes(turn),
        unordered=tuple(sorted(turn.units[n] for n, index in enumerate(turn.chosen) if index == NOBODY)),
    )


def _standing(turn: Turn, state: State) -> frozenset[Unit]:
    """The units as they stand afterwards; the dislodged are not among them."""
    gone, come = [], []
    for to, number in state.winners.items():
        unit, region, there = turn.units[number], turn.to[number], turn.at.get(to, NOBODY)
        if region is not None:
            gone.append(unit)
            come.append(Unit(unit.power, unit.kind, region))
        if there != NOBODY:
            gone.append(turn.units[there])
    return turn.position.units.difference(gone).union(come)


def _outcomes(turn: Turn) -> tuple[Outcome, ...]:
    """One for each order, as given; those of the dislodged say so, also where the order counted for nothing."""
    found = [outcome for outcome in turn.outcomes if outcome is not None]
    assert len(found) == len(turn.orders), "an order was left without an outcome"
    for index in turn.early if turn.lost else ():
        outcome = found[index]
        order = outcome.order
        if isinstance(order, UnitOrder) and outcome.reason != "no_such_unit" and turn.find(order) in turn.lost:
            found[index] = replace(outcome, dislodged=True)
    return tuple(found)
