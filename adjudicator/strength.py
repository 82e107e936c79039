"""Strengths as low and high bounds, and the three decisions that rest on them. Source: DATC chapter 5.B.

Orders are numbers, one for each unit. Places and powers may be any values that compare and hash.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field

HOLD, MOVE, SUPPORT, CONVOY = range(4)
FALSE, TRUE, UNKNOWN = 0, 1, -1
NOBODY = -1

Place = Hashable
Bounds = tuple[int, int]
_NONE = (0, 0)
_ONE = (1, 1)
_NO_ORDERS: list[int] = []


@dataclass(frozen=True, slots=True)
class Route:
    """The fleets ordered to carry one army: convoys that touch its start, that touch its goal, and which touch
    which. All by order number."""

    first: frozenset[int]
    last: frozenset[int]
    links: Mapping[int, frozenset[int]]

    def stands(self, usable: frozenset[int]) -> bool:
        """Whether some chain of usable convoys joins start and goal (DATC 4.A.1: one is enough)."""
        waiting = list(self.first & usable)
        seen = set(waiting)
        while waiting:
            fleet = waiting.pop()
            if fleet in self.last:
                return True
            fresh = (self.links[fleet] & usable) - seen
            seen |= fresh
            waiting += fresh
        return False


@dataclass(slots=True)
class Puzzle:
    """The orders of one movement phase, legal ones only; what is void counts as HOLD.

    `holder` finds the order of the unit that stands in a place. `goal`: where a MOVE goes; for a SUPPORT the province
    it is aimed at, from which an attack does not cut it. `helpers[n]`: the supports that match order n. `alone[n]`:
    strength in defence without support. `routes[n]`: for a MOVE over water.
    """

    role: list[int]
    place: list[str]
    power: list[str]
    goal: list[str]
    helpers: list[list[int]]
    alone: list[int]
    holder: Mapping[str, int]
    routes: dict[int, Route] = field(default_factory=dict)


class State:
    """What is known so far, and the bounds that follow from it.

    `deciders[role](n)` answers TRUE, FALSE or UNKNOWN for an order from what is known. `toward[place]` are the moves that go there; `duel[n]` the opponent of a move in a head-to-head fight; `winners`,
    once all is known, the move that succeeds into a place, and `movers` all of those.
    """

    __slots__ = (
        "_paths",
        "_power",
        "deciders",
        "duel",
        "holder",
        "known",
        "movers", "moves",
        "paradox",
        "puzzle",
        "toward",
        "unresolved",
        "winners",
    )

    def __init__(self, puzzle: Puzzle) -> None:
        role, goal, place, routes = puzzle.role, puzzle.goal, puzzle.place, puzzle.routes
        holder = puzzle.holder
        self.puzzle = puzzle
        self.holder = holder
        self.toward: dict[str, list[int]] = {}
        self.duel = [NOBODY] * len(role)
        self.known = [UNKNOWN if kind else TRUE for kind in role]
        self.paradox: set[int] = set()
        self.unresolved: set[int] = set()
        self.winners: dict[str, int] = {}
        self.movers: set[int] = set()
        self._power = puzzle.power
        self._paths = [TRUE] * len(role)
        self.deciders = (self._hold, self._move, self._support, self._convoy)
        toward, duel = self.toward, self.duel
        self.moves = moves = [number for number, kind in enumerate(role) if kind == MOVE]
        for number in moves:
            to = goal[number]
            if to in toward:
                toward[to].append(number)
            else:
                toward[to] = [number]
            if to in holder:
                other = holder[to]
                if goal[other] == place[number] and role[other] == MOVE:
                    duel[number] = other
        for number in routes:
            self._paths[number] = UNKNOWN
            other = duel[number]
            if other != NOBODY:
                duel[number] = duel[other] = NOBODY

    def open_orders(self) -> list[int]:
        """Orders still to decide; those that wait for nothing are decided on the way."""
        known, place, toward = self.known, self.puzzle.place, self.toward
        waiting = []
        for number, kind in enumerate(self.puzzle.role):
            if kind > MOVE:
                if place[number] in toward:
                    waiting.append(number)
                else:
                    known[number] = TRUE
        return waiting + self.moves

    def close(self) -> None:
        """Note the winners, once all is known."""
        known = self.known
        self.winners = winners = {place: n for place, moves in self.toward.items() for n in moves if known[n] == TRUE}
        self.movers = set(winners.values())

    # Decisions -------------------------------------------------------------------------------------------------------

    def _hold(self, number: int) -> int:
        return TRUE

    def _move(self, number: int) -> int:
        goal = self.puzzle.goal[number]
        rivals = self.toward[goal]
        if not self.puzzle.helpers[number] and self._paths[number] == TRUE:
            verdict = self._alone(number, goal, rivals)
            if verdict != UNKNOWN:
                return verdict
        low, high = self.attack(number)
        against_low, against_high = self.opposition(number)
        if high <= against_low:
            return FALSE
        sure = low > against_high
        if len(rivals) > 1:
            for rival in rivals:
                if rival != number:
                    against_low, against_high = self.prevent(rival)
                    if high <= against_low:
                        return FALSE
                    if low <= against_high:
                        sure = False
        return TRUE if sure else UNKNOWN

    def _alone(self, number: int, goal: str, rivals: list[int]) -> int:
        """A short way for the commonest moves, those over land without any support; UNKNOWN where it is too short."""
        defender = self.holder.get(goal, NOBODY)
        if defender == NOBODY:
            if len(rivals) == 1:
                return TRUE
        elif self.puzzle.role[defender] != MOVE:
            return FALSE if self.puzzle.alone[defender] else UNKNOWN
        for rival in rivals:
            if rival != number and self._paths[rival] == TRUE and self.duel[rival] == NOBODY:
                return FALSE
        return UNKNOWN

    def _support(self, number: int) -> int:
        verdict = TRUE
        paths, power = self._paths, self._power
        own, place, aim = power[number], self.puzzle.place, self.puzzle.goal[number]
        for attack in self.toward.get(place[number], _NO_ORDERS):
            known = self.known[attack]
            if known == TRUE:
                return FALSE
            if known == UNKNOWN:
                verdict = UNKNOWN
            if power[attack] != own and place[attack] != aim:  # as in `may_cut`, the hottest line of all
                reaches = paths[attack]
                if reaches == UNKNOWN:
                    reaches = self.path(attack)
                if reaches == TRUE:
                    return FALSE
                if reaches == UNKNOWN:
                    verdict = UNKNOWN
        return verdict

    def _convoy(self, number: int) -> int:
        verdict = TRUE
        for attack in self.toward.get(self.puzzle.place[number], _NO_ORDERS):
            known = self.known[attack]
            if known == TRUE:
                return FALSE
            if known == UNKNOWN:
                verdict = UNKNOWN
        return verdict

    def may_cut(self, attack: int, support: int) -> bool:
        """Whether an attack that arrives cuts that support: a foreign one, not from the place the support is aimed at
        (CMB-02, CMB-03, DATC 4.A.4)."""
        power = self._power
        return power[attack] != power[support] and self.puzzle.place[attack] != self.puzzle.goal[support]

    # Bounds ----------------------------------------------------------------------------------------------------------

    def path(self, number: int) -> int:
        """Whether a move can get to its goal at all: over land always, over water by a whole chain of convoys."""
        found = self._paths[number]
        if found != UNKNOWN:
            return found
        route, known = self.puzzle.routes[number], self.known
        fleets = route.links
        if not route.stands(frozenset(f for f in fleets if known[f] != FALSE)):
            found = FALSE
        elif route.stands(frozenset(f for f in fleets if known[f] == TRUE)):
            found = TRUE
        self._paths[number] = found
        return found

    def attack(self, number: int) -> Bounds:
        """Strength of a move against its goal. Units of the defender's power do not count against it (CMB-04)."""
        path = self._paths[number]
        if path != TRUE:
            path = self.path(number)
            if path == FALSE:
                return _NONE
        low, high = self._attack(number)
        return (low if path == TRUE else 0), high

    def _attack(self, number: int) -> Bounds:
        puzzle = self.puzzle
        defender = self.holder.get(puzzle.goal[number], NOBODY)
        if defender == NOBODY:
            return self.helped(number)
        leaves = FALSE
        if puzzle.role[defender] == MOVE and self.duel[number] == NOBODY:
            leaves = self.known[defender]
            if leaves == TRUE:
                return self.helped(number)
        low, high = self._attack_against(number, self._power[defender])
        return low, (high if leaves == FALSE else self.helped(number)[1])

    def _attack_against(self, number: int, power: str) -> Bounds:
        powers = self._power
        if powers[number] == power:
            return _NONE
        low = high = 1
        for helper in self.puzzle.helpers[number]:
            if powers[helper] != power:
                known = self.known[helper]
                if known:
                    high += 1
                    if known == TRUE:
                        low += 1
        return low, high

    def helped(self, number: int) -> Bounds:
        """One, and one more for each support given."""
        helpers = self.puzzle.helpers[number]
        if not helpers:
            return _ONE
        low = high = 1
        for helper in helpers:
            known = self.known[helper]
            if known:
                high += 1
                if known == TRUE:
                    low += 1
        return low, high

    def opposition(self, number: int) -> Bounds:
        """What stands against a move at its goal: the opponent of a head-to-head fight with all its supports, else
        the unit that holds there."""
        opponent = self.duel[number]
        if opponent != NOBODY:
            return self.helped(opponent)
        return self.hold(self.puzzle.goal[number])

    def hold(self, place: str) -> Bounds:
        """Strength in defence of a place: none when it is empty, or its unit gets away."""
        defender = self.holder.get(place, NOBODY)
        if defender == NOBODY:
            return _NONE
        alone = self.puzzle.alone[defender]
        if self.puzzle.role[defender] != MOVE:
            low, high = self.helped(defender)
            return low - 1 + alone, high - 1 + alone
        leaves = self.known[defender]
        return (alone if leaves == FALSE else 0), (0 if leaves == TRUE else alone)

    def prevent(self, number: int) -> Bounds:
        """Strength with which a move keeps others out of its goal; none once it lost a head-to-head fight
        (DATC 4.A.7)."""
        path = self.path(number)
        if path == FALSE:
            return _NONE
        opponent = self.duel[number]
        beaten = FALSE if opponent == NOBODY else self.known[opponent]
        if beaten == TRUE:
            return _NONE
        low, high = self.helped(number)
        return (low if path == TRUE and beaten == FALSE else 0), high

    # Dependencies ----------------------------------------------------------------------------------------------------

    def depends_on(self, number: int) -> set[int]:
        """The open orders that could still change the decision on an open order."""
        role = self.puzzle.role[number]
        if role == MOVE:
            found = self._move_depends_on(number)
        else:
            found = set()
            for attack in self.toward.get(self.puzzle.place[number], _NO_ORDERS):
                if role == SUPPORT and self.may_cut(attack, number):
                    found.update(self._fleets(attack))
                else:
                    found.add(attack)
        known = self.known
        return {other for other in found if known[other] == UNKNOWN}

    def _move_depends_on(self, number: int) -> set[int]:
        puzzle = self.puzzle
        goal = puzzle.goal[number]
        found = {*puzzle.helpers[number], *self._fleets(number)}
        defender = self.holder.get(goal, NOBODY)
        if defender != NOBODY:
            if puzzle.role[defender] == MOVE and self.duel[number] == NOBODY:
                found.add(defender)
            else:
                found.update(puzzle.helpers[defender])
        low = self.attack(number)[0]
        for rival in self.toward[goal]:
            if rival != number and self.prevent(rival)[1] >= low:
                found.update(puzzle.helpers[rival])
                found.update(self._fleets(rival))
                if self.duel[rival] != NOBODY:
                    found.add(self.duel[rival])
        return found

    def _fleets(self, number: int) -> Mapping[int, frozenset[int]]:
        return self.puzzle.routes[number].links if self._paths[number] == UNKNOWN else {}
