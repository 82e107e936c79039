"""The retreat phase from start to finish (RET-01..03, DATC 6.H)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple, Protocol

from adjudicator.calendar import PhaseKind
from adjudicator.context import Context
from adjudicator.explain import Explainer, Sentence, note_misnamed
from adjudicator.geo import Board, Region
from adjudicator.orders import Order, Retreat, UnitOrder, meaning
from adjudicator.outcome import Outcome, Resolution, Result, make_outcome
from adjudicator.phases import year_end
from adjudicator.position import Dislodgement, Memory, Position
from adjudicator.units import Unit


class RetreatRules(year_end.YearEndRules, Protocol):
    """The decisions of a rule set while a retreat phase is judged; `Ruleset` has the defaults and states
    more."""

    def accepts_order(self, order: Order, phase: PhaseKind) -> bool: ...
    def forgives_wrong_kind(self) -> bool: ...
    def after_retreat(self, context: Context, unit: Unit) -> Unit: ...
    def memory_after_retreats(self, memory: Memory, units: frozenset[Unit]) -> Memory: ...


class _Verdict(NamedTuple):
    """The outcome of one order, before it is put into words. `cause`: the place in the list of the order that
    brought it about, if one did."""

    result: Result
    reason: str | None
    sentence: Sentence
    cause: int | None = None


def resolve(
    context: Context, rules: RetreatRules, position: Position, orders: Sequence[Order]
) -> Resolution:
    """Judge a retreat phase. A dislodged unit without a good order is disbanded (RET-03)."""
    sheet = _RetreatSheet(context, rules, position, orders)
    sheet.read_orders()
    sheet.resolve_meetings()
    standing = position.units | set(sheet.retreated.values())
    after = Position(
        year_end.next_phase(context, position.phase), standing, position.centres,
        memory=rules.memory_after_retreats(position.memory, standing))
    return year_end.close_phase(
        context, rules,
        Resolution(sheet.outcomes(), after, disbanded=sheet.disbanded(), notes=sheet.notes_in_words()))


class _RetreatSheet:
    """The worksheet of one retreat phase. `retreated` are the units that found a place, by the province they
    were dislodged from."""

    def __init__(
        self, context: Context, rules: RetreatRules, position: Position, orders: Sequence[Order]
    ) -> None:
        self.context = context
        self.rules = rules
        self._explainer = Explainer(context, rules)
        self.orders = orders
        self.dislodged = {d.unit.region.province: d for d in position.dislodged}
        self.verdicts: list[_Verdict | None] = [None] * len(orders)
        self.retreated: dict[str, Unit] = {}
        # By province of the dislodged unit: its order's place in the list, and the region it goes to.
        self._goals: dict[str, tuple[int, Region]] = {}
        self._repeats: dict[int, int] = {}
        self._units = position.units
        self._contested = position.contested
        self._proxies = dict(position.memory.proxies)
        self.notes: list[Sentence] = []

    def read_orders(self) -> None:
        """Void what is not a retreat, choose the order of each dislodged unit, and see where it may go."""
        indexes_of: dict[str, list[int]] = {}
        for index, order in enumerate(self.orders):
            fault = self._fault(order)
            if fault is not None:
                self.verdicts[index] = fault
            elif isinstance(order, UnitOrder):
                indexes_of.setdefault(order.unit.region.province, []).append(index)
        for province, indexes in indexes_of.items():
            chosen = self._choose(self.dislodged[province], indexes)
            if chosen is not None:
                self._enter(self.dislodged[province], chosen)

    def resolve_meetings(self) -> None:
        """Two retreats to one province disband both units (RET-02)."""
        crowd = Counter(region.province for _, region in self._goals.values())
        for province, (index, region) in self._goals.items():
            # By province, so that two units on two coasts meet as well.
            if crowd[region.province] == 1:
                unit = replace(self.dislodged[province].unit, region=region)
                self.retreated[province] = self.rules.after_retreat(self.context, unit)
                self.verdicts[index] = _Verdict(Result.SUCCEEDS, None, ("retreats", region))
            else:
                # Of several rivals the first on the sheets is named, so that the sentence is always the same.
                rival_index, rival = min(
                    (other_index, other)
                    for other, (other_index, other_region) in self._goals.items()
                    if other_region.province == region.province and other != province
                )
                self.verdicts[index] = _Verdict(Result.FAILS, "bounced", (
                    "retreats_meet", region.province, self.dislodged[rival].unit), rival_index)

    def disbanded(self) -> tuple[Unit, ...]:
        """The dislodged units that found no place, sorted."""
        return tuple(sorted(
            d.unit for province, d in self.dislodged.items() if province not in self.retreated))

    def outcomes(self) -> tuple[Outcome, ...]:
        """One for each order, in the order given."""
        outcomes = []
        for index, order in enumerate(self.orders):
            verdict = self.verdicts[self._repeats.get(index, index)]
            assert verdict is not None
            result, reason, sentence, cause = verdict
            caused_by = None if cause is None else self.orders[cause]
            outcomes.append(
                make_outcome(order, result, reason, caused_by, (self._explainer, *sentence), False))
        return tuple(outcomes)

    def notes_in_words(self) -> tuple[str, ...]:
        """The sentences of `notes`, each once."""
        return tuple(map(self._explainer.text, dict.fromkeys(self.notes)))

    def _fault(self, order: Order) -> _Verdict | None:
        """Why an order is not a retreat of a dislodged unit that its power may order; None if it is one."""
        if not self.rules.accepts_order(order, PhaseKind.RETREAT) or not isinstance(order, UnitOrder):
            return _void("not_a_retreat", ("no_retreat_order",))
        province = order.unit.region.province
        dislodged = self.dislodged.get(province)
        # An order may leave the kind of its unit out (ORD-04).
        fits = dislodged is not None and (
            order.unit.kind in {None, dislodged.unit.kind} or self.rules.forgives_wrong_kind())
        if dislodged is not None and fits and order.power in {
            dislodged.unit.power, self._proxies.get(province)
        }:
            note_misnamed(self.notes, order.unit, dislodged.unit)
            return None
        occupant = self._occupant(province)
        if occupant is not None and occupant.power == order.power:
            return _void("not_a_retreat", ("not_dislodged", order.unit, order.power))
        other = dislodged.unit if dislodged is not None and fits else occupant
        return _void(
            "no_such_unit",
            ("no_unit", order.unit) if other is None else ("not_ones_retreat", other, order.power),
        )

    def _occupant(self, province: str) -> Unit | None:
        return next((unit for unit in self._units if unit.region.province == province), None)

    def _choose(self, dislodged: Dislodgement, indexes: list[int]) -> int | None:
        """The order that counts: the owner's if there is one, else the proxy's (Q-25). Of different orders by
        one hand an impossible one is passed over (Q-77, DATC 4.E.1); else they count for nothing."""
        by_owner = [i for i in indexes if self.orders[i].power == dislodged.unit.power]
        if by_owner:
            for index in set(indexes) - set(by_owner):
                self.verdicts[index] = _void(
                    "overridden", ("owner_retreats_it", dislodged.unit.power, dislodged.unit), by_owner[0]
                )
        first, *others = self._possible(dislodged, by_owner or indexes)
        different = [i for i in others if not self._same_meaning(i, first)]
        self._repeats.update((i, first) for i in others if i not in different)
        if not different:
            return first
        for index in (first, *different):
            other = different[0] if index == first else first
            self.verdicts[index] = _void("illegal", ("two_retreats", dislodged.unit), other)
        return None

    def _possible(self, dislodged: Dislodgement, indexes: list[int]) -> list[int]:
        """Of several different orders for a unit those that it could carry out, or all where it could none.
        The others are voided."""
        if all(self._same_meaning(index, indexes[0]) for index in indexes):
            return indexes
        barred = {index: order.to for index in indexes if isinstance(order := self.orders[index], Retreat)
                  and _meant_region(self.context.board, dislodged, order.to) is None}
        possible = [index for index in indexes if index not in barred]
        for index, to in barred.items() if possible else ():
            self.verdicts[index] = _void("illegal", self._barred(dislodged, to))
        return possible or indexes

    def _same_meaning(self, index: int, other_index: int) -> bool:
        order, other = self.orders[index], self.orders[other_index]
        return (
            isinstance(order, UnitOrder) and isinstance(other, UnitOrder) and meaning(order) == meaning(other)
        )

    def _enter(self, dislodged: Dislodgement, index: int) -> None:
        order = self.orders[index]
        # What is not a retreat here is `Disband`: `_fault` has let nothing else pass.
        if not isinstance(order, Retreat):
            self.verdicts[index] = _Verdict(Result.SUCCEEDS, None, ("disbanded", dislodged.unit))
            return
        # A barred retreat enters nothing in `_goals`, so it neither bars nor bounces others (DATC 6.H.10).
        region = _meant_region(self.context.board, dislodged, order.to)
        if region is None:
            self.verdicts[index] = _void("illegal", self._barred(dislodged, order.to))
        else:
            self._goals[dislodged.unit.region.province] = index, region

    def _barred(self, dislodged: Dislodgement, to: Region) -> Sentence:
        """Why a dislodged unit may not go where it needs to."""
        unit, province = dislodged.unit, to.province
        occupant = self._occupant(province)
        reason: Sentence = ("retreat_barred", unit, to)
        if not self.context.kinds[unit.kind].can_retreat:
            reason = ("never_retreats", unit)
        elif any(region.province == province for region in dislodged.may_retreat):
            reason = ("retreat_coast", unit, to)
        elif province not in self.context.tables.steps(unit.kind, unit.region):
            reason = ("no_such_way", unit, to)
        elif occupant is not None:
            reason = ("place_taken", unit, to, occupant)
        # DATC 4.A.5 and 6.H.11: only an attacker over land bars its origin.
        elif province == dislodged.attacker_from and not dislodged.by_convoy:
            reason = ("attackers_origin", unit, to)
        elif province in self._contested:
            reason = ("standoff_there", unit, to)
        return reason


def _meant_region(board: Board, dislodged: Dislodgement, to: Region) -> Region | None:
    """The region meant: the only one open in that province, or the one whose coast is named."""
    regions = [r for r in dislodged.may_retreat if r.province == to.province]
    if len(regions) == 1 and (to.coast is None or regions[0].coast is None):
        return regions[0]
    coast = None if to.coast is None else board.provinces[to.province].coast_id(to.coast)
    return next((r for r in regions if coast is not None and r.coast == coast), None)


def _void(reason: str, sentence: Sentence, cause: int | None = None) -> _Verdict:
    return _Verdict(Result.VOID, reason, sentence, cause)
