"""Strengths as low and high bounds, and the three decisions that rest on them. Source: DATC chapter 5.B.

Everything is a number. Units have the numbers 0 and up, and a unit's order has the unit's number. Places are
numbered too: the place where unit n stands is place n, and the empty places that somebody wants to go to come
after those. So `goal[n] == n` says that unit n stays, and a place below the count of units is a place where
somebody stands.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field

HOLD, MOVE, SUPPORT, CONVOY = range(4)
FALSE, TRUE, UNKNOWN = 0, 1, -1
NOBODY = -1

Power = Hashable
Bounds = tuple[int, int]
_NONE = (0, 0)
_NOBODIES: list[int] = []


@dataclass(frozen=True, slots=True)
class Route:
    """The fleets ordered to carry one army: convoys that touch its start, that touch its goal, and which
    touch which.

    A set of orders is a whole number here, with bit n for order n; `links` has an entry for every fleet.
    """

    first: int
    last: int
    links: Mapping[int, int]

    def stands(self, usable: int = -1) -> bool:
        """Whether some chain of usable convoys, or of all, joins start and goal (DATC 4.A.1: one is
        enough)."""
        seen = waiting = self.first & usable
        goal = self.last & usable
        if not goal:
            return False
        while waiting and not seen & goal:
            fleet = waiting & -waiting
            fresh = self.links[fleet.bit_length() - 1] & usable & ~seen
            seen |= fresh
            waiting = waiting ^ fleet | fresh
        return seen & goal != 0


@dataclass(slots=True)
class MovementOrders:
    """The orders of one movement phase, legal ones only: `moves`, `supports` and `convoys` by number. All
    else holds.

    `goal[n]`: the place where unit n wants to be in the end, its own unless it moves. `partner[n]`: the unit
    that a support backs. `aim[n]`: the place it backs it into; it counts only if that is its partner's goal,
    and an attack from there does not cut it. `alone[n]`: strength in defence without support. `routes[n]`:
    for a move over water.
    """

    moves: list[int]
    supports: list[int]
    convoys: list[int]
    power: Sequence[Power]
    goal: list[int]
    partner: list[int]
    aim: list[int]
    alone: list[int]
    routes: dict[int, Route] = field(default_factory=dict)


class PartialResolution:
    """What is known so far, and the bounds that follow from it.

    `known[n]` is TRUE, FALSE or UNKNOWN: a move succeeds, a support is given, a convoy stands. `low[n]` and
    `high[n]` are one, and one more for each support of n that is surely, or possibly, given. `backers[n]` are
    the supports of n, `toward[place]` the moves that go there, `duel[n]` the opponent of a move in a
    head-to-head fight. `winners[place]` is the move known to succeed into a place. `open` are the orders
    still to decide; `paradox` and `unresolved` those that were decided by rule.
    """

    __slots__ = (
        "backers", "duel", "high", "known", "low", "open", "paradox", "paths", "puzzle", "toward",
        "unresolved", "winners",
    )

    def __init__(self, puzzle: MovementOrders) -> None:
        count = len(puzzle.goal)
        self.puzzle = puzzle
        self.known = [TRUE] * count
        self.low = [1] * count
        self.high = [1] * count
        self.paths = [TRUE] * count
        self.duel = [NOBODY] * count
        self.backers: dict[int, list[int]] = {}
        self.toward: dict[int, list[int]] = {}
        self.winners: dict[int, int] = {}
        self.open: list[int] = []
        self.paradox: set[int] = set()
        self.unresolved: set[int] = set()
        self._see_moves(count)
        self._see_helpers()
        self._see_fights(count)

    def _see_moves(self, count: int) -> None:
        goal, toward, duel, known = self.puzzle.goal, self.toward, self.duel, self.known
        for number in self.puzzle.moves:
            known[number] = UNKNOWN
            to = goal[number]
            if to in toward:
                toward[to].append(number)
            else:
                toward[to] = [number]
            if to < count and goal[to] == number:
                duel[number] = to
        for number in self.puzzle.routes:
            self.paths[number] = UNKNOWN
            other = duel[number]
            if other != NOBODY:
                duel[number] = duel[other] = NOBODY

    def _see_helpers(self) -> None:
        """Supports and convoys that nobody attacks stand at once."""
        puzzle, known, toward, backers = self.puzzle, self.known, self.toward, self.backers
        low, high, goal, partner, aim = self.low, self.high, puzzle.goal, puzzle.partner, puzzle.aim
        for number in puzzle.convoys:
            if number in toward:
                known[number] = UNKNOWN
                self.open.append(number)
        for number in puzzle.supports:
            backed = partner[number]
            counts = goal[backed] == aim[number]
            if counts:
                high[backed] += 1
                if backed in backers:
                    backers[backed].append(number)
                else:
                    backers[backed] = [number]
            if number in toward:
                known[number] = UNKNOWN
                self.open.append(number)
            elif counts:
                low[backed] += 1

    def _see_fights(self, count: int) -> None:
        """The commonest moves need no sums, those without any support: one that meets nobody gets there; one
        that meets a unit which stays or comes the other way, or another move that surely arrives, does
        not."""
        goal, known, high, paths, duel = self.puzzle.goal, self.known, self.high, self.paths, self.duel
        alone, undecided = self.puzzle.alone, self.open
        for number in self.puzzle.routes:
            self.path(number)
        for place, moves in self.toward.items():
            barred = place < count and goal[place] == place and alone[place]
            if len(moves) == 1:
                number = moves[0]
                if high[number] == 1 and (barred or duel[number] != NOBODY):
                    known[number] = FALSE
                elif place >= count and paths[number] == TRUE:
                    known[number] = TRUE
                    self.winners[place] = number
                else:
                    undecided.append(number)
            else:
                sure = [number for number in moves if paths[number] == TRUE and duel[number] == NOBODY]
                for number in moves:
                    if high[number] == 1 and (
                        barred or len(sure) > (number in sure) or duel[number] != NOBODY
                    ):
                        known[number] = FALSE
                    else:
                        undecided.append(number)

    def settle(self, number: int, verdict: int) -> None:
        """Decide an open order for good."""
        puzzle = self.puzzle
        goal = puzzle.goal
        self.known[number] = verdict
        if goal[number] != number:
            if verdict == TRUE:
                self.winners[goal[number]] = number
        elif number not in puzzle.convoys:
            backed = puzzle.partner[number]
            if goal[backed] == puzzle.aim[number]:
                if verdict == TRUE:
                    self.low[backed] += 1
                else:
                    self.high[backed] -= 1

    # Decisions
    # -------------------------------------------------------------------------------------------------------

    def decide(self, number: int) -> int:
        """TRUE, FALSE or UNKNOWN for an open order, from what is known."""
        if self.puzzle.goal[number] != number:
            return self._move(number)
        return self._convoy(number) if number in self.puzzle.convoys else self._support(number)

    def _move(self, number: int) -> int:
        puzzle = self.puzzle
        goal = puzzle.goal[number]
        rivals = self.toward[goal]
        if (
            self.high[number] == 1
            and goal < len(puzzle.goal)
            and puzzle.alone[goal]
            and self.duel[number] == NOBODY
        ):
            if puzzle.goal[goal] == goal:
                return FALSE
            if len(rivals) == 1 and self.paths[number] == TRUE:
                # bare and unrivalled, it gets in if the unit there leaves, and only then
                return self.known[goal]
        low, high = self.attack(number)
        least, most = self.opposition(number)
        if high <= least:
            return FALSE
        for rival in rivals:
            if rival != number:
                against, at_most = self.prevent(rival)
                if high <= against:
                    return FALSE
                most = max(most, at_most)
        return TRUE if low > most else UNKNOWN

    def _support(self, number: int) -> int:
        verdict = TRUE
        paths, known, power = self.paths, self.known, self.puzzle.power
        own, aim = power[number], self.puzzle.aim[number]
        for attack in self.toward[number]:
            won = known[attack]
            if won == TRUE:
                return FALSE
            if won == UNKNOWN:
                verdict = UNKNOWN
            if attack != aim and power[attack] != own:  # as in `may_cut`
                reaches = paths[attack]
                if reaches == UNKNOWN:
                    reaches = self.path(attack)
                if reaches == TRUE:
                    return FALSE
                if reaches == UNKNOWN:
                    verdict = UNKNOWN
        return verdict

    def _convoy(self, number: int) -> int:
        if number in self.winners:
            return FALSE
        known = self.known
        for attack in self.toward[number]:
            if known[attack] == UNKNOWN:
                return UNKNOWN
        return TRUE

    def may_cut(self, attack: int, support: int) -> bool:
        """Whether an attack that arrives cuts that support: a foreign one, not from the place the support is
        aimed at (CMB-02, CMB-03, DATC 4.A.4)."""
        power = self.puzzle.power
        return attack != self.puzzle.aim[support] and power[attack] != power[support]

    def beaten(self) -> list[int]:
        """The units that are dislodged, once all is known: a winner comes in and they have not left."""
        goal, known = self.puzzle.goal, self.known
        return [
            place
            for place in self.winners
            if place < len(goal) and (goal[place] == place or known[place] != TRUE)
        ]

    # Bounds
    # ----------------------------------------------------------------------------------------------------------

    def path(self, number: int) -> int:
        """Whether a move can get to its goal at all: over land always, over water by a whole chain of
        convoys."""
        found = self.paths[number]
        if found != UNKNOWN:
            return found
        route, known = self.puzzle.routes[number], self.known
        sure = possible = 0
        for fleet in route.links:
            verdict = known[fleet]
            if verdict == TRUE:
                sure |= 1 << fleet
            elif verdict == UNKNOWN:
                possible |= 1 << fleet
        if route.stands(sure):
            found = TRUE
        elif not possible or not route.stands(sure | possible):
            found = FALSE
        self.paths[number] = found
        return found

    def attack(self, number: int) -> Bounds:
        """Strength of a move against its goal. Units of the defender's power do not count against it
        (CMB-04)."""
        path = self.paths[number]
        if path != TRUE:
            path = self.path(number)
            if path == FALSE:
                return _NONE
        low, high = self.low[number], self.high[number]
        goals = self.puzzle.goal
        goal = goals[number]
        if goal < len(goals):
            leaves = FALSE if goals[goal] == goal or self.duel[number] != NOBODY else self.known[goal]
            if leaves != TRUE:
                against = self._own(number, goal)
                low -= against[0]
                if leaves == FALSE:
                    high -= against[1]
        return (low if path == TRUE else 0), high

    def _own(self, number: int, defender: int) -> Bounds:
        """How much of a move's strength is of the defender's own power."""
        power = self.puzzle.power
        own = power[defender]
        if power[number] == own:
            return self.low[number], self.high[number]
        low = high = 0
        if self.high[number] > 1:
            for backer in self.backers[number]:
                if power[backer] == own:
                    known = self.known[backer]
                    if known:
                        high += 1
                        low += known == TRUE
        return low, high

    def opposition(self, number: int) -> Bounds:
        """What stands against a move at its goal: the opponent of a head-to-head fight with all its supports,
        else the unit that holds there; nothing where nobody stands, or its unit gets away."""
        puzzle = self.puzzle
        goal = puzzle.goal[number]
        if goal >= len(puzzle.goal):
            return _NONE
        if self.duel[number] != NOBODY:
            return self.low[goal], self.high[goal]
        alone = puzzle.alone[goal]
        if puzzle.goal[goal] == goal:
            return self.low[goal] - 1 + alone, self.high[goal] - 1 + alone
        leaves = self.known[goal]
        return (alone if leaves == FALSE else 0), (0 if leaves == TRUE else alone)

    def prevent(self, number: int) -> Bounds:
        """Strength with which a move keeps others out of its goal; none once it lost a head-to-head fight
        (DATC 4.A.7)."""
        path = self.paths[number]
        if path == UNKNOWN:
            path = self.path(number)
        if path == FALSE:
            return _NONE
        opponent = self.duel[number]
        beaten = FALSE if opponent == NOBODY else self.known[opponent]
        if beaten == TRUE:
            return _NONE
        return (self.low[number] if path == TRUE and beaten == FALSE else 0), self.high[number]

    # Dependencies
    # ----------------------------------------------------------------------------------------------------

    def depends_on(self, number: int) -> set[int]:
        """The open orders that could still change the decision on an open order."""
        puzzle = self.puzzle
        if puzzle.goal[number] != number:
            found = self._move_depends_on(number)
        else:
            found = set()
            for attack in self.toward.get(number, _NOBODIES):
                if number not in puzzle.convoys and self.may_cut(attack, number):
                    found.update(self._fleets(attack))
                else:
                    found.add(attack)
        known = self.known
        return {other for other in found if known[other] == UNKNOWN}

    def _move_depends_on(self, number: int) -> set[int]:
        goals, backers = self.puzzle.goal, self.backers
        goal = goals[number]
        found = {*backers.get(number, _NOBODIES), *self._fleets(number)}
        if goal < len(goals):
            if goals[goal] != goal and self.duel[number] == NOBODY:
                found.add(goal)
            else:
                found.update(backers.get(goal, _NOBODIES))
        low = self.attack(number)[0]
        for rival in self.toward[goal]:
            if rival != number and self.prevent(rival)[1] >= low:
                found.update(backers.get(rival, _NOBODIES))
                found.update(self._fleets(rival))
                if self.duel[rival] != NOBODY:
                    found.add(self.duel[rival])
        return found

    def _fleets(self, number: int) -> Mapping[int, int]:
        return self.puzzle.routes[number].links if self.paths[number] == UNKNOWN else {}
