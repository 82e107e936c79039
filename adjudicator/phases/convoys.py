"""Routes across fleets: which there could be, which fleets they need, and the one a solver is asked about.

A set of sea provinces is a whole number here, with one bit for each (`Chart.bit`): what two sets share is one
`&`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from adjudicator.reach_tables import ReachTables
from adjudicator.strength import Route

_PATIENCE = 5_000
"""Steps to look for a fleet's place on a route without shortcuts. The question is a hard one in general;
beyond this many steps the sea is so full of fleets that the answer yes does no harm."""


class Sea:
    """The fleets that could carry, as they stand before anybody moves. `carriers` are their sea provinces."""

    __slots__ = ("_beside", "_bit", "_known", "_touched", "carriers")

    def __init__(self, chart: ReachTables, carriers: Iterable[str]) -> None:
        self._bit = bit = chart.bit
        self._touched = chart.touched
        self._beside = chart.beside
        self._known: dict[tuple[int, int, int], bool] = {}
        self.carriers = 0
        for province in carriers:
            self.carriers |= bit[province]

    def carries(self, province: str) -> bool:
        """Whether a fleet that could carry stands in a province."""
        return self._bit.get(province, 0) & self.carriers != 0

    def joins(self, start: str, goal: str, without: str | None = None) -> bool:
        """Whether fleets now stand on some whole route, whatever they are ordered; `without` names one left
        out."""
        carriers = self.carriers
        if without is not None:
            carriers &= ~self._bit.get(without, 0)
        first, last = self._touched[start] & carriers, self._touched[goal] & carriers
        if not (first and last) or start == goal:
            return False
        if first & last:
            return True
        found = self._known.get((first, last, carriers))
        if found is None:
            found = self._known[first, last, carriers] = self._leads(first, last, carriers)
        return found

    def useful(self, fleet: str, start: str, goal: str) -> bool:
        """Whether a fleet stands on some route that has no shortcut (DATC 6.F.12, 6.G.19)."""
        carriers = self.carriers
        here = self._bit.get(fleet, 0) & carriers
        first, last = self._touched[start] & carriers, self._touched[goal] & carriers
        if not here or start == goal:
            return False
        if here & first & last:
            return True
        if here & (first | last):
            near, far = (first, last) if here & first else (last, first)
            return self._leads(here, far & ~near, carriers & ~near)
        return self._leads(here, first, carriers) and self._leads(here, last, carriers) and self._through(
            here, first, last)

    def route(self, start: str, goal: str, convoys: Mapping[int, str]) -> Route:
        """The route question for a solver: `convoys` are the fleets ordered to carry, by number, with their
        seas."""
        bit, touched = self._bit, self._touched
        near_start, near_goal = touched[start], touched[goal]
        first = last = 0
        for fleet, sea in convoys.items():
            here = bit[sea]
            if here & near_start:
                first |= 1 << fleet
            if here & near_goal:
                last |= 1 << fleet
        if len(convoys) == 1:
            return Route(first, last, dict.fromkeys(convoys, 0))
        return Route(first, last, {
            fleet: sum([1 << other for other, place in convoys.items() if bit[place] & touched[sea]])
            for fleet, sea in convoys.items()
        })

    def _through(self, fleet: int, first: int, last: int) -> bool:
        """Whether a route without shortcuts passes through a fleet that touches neither end of it."""
        beside, patience = self._beside, _PATIENCE
        # Each entry: where the route has got to, whether it has passed the fleet, and where it may still go.
        work = [(sea, False, self.carriers & ~first) for sea in _each(first & ~last)]
        while work and patience:
            patience -= 1
            sea, passed, allowed = work.pop()
            following = beside[sea.bit_length()] & allowed
            if passed and following & last:
                return True
            # A later step beside this one would be a shortcut, so all that touch it are closed except the one
            # taken.
            rest = allowed & ~following
            if not following & last:
                work += [(other, passed or other == fleet, rest) for other in _each(following)
                         if passed or other == fleet or fleet & rest]
        return patience == 0

    def _leads(self, start: int, goal: int, allowed: int) -> bool:
        """Whether steps between allowed seas lead from one set of them to another."""
        beside = self._beside
        seen = waiting = start
        while waiting and not seen & goal:
            sea = waiting & -waiting
            fresh = beside[sea.bit_length()] & allowed & ~seen
            seen |= fresh
            waiting = waiting ^ sea | fresh
        return seen & goal != 0


def _each(seas: int) -> Iterator[int]:
    """The members of a set, each as a set of one."""
    while seas:
        sea = seas & -seas
        seas ^= sea
        yield sea
