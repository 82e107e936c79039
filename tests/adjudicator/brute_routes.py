"""Which fleets a convoy can use, by trying every simple way over the seas (JUD-01, JUD-02). Shares nothing
with the judge: no table, no search, no bound."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from adjudicator.geo import SEA, Board
from adjudicator.orders import Convoy, Move, Order, UnitOrder
from adjudicator.units import Unit
from tests.adjudicator.naive_legality import NOTHING, NaiveLegality

Way = tuple[str, ...]


def simple_ways(board: Board, fleets: frozenset[str], start: str, goal: str) -> Iterator[Way]:
    """Every chain of fleets from one shore to another that uses no fleet twice and ends at the first fleet
    that touches the goal: what comes after it could be spared."""
    at_goal = board.near(goal, SEA)

    def further(way: Way) -> Iterator[Way]:
        if way[-1] in at_goal:
            yield way
            return
        for fleet in sorted(board.near(way[-1], SEA) & fleets):
            if fleet not in way:
                yield from further((*way, fleet))

    for first in sorted(board.near(start, SEA) & fleets):
        yield from further((first,))


class BruteLegality(NaiveLegality):
    """As `NaiveLegality`, for many fleets. `stands_uncarried`: a move overseas that no whole chain of fleets
    was ordered to carry is not a move (BRE-17)."""

    def __init__(
        self, board: Board, waters: list[frozenset[str]], units: Sequence[Unit], *, overseas_by_map: bool,
        stands_uncarried: bool, centres: Mapping[str, frozenset[str]] = NOTHING,
    ) -> None:
        super().__init__(board, waters, units, overseas_by_map=overseas_by_map, centres=centres)
        self._stands_uncarried = stands_uncarried
        self._routes_of: dict[tuple[str, str], list[frozenset[str]]] = {}

    def legal(self, orders: Sequence[Order]) -> list[UnitOrder]:
        legal = super().legal(orders)
        return [order for order in legal if not self._is_uncarried(order, legal)]

    def _routes(self, start: str, goal: str) -> list[frozenset[str]]:
        """The ways of which no fleet could be spared: none holds another way."""
        key = start, goal
        if key not in self._routes_of:
            ways = {frozenset(way) for way in simple_ways(self.board, frozenset(self.fleets), start, goal)}
            least: list[frozenset[str]] = []
            for way in sorted(ways, key=len):
                if not any(other <= way for other in least):
                    least.append(way)
            self._routes_of[key] = least
        return self._routes_of[key]

    def _is_uncarried(self, order: UnitOrder, legal: Sequence[UnitOrder]) -> bool:
        if not self._stands_uncarried or not isinstance(order, Move):
            return False
        place, goal = order.unit.region.province, order.to.province
        unit = self.unit[place]
        carrying = {
            o.unit.region.province: self.unit[o.unit.region.province].power for o in legal
            if isinstance(o, Convoy) and (o.target.region.province, o.to.province) == (place, goal)
        }
        by_land = goal in {region.province for region in self.reach(place)}
        if unit.kind != "A" or (by_land and not order.via_convoy and unit.power not in carrying.values()):
            return False
        return not any(route <= set(carrying) for route in self._routes(place, goal))


def turned(orders: Sequence[UnitOrder], start: str, goal: str) -> list[UnitOrder]:
    """The convoys of one route the other way round; all other orders as they are."""
    back = []
    for order in orders:
        if isinstance(order, Convoy) and (order.target.region.province, order.to.province) == (start, goal):
            target = replace(order.target, region=replace(order.to, coast=None))
            order = replace(order, target=target, to=order.target.region)  # noqa: PLW2901
        back.append(order)
    return back
