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
induced path through a given vertex). Of 12,500 random questions on `w3k` with 36 to all 73 seas full none
needed more than 121. Where patience ends the answer is yes, which breaks no route."""


class Sea:
    """The fleets that could convoy, where they are before anybody moves. `carriers` are their sea
    provinces."""

    __slots__ = ("_bit", "_joined", "_touched", "beside", "carriers")

    def __init__(self, tables: ReachTables, carriers: Iterable[str]) -> None:
        self._bit = bit = tables.bit
        self._touched = tables.touched
        self.beside = tables.beside
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
        # A convoy from a province to itself is not a move (DATC 6.A.5).
        if not (first and last) or start == goal:
            return False
        if first & last:
            return True
        joined = self._joined.get((first, last, carriers))
        if joined is None:
            joined = self._joined[first, last, carriers] = self.leads(first, last, carriers)
        return joined

    def useful(self, fleet: str, start: str, goal: str) -> bool:
        """True if a fleet is on some route that has no shortcut (DATC 6.F.12, 6.G.19).

        Fleets that join start and goal hold such a route, no matter who is next to it. So an order that is of
        no use can be left out, and no whole chain is broken. The answer is the same for the way back. """
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
            return self.leads(own_sea, far & ~near, carriers & ~near)
        # Sorted, so that the way back is the same question.
        end, other_end = sorted((first, last))
        return (
            self.leads(own_sea, end, carriers) and self.leads(own_sea, other_end, carriers)
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

        Two arms join the fleet to the ends. No sea of one touches a sea of the other, and only the last sea
        of each touches its end. Three searches take turns: from the fleet, and from each end. Most fleets
        are ruled out close to one of these places, and the search that begins there needs a few steps.
        """
        searches: list[_FromFleet | _FromEnd] = [
            _FromFleet(self, fleet, end, other_end),
            _FromEnd(self, fleet, end, other_end),
            _FromEnd(self, fleet, other_end, end),
        ]
        for _ in range(_PATIENCE // len(searches)):
            for search in searches:
                is_useful = search.advance()
                if is_useful is not None:
                    return is_useful
        return True

    def leads(self, start: int, goal: int, allowed: int) -> bool:
        """True if steps between allowed seas lead from one set of seas to another."""
        beside = self.beside
        visited = waiting = start
        while waiting and not visited & goal:
            sea = waiting & -waiting  # the lowest bit
            fresh = beside[sea.bit_length()] & allowed & ~visited
            visited |= fresh
            waiting = waiting ^ sea | fresh
        return visited & goal != 0


class _Search:
    """One way to look for the two arms of a route. Each entry of `work`: the sea that one arm has come to,
    the seas open to the rest of it, and those open to the other arm. Any way that one arm leaves open will do
    for the other, since the shortest of them has no shortcut."""

    __slots__ = ("fleet", "near", "other_end", "sea", "work")

    def __init__(self, sea: Sea, fleet: int, other_end: int) -> None:
        self.sea = sea
        self.fleet = fleet
        self.near = sea.beside[fleet.bit_length()]
        self.other_end = other_end
        self.work: list[tuple[int, int, int]] = []


class _FromFleet(_Search):
    """An arm grows from the fleet to `end`. `advance` takes one step: True if both arms are found, False if
    there are none, None to go on."""

    __slots__ = ("end",)

    def __init__(self, sea: Sea, fleet: int, end: int, other_end: int) -> None:
        super().__init__(sea, fleet, other_end)
        self.end = end
        self.work.append((fleet, sea.carriers & ~other_end & ~fleet, sea.carriers & ~end & ~fleet))

    def advance(self) -> bool | None:
        if not self.work:
            return False
        leads, beside = self.sea.leads, self.sea.beside
        head, open_seas, for_other = self.work.pop()
        following = beside[head.bit_length()] & open_seas
        # A later step next to this sea would be a shortcut, so its neighbours are closed, all but the one
        # taken now.
        rest = open_seas & ~following
        for step in _each(following):
            other = for_other & ~(step | beside[step.bit_length()])
            if leads(self.near & other, self.other_end, other):
                if step & self.end:
                    return True
                if leads(step, self.end, rest):
                    self.work.append((step, rest, other))
        return None


class _FromEnd(_Search):
    """An arm grows from `end` to the fleet; `advance` as in `_FromFleet`."""

    __slots__ = ()

    def __init__(self, sea: Sea, fleet: int, end: int, other_end: int) -> None:
        super().__init__(sea, fleet, other_end)
        inner, others = sea.carriers & ~end & ~other_end, sea.carriers & ~end & ~fleet
        for first in _each(end & ~other_end):
            self.work.append((first, inner, others & ~(first | sea.beside[first.bit_length()])))

    def advance(self) -> bool | None:
        if not self.work:
            return False
        leads, beside = self.sea.leads, self.sea.beside
        head, open_seas, for_other = self.work.pop()
        following = beside[head.bit_length()]
        if following & self.fleet:
            # An arm that touches the fleet ends here; going on would leave a shortcut.
            return True if leads(self.near & for_other, self.other_end, for_other) else None
        following &= open_seas
        rest = open_seas & ~following
        for step in _each(following):
            other = for_other & ~(step | beside[step.bit_length()])
            if leads(self.near & other, self.other_end, other) and leads(step, self.fleet, rest):
                self.work.append((step, rest, other))
        return None


def _each(seas: int) -> Iterator[int]:
    """The members of a set, each as a set of one."""
    while seas:
        sea = seas & -seas
        seas ^= sea
        yield sea


def shortest_ways(sea: Sea, tables: ReachTables, place: str) -> dict[str, int]:
    """The fewest fleets that a convoy needs from a place to each sea with a fleet, that sea's own counted."""
    ways: dict[str, int] = {}
    edge = [other for other in tables.waters[place] if sea.carries(other)]
    length = 0
    while edge:
        length += 1
        ways.update(dict.fromkeys(edge, length))
        edge = list({other for reached in edge for other in tables.waters[reached]
                     if other not in ways and sea.carries(other)})
    return ways
