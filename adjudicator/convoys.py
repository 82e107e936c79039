"""Routes across fleets: which there could be, which fleets they need, and the one a solver is asked about."""

from __future__ import annotations

from collections.abc import Mapping

from adjudicator.chart import Chart
from adjudicator.strength import Route

_PATIENCE = 5_000
"""Steps to look for a fleet's place on a route without shortcuts. The question is a hard one in general; beyond this many
steps the sea is so full of fleets that the answer yes does no harm."""


class Sea:
    """The fleets that could carry, as they stand before anybody moves. `carriers` are their sea provinces."""

    __slots__ = ("_group", "_known", "carriers", "waters")

    def __init__(self, chart: Chart, carriers: frozenset[str]) -> None:
        self.carriers = carriers
        self.waters = chart.waters
        self._group: dict[str, frozenset[str]] = {}
        self._known: dict[tuple[str, str], bool] = {}

    def joins(self, start: str, goal: str, without: str | None = None) -> bool:
        """Whether fleets now stand on some whole route, whatever they are ordered; `without` names one left out."""
        carriers = self.carriers
        if without in carriers:
            first, last = self.waters[start] & carriers, self.waters[goal] & carriers
            return start != goal and self._walk(first - {without}, last - {without}, carriers - {without})
        found = self._known.get((start, goal))
        if found is None:
            found = self._known[start, goal] = start != goal and self._joined(start, goal)
        return found

    def _joined(self, start: str, goal: str) -> bool:
        last = self.waters[goal] & self.carriers
        if not last:
            return False
        first = self.waters[start] & self.carriers
        return not first.isdisjoint(last) or any(not last.isdisjoint(self.group(sea)) for sea in first)

    def group(self, fleet: str) -> frozenset[str]:
        """The fleets that one is joined with by other fleets, itself among them."""
        found = self._group.get(fleet)
        if found is None:
            found = self._spread(frozenset({fleet}), self.carriers)
            self._group.update(dict.fromkeys(found, found))
        return found

    def useful(self, fleet: str, start: str, goal: str) -> bool:
        """Whether a fleet stands on some route that has no shortcut (DATC 6.F.12, 6.G.19)."""
        waters, carriers = self.waters, self.carriers
        first, last = waters[start] & carriers, waters[goal] & carriers
        if fleet not in carriers or start == goal:
            return False
        if fleet in first or fleet in last:
            near, far = (first, last) if fleet in first else (last, first)
            return fleet in far or self._walk(frozenset({fleet}), far - near, carriers - (near - {fleet}))
        group = self.group(fleet)
        return not (first.isdisjoint(group) or last.isdisjoint(group)) and self._through(fleet, first, last)

    def _through(self, fleet: str, first: frozenset[str], last: frozenset[str]) -> bool:
        """Whether a route without shortcuts passes through a fleet that touches neither end of it."""
        waters, patience = self.waters, _PATIENCE
        inner = self.carriers - first - last
        # Each entry: where the route has got to, whether it has passed the fleet, and where it may still go.
        work = [(sea, False, (inner | last) - first) for sea in first - last]
        while work and patience:
            patience -= 1
            sea, passed, allowed = work.pop()
            following = waters[sea] & allowed
            if passed and not following.isdisjoint(last):
                return True
            # A later step beside this one would be a shortcut, so all that touch it are closed except the one taken.
            rest = allowed - following
            if not (following & last):
                work += [(other, passed or other == fleet, rest) for other in following
                         if passed or other == fleet or fleet in rest]
        return patience == 0

    def _walk(self, start: frozenset[str], goal: frozenset[str], allowed: frozenset[str]) -> bool:
        return not goal.isdisjoint(self._spread(start, allowed))

    def _spread(self, start: frozenset[str], allowed: frozenset[str]) -> frozenset[str]:
        waters = self.waters
        seen = set(start)
        waiting = list(start)
        while waiting:
            fresh = (waters[waiting.pop()] & allowed) - seen
            seen |= fresh
            waiting += fresh
        return frozenset(seen)


def route(waters: Mapping[str, frozenset[str]], start: str, goal: str, convoys: Mapping[str, int]) -> Route:
    """The route question for a solver: `convoys` are sea provinces of fleets ordered to carry, with their numbers."""
    near_start, near_goal = waters[start], waters[goal]
    if len(convoys) == 1:
        ((sea, number),) = convoys.items()
        return Route(
            frozenset((number,) if sea in near_start else ()), frozenset((number,) if sea in near_goal else ()),
            {number: frozenset()})
    return Route(
        first=frozenset([n for sea, n in convoys.items() if sea in near_start]),
        last=frozenset([n for sea, n in convoys.items() if sea in near_goal]),
        links={n: frozenset([convoys[o] for o in waters[sea] if o in convoys]) for sea, n in convoys.items()},
    )
