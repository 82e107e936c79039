"""Strengths as low and high bounds, and the three decisions that rest on them. Source: DATC chapter 5.B.

Orders are numbers, one for each unit. Places and powers may be any values that compare and hash.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field

HOLD, MOVE, SUPPORT, CONVOY = range(4)
FALSE, TRUE, UNKNOWN = 0, 1, -1
NOBODY = -1

Place = Hashable
Bounds = tuple[int, int]
_NONE = (0, 0)
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

    `goal`: where a MOVE goes; for a SUPPORT the province it is aimed at, from which an attack does not cut it.
    `helpers[n]`: the supports that match order n. `routes[n]`: for a MOVE over water. `alone[n]`: strength in defence
    without support.
    """

    role: list[int]
    place: list[Place]
    power: list[Hashable]
    goal: list[Place | None]
    helpers: list[list[int]]
    alone: list[int]
    routes: dict[int, Route] = field(default_factory=dict)


class State:
    """What is known so far, and the bounds that follow from it."""

    __slots__ = ("_deciders", "_paths", "duel", "holder", "known", "paradox", "puzzle", "toward", "unresolved")

    def __init__(self, puzzle: Puzzle) -> None:
        self.puzzle = puzzle
        self.holder: dict[Place, int] = {place: number for number, place in enumerate(puzzle.place)}
        self.toward: dict[Place | None, list[int]] = {}
        role, goal, holder, routes = puzzle.role, puzzle.goal, self.holder, puzzle.routes
        self.duel = [NOBODY] * len(role)
        self.known = [UNKNOWN if kind else TRUE for kind in role]
        self.paradox: set[int] = set()
        self.unresolved: set[int] = set()
        self._paths: dict[int, int] = dict.fromkeys(routes, UNKNOWN)
        self._deciders = (self.decide, self._move, self._support, self._convoy)
        for number, kind in enumerate(role):
            if kind == MOVE:
                to = goal[number]
                self.toward.setdefault(to, []).append(number)
                other = holder.get(to, NOBODY)
                if (
                    other != NOBODY
                    and role[other] == MOVE
                    and goal[other] == puzzle.place[number]
                    and number not in routes
                    and other not in routes
                ):
                    self.duel[number] = other

    def open_orders(self) -> list[int]:
        """Orders still to decide; those that wait for nothing are decided on the way."""
        known, role, place, toward = self.known, self.puzzle.role, self.puzzle.place, self.toward
        waiting, moves = [], []
        for number, kind in enumerate(role):
            if kind == MOVE:
                moves.append(number)
            elif kind != HOLD:
                if place[number] in toward:
                    waiting.append(number)
                else:
                    known[number] = TRUE
        return waiting + moves

    def decide(self, number: int) -> int:
        """TRUE, FALSE or UNKNOWN for an order, from what is known."""
        return self._deciders[self.puzzle.role[number]](number)

    # Decisions -------------------------------------------------------------------------------------------------------

    def _move(self, number: int) -> int:
        path = self.path(number)
        if path == FALSE:
            return FALSE
        low, high = self.attack(number)
        opposed_low, opposed_high = self.opposition(number)
        if high <= opposed_low:
            return FALSE
        sure = low > opposed_high
        rivals = self.toward[self.puzzle.goal[number]]
        if len(rivals) > 1:
            for rival in rivals:
                if rival != number:
                    rival_low, rival_high = self.prevent(rival)
                    if high <= rival_low:
                        return FALSE
                    sure = sure and low > rival_high
        return TRUE if sure else UNKNOWN

    def _support(self, number: int) -> int:
        verdict = TRUE
        for attack in self.toward.get(self.puzzle.place[number], _NO_ORDERS):
            known = self.known[attack]
            if known == TRUE:
                return FALSE
            reaches = self.path(attack) if self.may_cut(attack, number) else FALSE
            if reaches == TRUE:
                return FALSE
            if UNKNOWN in {reaches, known}:
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
        puzzle = self.puzzle
        return puzzle.power[attack] != puzzle.power[support] and puzzle.place[attack] != puzzle.goal[support]

    # Bounds ----------------------------------------------------------------------------------------------------------

    def path(self, number: int) -> int:
        """Whether a move can get to its goal at all: over land always, over water by a whole chain of convoys."""
        found = self._paths.get(number, TRUE)
        if found != UNKNOWN:
            return found
        route, known = self.puzzle.routes[number], self.known
        fleets = route.links
        if route.stands(frozenset(f for f in fleets if known[f] == TRUE)):
            found = TRUE
        elif not route.stands(frozenset(f for f in fleets if known[f] != FALSE)):
            found = FALSE
        self._paths[number] = found
        return found

    def attack(self, number: int) -> Bounds:
        """Strength of a move against its goal. Units of the defender's power do not count against it (CMB-04)."""
        puzzle = self.puzzle
        path = self.path(number)
        if path == FALSE:
            return _NONE
        defender = self.holder.get(puzzle.goal[number], NOBODY)
        if defender == NOBODY:
            leaves = TRUE
        elif puzzle.role[defender] == MOVE and self.duel[number] == NOBODY:
            leaves = self.known[defender]
        else:
            leaves = FALSE
        if leaves == TRUE:
            low, high = self.helped(number)
        else:
            low, high = self._attack_against(number, puzzle.power[defender])
            if leaves == UNKNOWN:
                high = self.helped(number)[1]
        return (low if path == TRUE else 0), high

    def _attack_against(self, number: int, power: Hashable) -> Bounds:
        powers = self.puzzle.power
        if powers[number] == power:
            return _NONE
        low = high = 1
        for helper in self.puzzle.helpers[number]:
            if powers[helper] != power:
                known = self.known[helper]
                low += known == TRUE
                high += known != FALSE
        return low, high

    def helped(self, number: int) -> Bounds:
        """One, and one more for each support given."""
        low = high = 1
        for helper in self.puzzle.helpers[number]:
            known = self.known[helper]
            low += known == TRUE
            high += known != FALSE
        return low, high

    def opposition(self, number: int) -> Bounds:
        """What stands against a move at its goal: the opponent of a head-to-head fight with all its supports, else
        the unit that holds there."""
        opponent = self.duel[number]
        if opponent != NOBODY:
            return self.helped(opponent)
        return self.hold(self.puzzle.goal[number])

    def hold(self, place: Place | None) -> Bounds:
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

    def winner(self, place: Place | None) -> int:
        """The move that succeeds into a place, or NOBODY. For use when all is known."""
        return next((n for n in self.toward.get(place, _NO_ORDERS) if self.known[n] == TRUE), NOBODY)

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

    def _fleets(self, number: int) -> Iterator[int]:
        if self._paths.get(number, TRUE) == UNKNOWN:
            yield from self.puzzle.routes[number].links
