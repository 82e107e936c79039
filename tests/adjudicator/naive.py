"""A deliberately naive second opinion on movement: try every set of moves that succeed, keep those that agree
with themselves. Shares nothing with the judge but the board and the order values; which orders are legal is
the business of `tests.adjudicator.naive_legality`, equally its own. Slow: 2 to the number of moves.

When several sets agree and fleets differ between them, or none agrees, the convoys in doubt fail (Szykman);
when several agree and only units going round in a circle differ, the circle moves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product

from adjudicator.geo import LAND, SEA, Board, Region
from adjudicator.orders import Convert, Convoy, Move, Order, SupportHold, SupportMove, UnitOrder
from adjudicator.units import Unit


class NoOpinion(Exception):
    """The naive method has more than one answer to a paradox."""


@dataclass(frozen=True, slots=True)
class Opinion:
    """Units as they are afterwards; the dislodged, with the regions open to each; provinces that a standoff
    left empty; and of each ordered unit, by its place, what its order came to in the contract's words, None
    for success. Conversions that were completed are not yet carried out."""

    standing: frozenset[Unit]
    dislodged: Mapping[Unit, frozenset[Region]]
    contested: frozenset[str]
    reasons: Mapping[str, str | None]


class Naive:
    """One position with legal orders, at most one for each unit, moves naming the coast they end on. Places
    are province ids. `begun`: units whose conversion stood the season before. `paradoxes` counts how often
    convoys had to fail for an answer."""

    def __init__(
        self, board: Board, units: Sequence[Unit], orders: Sequence[Order],
        begun: frozenset[Unit] = frozenset()
    ) -> None:
        self.board = board
        self.begun = begun
        self.unit = {u.region.province: u for u in units}
        self.order = {o.unit.region.province: o for o in orders if isinstance(o, UnitOrder)}
        self.moves = sorted(p for p, o in self.order.items() if isinstance(o, Move))
        self.goal = {p: o.to.province for p, o in self.order.items() if isinstance(o, Move)}
        self.convoys = {
            p: (o.target.region.province, o.to.province) for p,
            o in self.order.items() if isinstance(o, Convoy)
        }
        self.paradoxes = 0
        self.by_sea = {p for p in self.moves if self._goes_by_sea(p)}

    def solve(self) -> Opinion:
        """The fates of all. Raises NoOpinion."""
        failed: frozenset[str] = frozenset()
        while True:
            # All of them: one consistent set is an answer, several are a cycle or a paradox, none is a
            # paradox (DATC 5.B).
            solutions = list(self._consistent(failed))
            if len(solutions) == 1:
                return self._after(solutions[0], failed)
            self.paradoxes += 1
            if not solutions:
                failed |= self._least_to_fail(failed)
                continue
            doubtful = frozenset(
                fleet for fleet in self.convoys
                if fleet not in failed and len({self._dislodged(fleet, s) for s in solutions}) > 1
                and self.goal.get(self.convoys[fleet][0]) == self.convoys[fleet][1]
                and self.convoys[fleet][0] in self.by_sea
            )
            if not doubtful:
                # No convoy is in doubt, so it was a ring of moves: the largest set is the ring that goes
                # round (DATC 6.C.1).
                self.paradoxes -= 1
                return self._after(max(solutions, key=len), failed)
            failed |= doubtful

    def _least_to_fail(self, failed: frozenset[str]) -> frozenset[str]:
        rest = [f for f, (army, to) in self.convoys.items()
                if f not in failed and army in self.by_sea and self.goal[army] == to]
        for size in range(1, len(rest) + 1):
            smallest = [set_ for set_ in map(frozenset, combinations(rest, size))
                     if any(True for _ in self._consistent(failed | set_))]
            if len(smallest) == 1:
                return smallest[0]
            if smallest:
                raise NoOpinion
        raise AssertionError("no assignment agrees with itself even without convoys")

    def _consistent(self, failed: frozenset[str]) -> Iterator[frozenset[str]]:
        for choice in product((False, True), repeat=len(self.moves)):
            success = frozenset(m for m, yes in zip(self.moves, choice, strict=True) if yes)
            if all(self._succeeds(m, success, failed) == (m in success) for m in self.moves):
                yield success

    # The rules, for a given set of moves that succeed
    # ---------------------------------------------------------------

    def _near(self, place: str, kind: str) -> frozenset[str]:
        region = self.unit[place].region
        return frozenset(r.province for r in self.board.neighbours(region, LAND if kind == "A" else SEA))

    def _goes_by_sea(self, place: str) -> bool:
        order = self.order[place]
        unit = self.unit[place]
        if unit.kind != "A" or not isinstance(order, Move):
            return False
        carried_by_own_fleet = any(
            c == (place, order.to.province) and self.unit[f].power == unit.power
            for f, c in self.convoys.items()
        )
        return order.via_convoy or carried_by_own_fleet or order.to.province not in self._near(place, "A")

    def _dislodged(self, place: str, success: frozenset[str]) -> bool:
        return place not in success and any(self.goal[m] == place for m in success)

    def _arrives(self, move: str, success: frozenset[str], failed: frozenset[str]) -> bool:
        if move not in self.by_sea:
            return True
        goal = self.goal[move]
        fleets = {f for f, c in self.convoys.items()
                  if c == (move, goal) and f not in failed and not self._dislodged(f, success)}
        reached = {f for f in fleets if f in self.board.near(move, SEA)}
        while True:
            further = reached | {f for f in fleets if any(f in self.board.near(r, SEA) for r in reached)}
            if further == reached:
                return any(f in self.board.near(goal, SEA) for f in reached)
            reached = further

    def _support_stands(self, supporter: str, success: frozenset[str], failed: frozenset[str]) -> bool:
        if self._dislodged(supporter, success):
            return False
        order = self.order[supporter]
        against = order.to.province if isinstance(order, SupportMove) else ""
        return not any(
            # DATC 6.D.15 and 6.D.20: neither the target of the support nor a unit of the same power cuts it.
            self.goal[m] == supporter and m != against and self.unit[m].power != self.unit[supporter].power
            and self._arrives(m, success, failed)
            for m in self.moves
        )

    def _supporters(self, place: str, success: frozenset[str], failed: frozenset[str]) -> list[str]:
        goal = self.goal.get(place)
        supporters = []
        for supporter, order in self.order.items():
            match order:
                case SupportMove() if goal is not None:
                    fits = self._fits(order, place)
                case SupportHold() if goal is None:
                    fits = order.target.region.province == place
                case _:
                    fits = False
            if fits and self._support_stands(supporter, success, failed):
                supporters.append(supporter)
        return supporters

    def _fits(self, support: SupportMove, mover: str) -> bool:
        """Whether a support names that mover's goal, and the coast it goes to where it names one (DATC
        4.B.4)."""
        move = self.order.get(mover)
        if not isinstance(move, Move) or support.target.region.province != mover:
            return False
        coasts = support.to.coast, move.to.coast
        return support.to.province == move.to.province and (None in coasts or len(set(coasts)) == 1)

    def _head_on(self, move: str) -> str | None:
        goal = self.goal[move]
        # DATC 6.G.1: with a convoy the two pass each other.
        if goal in self.goal and self.goal[goal] == move and not {move, goal} & self.by_sea:
            return goal
        return None

    def _succeeds(self, move: str, success: frozenset[str], failed: frozenset[str]) -> bool:
        if not self._arrives(move, success, failed):
            return False
        goal, head_on = self.goal[move], self._head_on(move)
        supporters = self._supporters(move, success, failed)
        stays = goal in self.unit and (goal not in success or head_on is not None)
        if stays:
            # DATC 6.D.10.
            if self.unit[goal].power == self.unit[move].power:
                return False
            # DATC 6.D.12: help by the defender's power counts for nothing against it.
            strength = 1 + sum(self.unit[s].power != self.unit[goal].power for s in supporters)
        else:
            strength = 1 + len(supporters)
        if head_on is not None or (stays and goal not in self.goal):
            against = 1 + len(self._supporters(goal, success, failed))
        else:
            against = 1 if stays else 0
        for rival in self.moves:
            if rival != move and self.goal[rival] == goal and self._arrives(rival, success, failed):
                beaten = self._head_on(rival)
                # DATC 6.E.1: who lost head on keeps no one out.
                if beaten is None or beaten not in success:
                    against = max(against, 1 + len(self._supporters(rival, success, failed)))
        return strength > against

    # What follows
    # ----------------------------------------------------------------------------------------------------

    def _after(self, success: frozenset[str], failed: frozenset[str]) -> Opinion:
        moved = {p: Unit(self.unit[p].power, self.unit[p].kind, self._order(p).to) for p in success}
        beaten = {p for p in self.unit if self._dislodged(p, success)}
        standing = frozenset(moved.get(p, u) for p, u in self.unit.items() if p not in beaten)
        full = {u.region.province for u in standing}
        contested = frozenset(
            self.goal[m] for m in self.moves
            if m not in success and self.goal[m] not in full and self._arrives(m, success, failed)
            and self._head_on(m) not in success
        )
        return Opinion(
            standing, {self.unit[p]: self._open_to(p, success, full | contested) for p in beaten}, contested,
            {p: self._reason(p, success, failed) for p in self.order},
        )

    def _order(self, place: str) -> Move:
        order = self.order[place]
        assert isinstance(order, Move)
        return order

    def _open_to(self, place: str, success: frozenset[str], taken: set[str]) -> frozenset[Region]:
        unit = self.unit[place]
        # Unpacked: two winners in one place would be a fault of this resolver.
        (winner,) = (m for m in success if self.goal[m] == place)
        # DATC 4.A.5.
        barred = taken if winner in self.by_sea else taken | {winner}
        neighbours = self.board.neighbours(unit.region, LAND if unit.kind == "A" else SEA)
        return frozenset(r for r in neighbours if r.province not in barred)

    def _reason(self, place: str, success: frozenset[str], failed: frozenset[str]) -> str | None:
        order = self.order[place]
        if isinstance(order, Move):
            missed = "bounced" if self._arrives(place, success, failed) else "no_convoy"
            return None if place in success else missed
        if isinstance(order, Convert):
            return self._conversion(place, success, failed)
        if self._unmatched(place):
            return "unmatched"
        if self._dislodged(place, success):
            return "dislodged"
        if isinstance(order, SupportHold | SupportMove):
            return None if self._support_stands(place, success, failed) else "cut"
        return "paradox" if place in failed else None

    def _conversion(self, place: str, success: frozenset[str], failed: frozenset[str]) -> str:
        """Any attack of another power's unit that gets there disrupts it (CVT-04, Q-21)."""
        unit = self.unit[place]
        attackers = [m for m in self.moves if self.goal[m] == place and self.unit[m].power != unit.power]
        if any(self._arrives(m, success, failed) for m in attackers):
            return "disrupted"
        return "completed" if unit in self.begun else "begun"

    def _unmatched(self, place: str) -> bool:
        """Whether a support or a convoy was given to what its unit did not do."""
        match self.order[place]:
            case SupportHold(target=target):
                return target.region.province in self.goal
            case SupportMove(target=target) as order:
                return not self._fits(order, target.region.province)
            case Convoy():
                army, goal = self.convoys[place]
                return self.goal.get(army) != goal or army not in self.by_sea
            case _:
                return False
