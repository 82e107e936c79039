"""Routes across fleets: which there could be, which fleets they need, and the one a solver is asked about.

A set of sea provinces is a whole number here, with one bit for each sea (`ReachTables.bit`): the seas that
two sets share are one `&`. A full board asks these questions some thousand times a turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from adjudicator.reach_tables import ReachTables
from adjudicator.strength import Route

_PATIENCE = 5_000
"""Steps to look for a fleet's place on a route without shortcuts. That question is hard in general (an
induced path through a given vertex); a sea that needs more steps is so full of fleets that the answer yes
does no harm."""


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
        """True if a fleet is on some route that has no shortcut (DATC 6.F.12, 6.G.19)."""
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
        return (
            self._leads(own_sea, first, carriers) and self._leads(own_sea, last, carriers)
            and self._through(own_sea, first, last))

    def route(self, start: str, goal: str, convoys: Mapping[int, str]) -> Route:
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
        if len(convoys) == 1:
            return Route(first, last, dict.fromkeys(convoys, 0))
        return Route(first, last, {
            fleet: sum([1 << other for other, place in convoys.items() if bit[place] & touched[sea]])
            for fleet, sea in convoys.items()
        })

    def _through(self, fleet: int, first: int, last: int) -> bool:
        """True if a route without shortcuts passes through a fleet that touches neither end of it."""
        beside, patience = self._beside, _PATIENCE
        # Each entry: the sea reached, whether the route has passed the fleet, and where it may still go.
        work = [(sea, False, self.carriers & ~first) for sea in _each(first & ~last)]
        while work and patience:
            patience -= 1
            sea, passed, allowed = work.pop()
            following = beside[sea.bit_length()] & allowed
            if passed and following & last:
                return True
            # A later step next to this sea would be a shortcut, so its neighbours are closed, all but the one
            # taken now.
            rest = allowed & ~following
            if not following & last:
                work += [(other, passed or other == fleet, rest) for other in _each(following)
                         if passed or other == fleet or fleet & rest]
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
