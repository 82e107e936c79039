"""The movement phase, start to finish."""

from __future__ import annotations

from collections.abc import Sequence

from adjudicator import convoys, dislodgements, labels, years
from adjudicator.assignment import assign
from adjudicator.legality import CHECKS, pick_coast
from adjudicator.orders import Order, SupportMove, UnitOrder
from adjudicator.outcome import Outcome, Resolution, Result
from adjudicator.position import Position
from adjudicator.setting import Setting
from adjudicator.solver import solve
from adjudicator.strength import CONVOY, HOLD, MOVE, NOBODY, SUPPORT, TRUE, Puzzle, State
from adjudicator.turn import Mark, Turn, void
from adjudicator.units import Unit
from adjudicator.words import Sentence, Words, sentence


def resolve(setting: Setting, position: Position, orders: Sequence[Order]) -> Resolution:
    """Judge a movement phase. The next position's phase is the retreats when somebody is dislodged, else what follows
    them. Raises KeyError when a unit is of a kind the setting does not have: our own fault."""
    turn = Turn(setting, position, orders)
    repeats = assign(turn)
    _check(turn)
    state = solve(_puzzle(turn))
    labels.label(turn, state)
    for repeat, first in repeats.items():
        turn.marks[repeat] = turn.marks[first]
    return _finish(turn, state)


def _check(turn: Turn) -> None:
    """Void what is illegal; what is left stands in the turn's roles."""
    extra = turn.setting.rules.CHECKS
    for number, index in enumerate(turn.chosen):
        if index != NOBODY:
            order = turn.orders[index]
            check = CHECKS.get(type(order)) or extra.get(type(order))
            wrong = check(turn, number, order) if check is not None else None
            if wrong is not None:
                turn.marks[index] = void("illegal", wrong)


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
                _unmatched(turn, number, sentence("void: {0} was not ordered to do that", turn.units[partner[number]]))
        elif kind == CONVOY:
            if role[partner[number]] == MOVE and turn.goal[partner[number]] == turn.goal[number]:
                fleets.setdefault(partner[number], {})[turn.units[number].region.province] = number
            else:
                _unmatched(turn, number, sentence("void: {0} was not ordered there", turn.units[partner[number]]))
    for army, carrying in fleets.items():
        _set_sail(turn, army, carrying)
    return Puzzle(
        role=role,
        place=[unit.region.province for unit in turn.units],
        power=[unit.power for unit in turn.units],
        goal=list(turn.goal),
        helpers=helpers,
        alone=[turn.setting.kinds[unit.kind].alone for unit in turn.units],
        routes={
            army: convoys.route(turn.setting.chart, turn.units[army].region.province, turn.goal[army] or "",
                                fleets.get(army, {}))
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
        _unmatched(turn, fleet, sentence("void: {0} goes over land", turn.units[army]))


def _support_matches(turn: Turn, number: int) -> bool:
    partner = turn.partner[number]
    moves = turn.role[partner] == MOVE
    order = turn.order_of(number)
    if not isinstance(order, SupportMove):
        return not moves
    if not moves or turn.goal[partner] != turn.goal[number]:
        return False
    ends = turn.to[partner]
    # A support may leave the coast out, but one that is named must be the one gone to (DATC 4.B.4).
    return ends is None or ends.coast is None or order.to.coast is None or pick_coast(turn, (ends,), order.to) == ends


def _unmatched(turn: Turn, number: int, why: Sentence) -> None:
    turn.role[number] = HOLD
    turn.mark(number, Mark(Result.FAILS, "unmatched", why, turn.partner[number]))


def _finish(turn: Turn, state: State) -> Resolution:
    units = _units_after(turn, state)
    beaten = dislodgements.find(turn, state, units)
    lost = {d.unit.region.province for d in beaten}
    standing, memory = turn.setting.rules.after_movement(turn, state, units)
    after = years.Aftermath(standing, turn.position.centres, beaten,
                            dislodgements.contested(state, standing), memory)
    return years.close(
        turn.setting, turn.position.phase, after,
        outcomes=_outcomes(turn, lost),
        unordered=tuple(sorted(turn.units[n] for n, index in enumerate(turn.chosen) if index == NOBODY)),
    )


def _units_after(turn: Turn, state: State) -> dict[int, Unit]:
    """Unit number to the unit as it stands afterwards; the dislodged are not among them."""
    after = {}
    for number, unit in enumerate(turn.units):
        region = turn.to[number]
        if turn.role[number] == MOVE and state.known[number] == TRUE and region is not None:
            after[number] = Unit(unit.power, unit.kind, region)
        elif state.winner(unit.region.province) == NOBODY:
            after[number] = unit
    return after


def _outcomes(turn: Turn, lost: set[str]) -> tuple[Outcome, ...]:
    words = Words(turn.setting)
    found = []
    for order, mark in zip(turn.orders, turn.marks, strict=True):
        assert mark is not None
        place = order.unit.region.province if isinstance(order, UnitOrder) else ""
        found.append(Outcome(
            order, mark.result, mark.reason, turn.order_of(mark.cause), words.say(mark.why),
            dislodged=place in lost and mark.reason != "no_such_unit",
        ))
    return tuple(found)
