"""The retreat phase, start to finish (RET-01..03, DATC 6.H)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from adjudicator.calendar import PhaseKind
from adjudicator.context import Context
from adjudicator.explain import Explainer, Sentence
from adjudicator.geo import Board, Region
from adjudicator.orders import Order, Retreat, UnitOrder, meaning
from adjudicator.outcome import Outcome, Resolution, Result, make_outcome
from adjudicator.phases import year_end
from adjudicator.position import Dislodgement, Memory, Position
from adjudicator.units import Unit

Verdict = tuple[Result, str | None, Sentence, int | None]
"""Result, reason, sentence, and the place in the list of the order that caused it."""


class RetreatRules(year_end.YearEndRules, Protocol):
    """What a rule set decides while a retreat phase is judged; `Ruleset` has the defaults."""

    def accepts_order(self, order: Order, phase: PhaseKind) -> bool: ...
    def forgives_wrong_kind(self) -> bool: ...
    def after_retreat(self, context: Context, unit: Unit) -> Unit: ...
    def memory_after_retreats(self, memory: Memory, units: frozenset[Unit]) -> Memory: ...


def resolve(
    context: Context, rules: RetreatRules, position: Position, orders: Sequence[Order]
) -> Resolution:
    """Judge a retreat phase. A dislodged unit without a good order is disbanded (RET-03)."""
    sheet = _Sheet(context, rules, position, orders)
    sheet.read()
    sheet.clash()
    gone = sheet.disbanded()
    stay = set(position.units) | set(sheet.arrived.values())
    memory = rules.memory_after_retreats(position.memory, frozenset(stay))
    after = Position(
        year_end.next_phase(context, position.phase), frozenset(stay), position.centres, memory=memory
    )
    return year_end.close_phase(context, rules, Resolution(sheet.outcomes(), after, disbanded=gone))


class _Sheet:
    """The orders against the dislodged. `bound` is where each beaten unit's province is bound for, by
    order."""

    def __init__(
        self, context: Context, rules: RetreatRules, position: Position, orders: Sequence[Order]
    ) -> None:
        self.context = context
        self.rules = rules
        self.orders = orders
        self.beaten = {d.unit.region.province: d for d in position.dislodged}
        self.verdicts: list[Verdict | None] = [None] * len(orders)
        self.arrived: dict[str, Unit] = {}
        self._bound: dict[str, tuple[int, Region]] = {}
        self._repeats: dict[int, int] = {}
        self._standing = position.units
        self._contested = position.contested
        self._proxies = dict(position.memory.proxies)

    def read(self) -> None:
        """Void what is no retreat, find each beaten unit's order, and see where it may go."""
        written: dict[str, list[int]] = {}
        for index, order in enumerate(self.orders):
            wrong = self._not_ours(order)
            if wrong is not None:
                self.verdicts[index] = wrong
            elif isinstance(order, UnitOrder):
                written.setdefault(order.unit.region.province, []).append(index)
        for province, indexes in written.items():
            chosen = self._choose(self.beaten[province], indexes)
            if chosen is not None:
                self._go(self.beaten[province], chosen)

    def clash(self) -> None:
        """Two retreats to one place destroy both (RET-02)."""
        crowd = Counter(region.province for _, region in self._bound.values())
        for province, (index, region) in self._bound.items():
            if crowd[region.province] == 1:
                unit = self.beaten[province].unit
                self.arrived[province] = self.rules.after_retreat(self.context, replace(unit, region=region))
                self.verdicts[index] = (Result.SUCCEEDS, None, ("retreats", region), None)
            else:
                other, rival = min(
                    (i, p)
                    for p, (i, r) in self._bound.items()
                    if r.province == region.province and p != province
                )
                self.verdicts[index] = (Result.FAILS, "bounced", (
                    "retreats_meet", region.province, self.beaten[rival].unit), other)

    def disbanded(self) -> tuple[Unit, ...]:
        """The beaten units that found no place, sorted."""
        return tuple(sorted(d.unit for province, d in self.beaten.items() if province not in self.arrived))

    def outcomes(self) -> tuple[Outcome, ...]:
        """One for each order, as given."""
        words = Explainer(self.context, self.rules)
        found = []
        for index, order in enumerate(self.orders):
            verdict = self.verdicts[self._repeats.get(index, index)]
            assert verdict is not None
            result, reason, why, cause = verdict
            found.append(make_outcome(
                order, result, reason, None if cause is None else self.orders[cause], (words, *why), False))
        return tuple(found)

    def _not_ours(self, order: Order) -> Verdict | None:
        if not self.rules.accepts_order(order, PhaseKind.RETREAT) or not isinstance(order, UnitOrder):
            return _void("not_a_retreat", ("no_retreat_order",))
        place = order.unit.region.province
        beaten = self.beaten.get(place)
        fits = beaten is not None and (
            order.unit.kind in {None, beaten.unit.kind} or self.rules.forgives_wrong_kind())
        if beaten is not None and fits and order.power in {beaten.unit.power, self._proxies.get(place)}:
            return None
        standing = next((unit for unit in self._standing if unit.region.province == place), None)
        if standing is not None and standing.power == order.power:
            return _void("not_a_retreat", ("not_dislodged", order.unit, order.power))
        other = beaten.unit if beaten is not None and fits else standing
        return _void(
            "no_such_unit",
            ("no_unit", order.unit) if other is None else ("not_ones_retreat", other, order.power),
        )

    def _choose(self, beaten: Dislodgement, indexes: list[int]) -> int | None:
        """The order that counts: the owner's if there is one, else the proxy's (Q-25)."""
        own = [i for i in indexes if self.orders[i].power == beaten.unit.power]
        if own:
            for index in set(indexes) - set(own):
                self.verdicts[index] = _void(
                    "overridden", ("owner_retreats_it", beaten.unit.power, beaten.unit), own[0]
                )
        first, *others = own or indexes
        different = [i for i in others if not self._same(i, first)]
        self._repeats.update((i, first) for i in others if i not in different)
        if not different:
            return first
        for index in (first, *different):
            other = different[0] if index == first else first
            self.verdicts[index] = _void("illegal", ("two_retreats", beaten.unit), other)
        return None

    def _same(self, one: int, other: int) -> bool:
        mine, yours = self.orders[one], self.orders[other]
        return (
            isinstance(mine, UnitOrder) and isinstance(yours, UnitOrder) and meaning(mine) == meaning(yours)
        )

    def _go(self, beaten: Dislodgement, index: int) -> None:
        order = self.orders[index]
        if not isinstance(order, Retreat):
            self.verdicts[index] = (Result.SUCCEEDS, None, ("disbanded", beaten.unit), None)
            return
        region = _meant(self.context.board, beaten, order.to)
        if region is None:
            self.verdicts[index] = _void("illegal", self._barred(beaten, order.to))
        else:
            self._bound[beaten.unit.region.province] = index, region


    def _barred(self, beaten: Dislodgement, to: Region) -> Sentence:
        """Why a beaten unit may not go to a place it wants to go to."""
        unit, place = beaten.unit, to.province
        there = self.context.tables.steps(unit.kind, unit.region)
        standing = next((u for u in self._standing if u.region.province == place), None)
        found: Sentence = ("retreat_barred", unit, to)
        if any(region.province == place for region in beaten.may_retreat):
            found = ("retreat_coast", unit, to)
        elif place not in there:
            found = ("no_such_way", unit, to)
        elif standing is not None:
            found = ("place_taken", unit, to, standing)
        elif place == beaten.attacker_from and not beaten.by_convoy:
            found = ("attackers_origin", unit, to)
        elif place in self._contested:
            found = ("standoff_there", unit, to)
        return found


def _meant(board: Board, beaten: Dislodgement, to: Region) -> Region | None:
    """The region meant: the only one open there, or the one whose coast is named."""
    there = [r for r in beaten.may_retreat if r.province == to.province]
    if len(there) == 1 and (to.coast is None or there[0].coast is None):
        return there[0]
    named = None if to.coast is None else board.provinces[to.province].coast_id(to.coast)
    return next((r for r in there if named is not None and r.coast == named), None)


def _void(reason: str, why: Sentence, cause: int | None = None) -> Verdict:
    return Result.VOID, reason, why, cause
