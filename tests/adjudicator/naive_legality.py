"""A deliberately naive second opinion on which orders are legal. Shares nothing with the judge but the board
and the order values; routes are found by trying every set of fleets. Places are province ids.

Rules: tests/data/datc/README.md for the classic board; where `overseas_by_map`, words that name a way
overseas are a move although no fleets are on it (Q-17).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations

from adjudicator.geo import LAND, SEA, Board, Region
from adjudicator.orders import Convert, Convoy, Move, Order, SupportHold, SupportMove, UnitOrder
from adjudicator.units import Unit

CLASS = {"A": LAND, "F": SEA}
NOTHING: Mapping[str, frozenset[str]] = {}


def waters(board: Board) -> list[frozenset[str]]:
    """The seas of a board, those that hang together in one set."""
    seas = {p for p in board.provinces if board.provinces[p].is_sea}
    bodies: list[frozenset[str]] = []
    for sea in sorted(seas):
        water, size = {sea}, 0
        while size < len(water):
            size = len(water)
            water |= {n for p in water for n in board.near(p, SEA) if n in seas}
        if frozenset(water) not in bodies:
            bodies.append(frozenset(water))
    return bodies


class NaiveLegality:
    """The units of one position, and what each of them could be ordered to do. `waters` are those of the
    board, `centres` who owns what (CVT-01)."""

    def __init__(
        self, board: Board, waters: list[frozenset[str]], units: Sequence[Unit], *, overseas_by_map: bool,
        centres: Mapping[str, frozenset[str]] = NOTHING,
    ) -> None:
        self.board = board
        self.centres = centres
        self._waters = waters
        self.unit = {u.region.province: u for u in units}
        self.by_map = overseas_by_map
        self.seas = frozenset(p for p in board.provinces if board.provinces[p].is_sea)
        self.fleets = sorted(p for p, u in self.unit.items() if u.kind == "F" and p in self.seas)

    def legal(self, orders: Sequence[Order]) -> list[UnitOrder]:
        """The orders that are, each move with the coast it ends on. At most one order for each unit goes
        in."""
        legal_orders = []
        for order in orders:
            assert isinstance(order, UnitOrder)
            stands: UnitOrder | None = order
            match order:
                case Move():
                    stands = self._move(order)
                case SupportHold():
                    stands = order if self._may_support_hold(order) else None
                case SupportMove():
                    stands = order if self._may_support_move(order) else None
                case Convoy():
                    stands = order if self._may_convoy(order) else None
                case Convert():
                    stands = order if self._may_convert(order) else None
            if stands is not None:
                legal_orders.append(stands)
        return legal_orders

    def reach(self, place: str) -> frozenset[Region]:
        """The regions one step away from the unit in a place."""
        unit = self.unit[place]
        return self.board.neighbours(unit.region, CLASS[unit.kind])

    def _move(self, order: Move) -> Move | None:
        place, goal = order.unit.region.province, order.to.province
        ends = {r for r in self.reach(place) if r.province == goal}
        if self.unit[place].kind == "F":
            ends = {r for r in ends if r.coast is None or order.to.coast in (None, r.coast)}
            # A coast is needed where two could be meant, and a wrong one is no way at all.
            return replace(order, to=ends.pop()) if len(ends) == 1 and not order.via_convoy else None
        if (ends and not order.via_convoy) or self._overseas(place, goal):
            return replace(order, to=Region(goal))
        return None

    def _overseas(self, place: str, goal: str, without: str = "") -> bool:
        # DATC 6.A.7: a fleet cannot ride a convoy.
        if self.unit[place].kind != "A" or place == goal or goal in self.seas:
            return False
        if self.by_map:
            return self._joins(self._water_of(place), goal)
        return any(without not in route for route in self._routes(place, goal))

    def _water_of(self, place: str) -> frozenset[str]:
        """All seas that hang together with one that touches a place."""
        return frozenset().union(*(water for water in self._waters if water & self.board.near(place, SEA)))

    def _joins(self, seas: frozenset[str], goal: str) -> bool:
        return bool(self.board.near(goal, SEA) & seas)

    def _routes(self, start: str, goal: str) -> list[frozenset[str]]:
        """The sets of fleets that would carry from start to goal and of which none could be spared."""
        routes: list[frozenset[str]] = []
        for size in range(1, len(self.fleets) + 1):
            for chosen in map(frozenset, combinations(self.fleets, size)):
                # By size, so that a set which holds a route already has a fleet to spare (DATC 6.F.12).
                if not any(route <= chosen for route in routes) and self._carries(chosen, start, goal):
                    routes.append(chosen)
        return routes

    def _carries(self, fleets: frozenset[str], start: str, goal: str) -> bool:
        reached = fleets & self.board.near(start, SEA)
        for _ in fleets:
            reached |= {f for f in fleets if self.board.near(f, SEA) & reached}
        return bool(reached & self.board.near(goal, SEA))

    def _may_support_hold(self, order: SupportHold) -> bool:
        place, target = order.unit.region.province, order.target.region.province
        return target in self.unit and target != place and target in {r.province for r in self.reach(place)}

    def _may_support_move(self, order: SupportMove) -> bool:
        place, target, goal = order.unit.region.province, order.target.region.province, order.to.province
        if target not in self.unit or target == place or goal not in {r.province for r in self.reach(place)}:
            return False
        ends = {r for r in self.reach(target) if r.province == goal}
        if ends:
            coasts = {r.coast for r in ends}
            # DATC 4.B.4: a coast may be left out of a support, but not be wrong.
            return order.to.coast is None or coasts == {None} or order.to.coast in coasts
        # A fleet that supports does not carry as well (DATC 6.D.31).
        return self._overseas(target, goal, without=place)

    def _may_convoy(self, order: Convoy) -> bool:
        place, army, goal = order.unit.region.province, order.target.region.province, order.to.province
        if place not in self.fleets or army not in self.unit or self.unit[army].kind != "A":
            return False
        # DATC 6.A.5: a convoy from a province to itself is not a move.
        if goal in self.seas or goal == army:
            return False
        return any(place in route for route in self._routes(army, goal))

    def _may_convert(self, order: Convert) -> bool:
        """In a coastal centre already owned, into the other kind, a new fleet's coast named where there are
        several (CVT-01, CVT-06)."""
        unit = self.unit[order.unit.region.province]
        province = self.board.provinces[unit.region.province]
        coasts = {coast.id for coast in province.coasts}
        return (
            province.id in self.centres.get(unit.power, frozenset())
            and bool(self.board.near(province.id, SEA))
            and order.to_kind in {None, "F" if unit.kind == "A" else "A"}
            and (unit.kind == "F" or not coasts or order.coast in coasts)
        )
