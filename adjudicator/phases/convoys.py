"""Routes across fleets: which there could be, which fleets they need, and the one a solver is asked about.

A set of sea provinces is a whole number here, with one bit for each sea (`ReachTables.bit`): the seas that
two sets share are one `&`. A full board asks these questions some thousand times a turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from adjudicator.reach_tables import ReachTables
from adjudicator.strength import Route

_PATIENCE = 5_000
"""Steps to look for a fleet's place on a route without shortcuts. That question is hard in general (an
induced path through a given vertex). A sea with a fleet in every other province needs 31 at most; the 73
seas of `w3k` all full may need 30,000. Where patience ends the answer is yes, which breaks no route."""


class Sea:
    """The fleets that could convoy, where they are before anybody moves. `carriers` are their sea
    provinces."""

    __slots__ = ("_beside", "_bit", "_joined", "_touched", "carriers")

    def __init__(self, tables: ReachTables, carriers: Iterable[str]) -> None:
        self._bit = bit = tables.bit
        self._touched = tables.touched
        self._beside = tables.beside
        self._joined: dict[tuple[int, int, int], bool] = {}
        self.carriers = 0
        for province in carriers:
            self.carriers |= bit[province]

    def carries(self, province: str) -> bool:
        """True if a fleet that could convoy is in the province."""
        return self._bit.get(province, 0) & self.carriers != 0

    def joins(self, start: str, goal: str, without: str | None = None) -> bool:
        """True if fleets are on some whole route, whatever they are ordered; `without` leaves
        one fleet out."""
        carriers = self.carriers
        if without is not None:
            carriers &= ~self._bit.get(without, 0)
        first, last = self._touched[start] & carriers, self._touched[goal] & carriers
        # A convoy from a province to itself is no move (DATC 6.A.5).
        if not (first and last) or start == goal:
            return False
        if first & last:
            return True
        joined = self._joined.get((first, last, carriers))
        if joined is None:
            joined = self._joined[first, last, carriers] = self._leads(first, last, carriers)
        return joined

    def useful(self, fleet: str, start: str, goal: str) -> bool:
        """True if a fleet is on some route that has no shortcut (DATC 6.F.12, 6.G.19).

        Fleets that join start and goal hold such a route, whoever is beside it. So an order that is of no use
        can be left out, and no whole chain is broken. The answer is the same for the way back.
        """
        carriers = self.carriers
        own_sea = self._bit.get(fleet, 0) & carriers
        first, last = self._touched[start] & carriers, self._touched[goal] & carriers
        if not own_sea or start == goal:
            return False
        if own_sea & first & last:
            return True
        if own_sea & (first | last):
            # It touches one end: the rest of the way must not touch that end again, or the fleet could be
            # left out.
            near, far = (first, last) if own_sea & first else (last, first)
            return self._leads(own_sea, far & ~near, carriers & ~near)
        # Sorted, so that the way back asks the same question.
        end, other_end = sorted((first, last))
        return (
            self._leads(own_sea, end, carriers) and self._leads(own_sea, other_end, carriers)
            and self._through(own_sea, end, other_end))

    def route(self, start: str, goal: str, convoys: dict[int, str]) -> Route:
        """The route question for a solver; `convoys` are the fleets ordered to carry, by number, with their
        seas."""
        bit, touched = self._bit, self._touched
        near_start, near_goal = touched[start], touched[goal]
        first = last = 0
        for fleet, sea in convoys.items():
            if bit[sea] & near_start:
                first |= 1 << fleet
            if bit[sea] & near_goal:
                last |= 1 << fleet
        links = {}
        for fleet, sea in convoys.items():
            beside = touched[sea]
            links[fleet] = 0
            for other, other_sea in convoys.items():
                if bit[other_sea] & beside:
                    links[fleet] |= 1 << other
        return Route(first, last, links)

    def _through(self, fleet: int, end: int, other_end: int) -> bool:
        """True if a route without shortcuts passes through a fleet that touches neither end of it.

        Two arms grow from the fleet, each to an end. No sea of one is beside a sea of the other, and only the
        last sea of each touches its end. Every first arm is tried; any way that it leaves open will do for
        the second, since the shortest of them has no shortcut.
        """
        beside, patience = self._beside, _PATIENCE
        near = beside[fleet.bit_length()]
        # Each entry: the sea that the first arm has come to, the seas open to the rest of it, and those open
        # to the second arm.
        work = [(fleet, self.carriers & ~other_end & ~fleet, self.carriers & ~end & ~fleet)]
        while work and patience:
            patience -= 1
            sea, open_seas, for_second = work.pop()
            following = beside[sea.bit_length()] & open_seas
            # A later step next to this sea would be a shortcut, so its neighbours are closed, all but the one
            # taken now.
            rest = open_seas & ~following
            for step in _each(following):
                second = for_second & ~(step | beside[step.bit_length()])
                if not self._leads(near & second, other_end, second):
                    continue
                if step & end:
                    return True
                if self._leads(step, end, rest):
                    work.append((step, rest, second))
        return patience == 0

    def _leads(self, start: int, goal: int, allowed: int) -> bool:
        """True if steps between allowed seas lead from one set of seas to another."""
        beside = self._beside
        visited = waiting = start
        while waiting and not visited & goal:
            sea = waiting & -waiting  # the lowest bit
            fresh = beside[sea.bit_length()] & allowed & ~visited
            visited |= fresh
            waiting = waiting ^ sea | fresh
        return visited & goal != 0


def _each(seas: int) -> Iterator[int]:
    """The members of a set, each as a set of one."""
    while seas:
        sea = seas & -seas
        seas ^= sea
        yield sea
