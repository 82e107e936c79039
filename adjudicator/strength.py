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

    def joins(self, usable: int = -1) -> bool:
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
    expected_goal: list[int]
    base_defence: list[int]
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
        "attackers",
        "head_to_head",
        "max_strength",
        "min_strength",
        "orders",
        "paradox_convoys",
        "path_verdicts",
        "supporters",
        "undecided",
        "unresolved",
        "verdicts",
        "winners",
    )

    def __init__(self, puzzle: MovementOrders) -> None:
        count = len(puzzle.goal)
        self.orders = puzzle
        self.verdicts = [TRUE] * count
        self.min_strength = [1] * count
        self.max_strength = [1] * count
        self.path_verdicts = [TRUE] * count
        self.head_to_head = [NOBODY] * count
        self.supporters: dict[int, list[int]] = {}
        self.attackers: dict[int, list[int]] = {}
        self.winners: dict[int, int] = {}
        self.undecided: list[int] = []
        self.paradox_convoys: set[int] = set()
        self.unresolved: set[int] = set()
        self._see_moves(count)
        self._see_helpers()
        self._see_fights(count)

    def _see_moves(self, count: int) -> None:
        goal, toward, duel, known = self.orders.goal, self.attackers, self.head_to_head, self.verdicts
        for number in self.orders.moves:
            known[number] = UNKNOWN
            to = goal[number]
            if to in toward:
                toward[to].append(number)
            else:
                toward[to] = [number]
            if to < count and goal[to] == number:
                duel[number] = to
        for number in self.orders.routes:
            self.path_verdicts[number] = UNKNOWN
            other = duel[number]
            if other != NOBODY:
                duel[number] = duel[other] = NOBODY

    def _see_helpers(self) -> None:
        """Supports and convoys that nobody attacks stand at once."""
        puzzle, known, toward, backers = self.orders, self.verdicts, self.attackers, self.supporters
        low, high, goal, partner, aim = (
            self.min_strength,
            self.max_strength,
            puzzle.goal,
            puzzle.partner,
            puzzle.expected_goal,
        )
        for number in puzzle.convoys:
            if number in toward:
                known[number] = UNKNOWN
                self.undecided.append(number)
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
                self.undecided.append(number)
            elif counts:
                low[backed] += 1

    def _see_fights(self, count: int) -> None:
        """The commonest moves need no sums, those without any support: one that meets nobody gets there; one
        that meets a unit which stays or comes the other way, or another move that surely arrives, does
        not."""
        goal, known, high, paths, duel = (
            self.orders.goal,
            self.verdicts,
            self.max_strength,
            self.path_verdicts,
            self.head_to_head,
        )
        alone, undecided = self.orders.base_defence, self.undecided
        for number in self.orders.routes:
            self.path_verdict(number)
        for place, moves in self.attackers.items():
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
        puzzle = self.orders
        goal = puzzle.goal
        self.verdicts[number] = verdict
        if goal[number] != number:
            if verdict == TRUE:
                self.winners[goal[number]] = number
        elif number not in puzzle.convoys:
            backed = puzzle.partner[number]
            if goal[backed] == puzzle.expected_goal[number]:
                if verdict == TRUE:
                    self.min_strength[backed] += 1
                else:
                    self.max_strength[backed] -= 1

    # Decisions
    # -------------------------------------------------------------------------------------------------------

    def decide(self, number: int) -> int:
        """TRUE, FALSE or UNKNOWN for an open order, from what is known."""
        if self.orders.goal[number] != number:
            return self._move(number)
        return self._convoy(number) if number in self.orders.convoys else self._support(number)

    def _move(self, number: int) -> int:
        puzzle = self.orders
        goal = puzzle.goal[number]
        rivals = self.attackers[goal]
        if (
            self.max_strength[number] == 1
            and goal < len(puzzle.goal)
            and puzzle.base_defence[goal]
            and self.head_to_head[number] == NOBODY
        ):
            if puzzle.goal[goal] == goal:
                return FALSE
            if len(rivals) == 1 and self.path_verdicts[number] == TRUE:
                # bare and unrivalled, it gets in if the unit there leaves, and only then
                return self.verdicts[goal]
        low, high = self.attack_strength(number)
        least, most = self.opposing_strength(number)
        if high <= least:
            return FALSE
        for rival in rivals:
            if rival != number:
                against, at_most = self.prevent_strength(rival)
                if high <= against:
                    return FALSE
                most = max(most, at_most)
        return TRUE if low > most else UNKNOWN

    def _support(self, number: int) -> int:
        verdict = TRUE
        paths, known, power = self.path_verdicts, self.verdicts, self.orders.power
        own, aim = power[number], self.orders.expected_goal[number]
        for attack in self.attackers[number]:
            won = known[attack]
            if won == TRUE:
                return FALSE
            if won == UNKNOWN:
                verdict = UNKNOWN
            if attack != aim and power[attack] != own:  # as in `may_cut`
                reaches = paths[attack]
                if reaches == UNKNOWN:
                    reaches = self.path_verdict(attack)
                if reaches == TRUE:
                    return FALSE
                if reaches == UNKNOWN:
                    verdict = UNKNOWN
        return verdict

    def _convoy(self, number: int) -> int:
        if number in self.winners:
            return FALSE
        known = self.verdicts
        for attack in self.attackers[number]:
            if known[attack] == UNKNOWN:
                return UNKNOWN
        return TRUE

    def may_cut(self, attack: int, support: int) -> bool:
        """Whether an attack that arrives cuts that support: a foreign one, not from the place the support is
        aimed at (CMB-02, CMB-03, DATC 4.A.4)."""
        power = self.orders.power
        return attack != self.orders.expected_goal[support] and power[attack] != power[support]

    def dislodged_units(self) -> list[int]:
        """The units that are dislodged, once all is known: a winner comes in and they have not left."""
        goal, known = self.orders.goal, self.verdicts
        return [
            place
            for place in self.winners
            if place < len(goal) and (goal[place] == place or known[place] != TRUE)
        ]

    # Bounds
    # ----------------------------------------------------------------------------------------------------------

    def path_verdict(self, number: int) -> int:
        """Whether a move can get to its goal at all: over land always, over water by a whole chain of
        convoys."""
        found = self.path_verdicts[number]
        if found != UNKNOWN:
            return found
        route, known = self.orders.routes[number], self.verdicts
        sure = possible = 0
        for fleet in route.links:
            verdict = known[fleet]
            if verdict == TRUE:
                sure |= 1 << fleet
            elif verdict == UNKNOWN:
                possible |= 1 << fleet
        if route.joins(sure):
            found = TRUE
        elif not possible or not route.joins(sure | possible):
            found = FALSE
        self.path_verdicts[number] = found
        return found

    def attack_strength(self, number: int) -> Bounds:
        """Strength of a move against its goal. Units of the defender's power do not count against it
        (CMB-04)."""
        path = self.path_verdicts[number]
        if path != TRUE:
            path = self.path_verdict(number)
            if path == FALSE:
                return _NONE
        low, high = self.min_strength[number], self.max_strength[number]
        goals = self.orders.goal
        goal = goals[number]
        if goal < len(goals):
            leaves = (
                FALSE if goals[goal] == goal or self.head_to_head[number] != NOBODY else self.verdicts[goal]
            )
            if leaves != TRUE:
                against = self._own(number, goal)
                low -= against[0]
                if leaves == FALSE:
                    high -= against[1]
        return (low if path == TRUE else 0), high

    def _own(self, number: int, defender: int) -> Bounds:
        """How much of a move's strength is of the defender's own power."""
        power = self.orders.power
        own = power[defender]
        if power[number] == own:
            return self.min_strength[number], self.max_strength[number]
        low = high = 0
        if self.max_strength[number] > 1:
            for backer in self.supporters[number]:
                if power[backer] == own:
                    known = self.verdicts[backer]
                    if known:
                        high += 1
                        low += known == TRUE
        return low, high

    def opposing_strength(self, number: int) -> Bounds:
        """What stands against a move at its goal: the opponent of a head-to-head fight with all its supports,
        else the unit that holds there; nothing where nobody stands, or its unit gets away."""
        puzzle = self.orders
        goal = puzzle.goal[number]
        if goal >= len(puzzle.goal):
            return _NONE
        if self.head_to_head[number] != NOBODY:
            return self.min_strength[goal], self.max_strength[goal]
        alone = puzzle.base_defence[goal]
        if puzzle.goal[goal] == goal:
            return self.min_strength[goal] - 1 + alone, self.max_strength[goal] - 1 + alone
        leaves = self.verdicts[goal]
        return (alone if leaves == FALSE else 0), (0 if leaves == TRUE else alone)

    def prevent_strength(self, number: int) -> Bounds:
        """Strength with which a move keeps others out of its goal; none once it lost a head-to-head fight
        (DATC 4.A.7)."""
        path = self.path_verdicts[number]
        if path == UNKNOWN:
            path = self.path_verdict(number)
        if path == FALSE:
            return _NONE
        opponent = self.head_to_head[number]
        beaten = FALSE if opponent == NOBODY else self.verdicts[opponent]
        if beaten == TRUE:
            return _NONE
        return (self.min_strength[number] if path == TRUE and beaten == FALSE else 0), self.max_strength[
            number
        ]

    # Dependencies
    # ----------------------------------------------------------------------------------------------------

    def depends_on(self, number: int) -> set[int]:
        """The open orders that could still change the decision on an open order."""
        puzzle = self.orders
        if puzzle.goal[number] != number:
            found = self._move_depends_on(number)
        else:
            found = set()
            for attack in self.attackers.get(number, _NOBODIES):
                if number not in puzzle.convoys and self.may_cut(attack, number):
                    found.update(self._fleets(attack))
                else:
                    found.add(attack)
        known = self.verdicts
        return {other for other in found if known[other] == UNKNOWN}

    def _move_depends_on(self, number: int) -> set[int]:
        goals, backers = self.orders.goal, self.supporters
        goal = goals[number]
        found = {*backers.get(number, _NOBODIES), *self._fleets(number)}
        if goal < len(goals):
            if goals[goal] != goal and self.head_to_head[number] == NOBODY:
                found.add(goal)
            else:
                found.update(backers.get(goal, _NOBODIES))
        low = self.attack_strength(number)[0]
        for rival in self.attackers[goal]:
            if rival != number and self.prevent_strength(rival)[1] >= low:
                found.update(backers.get(rival, _NOBODIES))
                found.update(self._fleets(rival))
                if self.head_to_head[rival] != NOBODY:
                    found.add(self.head_to_head[rival])
        return found

    def _fleets(self, number: int) -> Mapping[int, int]:
        return self.orders.routes[number].links if self.path_verdicts[number] == UNKNOWN else {}
