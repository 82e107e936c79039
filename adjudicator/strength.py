"""Strengths as lower and upper bounds, and the three decisions that rest on them. Source: DATC chapter 5.B.

Everything is a number. Units have the numbers 0 and up, and a unit's order has the unit's number. Places are
numbered too: unit n is in place n, and the empty places that a power needs to enter come after those. So
`goal[n] == n` states that unit n stays, and a place below the count of units is an occupied one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

FALSE: Final = 0
TRUE: Final = 1
UNKNOWN: Final = -1
NOBODY: Final = -1

Bounds = tuple[int, int]
"""The least and the most that a strength can still be."""
_NONE = (0, 0)
_NOBODIES: list[int] = []


@dataclass(frozen=True, slots=True)
class Route:
    """The fleets ordered to convoy one army.

    A set of orders is a whole number with bit n for order n. `first` are the fleets that touch the army's
    start, `last` those that touch its goal; `links` has every fleet, with the fleets that touch it.
    """

    first: int
    last: int
    links: dict[int, int]

    def joins(self, usable: int = -1) -> bool:
        """True if some chain of usable fleets (by default all) joins start and goal. One chain is enough
        (DATC 4.A.1)."""
        visited = waiting = self.first & usable
        goal = self.last & usable
        if not goal:
            return False
        while waiting and not visited & goal:
            fleet = waiting & -waiting  # the lowest bit
            fresh = self.links[fleet.bit_length() - 1] & usable & ~visited
            visited |= fresh
            waiting = waiting ^ fleet | fresh
        return visited & goal != 0


@dataclass(slots=True)
class MovementOrders:
    """The legal orders of one movement phase: `moves`, `supports` and `convoys` by number. All others hold.

    `goal[n]` is the place where unit n needs to end, its own unless it moves. `partner[n]` is the unit that a
    support or convoy helps, `expected_goal[n]` the place that the help is for: a support counts only if that
    is the goal of its partner, and an attack from there does not cut it. `base_defence[n]` is the strength of
    a unit that stays without support. `routes[n]` belongs to a move by convoy.
    """

    moves: list[int]
    supports: list[int]
    convoys: list[int]
    power: list[str]
    goal: list[int]
    partner: list[int]
    expected_goal: list[int]
    base_defence: list[int]
    routes: dict[int, Route] = field(default_factory=dict)


class PartialResolution:
    """What is decided so far, and the bounds that follow from it.

    `verdicts[n]` is TRUE, FALSE or UNKNOWN: a move succeeds, a support is given, a convoy is not disrupted.
    `path_verdicts[n]` states the same of a move's way to its goal. `min_strength[n]` and `max_strength[n]`
    are 1, and 1 more for each support of n that is surely, or possibly, given. `supporters[n]` are the
    supports of n, `attackers[place]` the moves that go there, `head_to_head[n]` the unit that moves the other
    way, or NOBODY. `winners[place]` is the move known to succeed into a place. `undecided` are the orders
    still to decide; `paradox_convoys` and `unresolved` were decided by rule (see `adjudicator.solver`). """

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

    def __init__(self, orders: MovementOrders) -> None:
        count = len(orders.goal)
        self.orders = orders
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
        # In this order: supports count towards moves, and plain moves are compared by those counts.
        self._enter_moves(count)
        self._enter_helpers()
        self._decide_plain_moves(count)

    # The loops below run for every order of a phase, so attributes are read once, into locals.

    def _enter_moves(self, count: int) -> None:
        goal, attackers, head_to_head = self.orders.goal, self.attackers, self.head_to_head
        for number in self.orders.moves:
            self.verdicts[number] = UNKNOWN
            to = goal[number]
            if to in attackers:
                attackers[to].append(number)
            else:
                attackers[to] = [number]
            if to < count and goal[to] == number:
                head_to_head[number] = to
        for number in self.orders.routes:
            self.path_verdicts[number] = UNKNOWN
            # Units that swap places meet head to head only if both go over land (DATC 6.G.1).
            other = head_to_head[number]
            if other != NOBODY:
                head_to_head[number] = head_to_head[other] = NOBODY

    def _enter_helpers(self) -> None:
        """Supports and convoys that no unit attacks are decided at once."""
        orders, verdicts, attackers, supporters = self.orders, self.verdicts, self.attackers, self.supporters
        goal, partner, expected_goal = orders.goal, orders.partner, orders.expected_goal
        for number in orders.convoys:
            if number in attackers:
                verdicts[number] = UNKNOWN
                self.undecided.append(number)
        for number in orders.supports:
            helped = partner[number]
            is_matched = goal[helped] == expected_goal[number]
            if is_matched:
                self.max_strength[helped] += 1
                if helped in supporters:
                    supporters[helped].append(number)
                else:
                    supporters[helped] = [number]
            if number in attackers:
                verdicts[number] = UNKNOWN
                self.undecided.append(number)
            elif is_matched:
                self.min_strength[helped] += 1

    def _decide_plain_moves(self, count: int) -> None:
        """Decide what needs no sums: a move without support that meets no unit succeeds; one that meets a
        unit which stays or comes the other way, or another move that surely arrives, fails."""
        goal, verdicts, max_strength = self.orders.goal, self.verdicts, self.max_strength
        paths, head_to_head, base_defence = self.path_verdicts, self.head_to_head, self.orders.base_defence
        undecided = self.undecided
        for number in self.orders.routes:
            self.path_verdict(number)
        for place, moves in self.attackers.items():
            is_held = place < count and goal[place] == place and base_defence[place]
            if len(moves) == 1:
                number = moves[0]
                if max_strength[number] == 1 and (is_held or head_to_head[number] != NOBODY):
                    verdicts[number] = FALSE
                elif place >= count and paths[number] == TRUE:
                    verdicts[number] = TRUE
                    self.winners[place] = number
                else:
                    undecided.append(number)
            else:
                arriving = [n for n in moves if paths[n] == TRUE and head_to_head[n] == NOBODY]
                for number in moves:
                    if max_strength[number] == 1 and (
                        is_held or len(arriving) > (number in arriving) or head_to_head[number] != NOBODY
                    ):
                        verdicts[number] = FALSE
                    else:
                        undecided.append(number)

    def settle(self, number: int, verdict: int) -> None:
        """Decide an undecided order for good."""
        orders = self.orders
        goal = orders.goal
        self.verdicts[number] = verdict
        if goal[number] != number:
            if verdict == TRUE:
                self.winners[goal[number]] = number
        elif number not in orders.convoys:
            helped = orders.partner[number]
            if goal[helped] == orders.expected_goal[number]:
                if verdict == TRUE:
                    self.min_strength[helped] += 1
                else:
                    self.max_strength[helped] -= 1

    # Decisions

    def decide(self, number: int) -> int:
        """TRUE, FALSE or UNKNOWN for an undecided order, from what is known."""
        if self.orders.goal[number] != number:
            return self._decide_move(number)
        return self._decide_convoy(number) if number in self.orders.convoys else self._decide_support(number)

    def _decide_move(self, number: int) -> int:
        orders = self.orders
        goal = orders.goal[number]
        rivals = self.attackers[goal]
        if (
            self.max_strength[number] == 1
            and goal < len(orders.goal)
            and orders.base_defence[goal]
            and self.head_to_head[number] == NOBODY
        ):
            if orders.goal[goal] == goal:
                return FALSE
            if len(rivals) == 1 and self.path_verdicts[number] == TRUE:
                # Without support or rival, it succeeds if the unit there leaves, and only then.
                return self.verdicts[goal]
        least, most = self.attack_strength(number)
        least_against, most_against = self.opposing_strength(number)
        # Equal strengths bounce (CMB-01): a move needs more than what is against it.
        if most <= least_against:
            return FALSE
        for rival in rivals:
            if rival != number:
                least_prevented, most_prevented = self.prevent_strength(rival)
                # A rival that does not get in keeps others out all the same (DATC 6.A.11).
                if most <= least_prevented:
                    return FALSE
                most_against = max(most_against, most_prevented)
        return TRUE if least > most_against else UNKNOWN

    def _decide_support(self, number: int) -> int:
        verdict = TRUE
        paths, verdicts, power = self.path_verdicts, self.verdicts, self.orders.power
        own_power, expected_goal = power[number], self.orders.expected_goal[number]
        for attack in self.attackers[number]:
            success = verdicts[attack]
            # Being dislodged cuts a support also where the attack comes from its target (DATC 6.D.17).
            if success == TRUE:  # the supporter is dislodged
                return FALSE
            if success == UNKNOWN:
                verdict = UNKNOWN
            if attack != expected_goal and power[attack] != own_power:  # as in `may_cut`
                arrives = paths[attack]
                if arrives == UNKNOWN:
                    arrives = self.path_verdict(attack)
                if arrives == TRUE:
                    return FALSE
                if arrives == UNKNOWN:
                    verdict = UNKNOWN
        return verdict

    def _decide_convoy(self, number: int) -> int:
        """A convoy stands unless its fleet is dislodged; an attack alone does not disrupt it (DATC 6.F.4)."""
        # Only a winner in its place dislodges it. An attack by the fleet owner's own unit never does, so it
        # makes no paradox (trap T4 of tests/data/datc/engine_traps.json).
        if number in self.winners:
            return FALSE
        verdicts = self.verdicts
        for attack in self.attackers[number]:
            if verdicts[attack] == UNKNOWN:
                return UNKNOWN
        return TRUE

    def may_cut(self, attack: int, support: int) -> bool:
        """True if an attack that arrives cuts that support: it is foreign, and does not come from the place
        that the support is aimed at (CMB-02, CMB-03, DATC 4.A.4)."""
        power = self.orders.power
        # DATC 6.D.15 and 6.D.20. A fleet in a coastal province is not an exception: pydip cuts there (trap T5
        # of tests/data/datc/engine_traps.json).
        return attack != self.orders.expected_goal[support] and power[attack] != power[support]

    def dislodged_units(self) -> list[int]:
        """The units whose place another power won and that did not leave. All must be decided."""
        goal, verdicts = self.orders.goal, self.verdicts
        return [
            place
            for place in self.winners
            if place < len(goal) and (goal[place] == place or verdicts[place] != TRUE)
        ]

    # Bounds

    def path_verdict(self, number: int) -> int:
        """Whether a move can get to its goal at all: always over land, by sea with a whole chain of
        fleets."""
        # Only FALSE and TRUE are final here; UNKNOWN is asked for again as fleets are decided.
        verdict = self.path_verdicts[number]
        if verdict != UNKNOWN:
            return verdict
        route, verdicts = self.orders.routes[number], self.verdicts
        certain = possible = 0
        for fleet in route.links:
            if verdicts[fleet] == TRUE:
                certain |= 1 << fleet
            elif verdicts[fleet] == UNKNOWN:
                possible |= 1 << fleet
        # One whole chain is enough: a second one that is broken does no harm (DATC 6.F.9).
        if route.joins(certain):
            verdict = TRUE
        elif not possible or not route.joins(certain | possible):
            verdict = FALSE
        self.path_verdicts[number] = verdict
        return verdict

    def attack_strength(self, number: int) -> Bounds:
        """Strength of a move against its goal. Units of the defender's power do not count against it
        (CMB-04)."""
        path = self.path_verdicts[number]
        if path != TRUE:
            path = self.path_verdict(number)
            if path == FALSE:
                return _NONE
        least, most = self.min_strength[number], self.max_strength[number]
        goals = self.orders.goal
        goal = goals[number]
        if goal < len(goals):
            is_met = goals[goal] == goal or self.head_to_head[number] != NOBODY
            leaves = FALSE if is_met else self.verdicts[goal]
            if leaves != TRUE:
                against = self._strength_of_power(number, self.orders.power[goal])
                # A power's help never dislodges its own unit (DATC 6.D.12), and while that unit may still
                # leave, its help may still count (6.D.13).
                least -= against[0]
                if leaves == FALSE:
                    most -= against[1]
        return (least if path == TRUE else 0), most

    def _strength_of_power(self, number: int, defender: str) -> Bounds:
        """How much of a move's strength comes from units of one power."""
        power = self.orders.power
        if power[number] == defender:
            return self.min_strength[number], self.max_strength[number]
        least = most = 0
        if self.max_strength[number] > 1:
            for supporter in self.supporters[number]:
                if power[supporter] == defender:
                    verdict = self.verdicts[supporter]
                    if verdict != FALSE:
                        most += 1
                        least += verdict == TRUE
        return least, most

    def opposing_strength(self, number: int) -> Bounds:
        """The strength against a move at its goal: of a head-to-head opponent with all its supports, else of
        the unit that holds there. None where no unit is, or where the unit gets away."""
        orders = self.orders
        goal = orders.goal[number]
        if goal >= len(orders.goal):
            return _NONE
        if self.head_to_head[number] != NOBODY:
            # With all supports, also those of the attacker's power: godip leaves these out (trap T3 of
            # tests/data/datc/engine_traps.json).
            return self.min_strength[goal], self.max_strength[goal]
        base = orders.base_defence[goal]
        if orders.goal[goal] == goal:
            return self.min_strength[goal] - 1 + base, self.max_strength[goal] - 1 + base
        leaves = self.verdicts[goal]
        return (base if leaves == FALSE else 0), (0 if leaves == TRUE else base)

    def prevent_strength(self, number: int) -> Bounds:
        """Strength with which a move keeps others out of its goal; none once it lost a head-to-head fight
        (DATC 4.A.7)."""
        path = self.path_verdicts[number]
        if path == UNKNOWN:
            path = self.path_verdict(number)
        if path == FALSE:
            return _NONE
        opponent = self.head_to_head[number]
        # The loser of a head-to-head fight does not defend the winner's old place (DATC 6.E.1).
        lost = FALSE if opponent == NOBODY else self.verdicts[opponent]
        if lost == TRUE:
            return _NONE
        # With all supports: help that cannot dislodge its own power's unit still keeps others out (DATC
        # 6.E.12).
        return (self.min_strength[number] if path == TRUE and lost == FALSE else 0), self.max_strength[number]

    # Dependencies

    def depends_on(self, number: int) -> set[int]:
        """The undecided orders that could still change the decision on an undecided order."""
        orders = self.orders
        if orders.goal[number] != number:
            related = self._move_depends_on(number)
        else:
            related = set()
            for attack in self.attackers.get(number, _NOBODIES):
                if number not in orders.convoys and self.may_cut(attack, number):
                    # The attack cuts as soon as it arrives, so only its convoy matters.
                    related.update(self._fleets(attack))
                else:
                    related.add(attack)
        verdicts = self.verdicts
        return {other for other in related if verdicts[other] == UNKNOWN}

    def _move_depends_on(self, number: int) -> set[int]:
        goals, supporters = self.orders.goal, self.supporters
        goal = goals[number]
        related = {*supporters.get(number, _NOBODIES), *self._fleets(number)}
        if goal < len(goals):
            if goals[goal] != goal and self.head_to_head[number] == NOBODY:
                related.add(goal)
            else:
                related.update(supporters.get(goal, _NOBODIES))
        least = self.attack_strength(number)[0]
        for rival in self.attackers[goal]:
            # A rival that can never be as strong as this move is now does not matter.
            if rival != number and self.prevent_strength(rival)[1] >= least:
                related.update(supporters.get(rival, _NOBODIES))
                related.update(self._fleets(rival))
                if self.head_to_head[rival] != NOBODY:
                    related.add(self.head_to_head[rival])
        return related

    def _fleets(self, number: int) -> Mapping[int, int]:
        """The fleets that a move still waits for."""
        return self.orders.routes[number].links if self.path_verdicts[number] == UNKNOWN else {}
