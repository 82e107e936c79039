"""The events of a phase, each as a statement with its source.

Only what succeeded or was fought over is in it: an order that the judge set aside as void is its writer's own
affair.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from adjudicator.geo import Region
from adjudicator.orders import (
    Build,
    Convert,
    Convoy,
    Disband,
    Hold,
    Move,
    Remove,
    Retreat,
    SupportHold,
    SupportMove,
    UnitOrder,
    Waive,
)
from adjudicator.outcome import Outcome, Resolution, Result
from adjudicator.units import Unit, UnitRef
from maps.variant import Variant
from service.features.gazette.values import Source, SourcePart, Statement
from service.games.phases import JudgedPhase
from service.games.results import unit_text

WEIGHTS: Mapping[str, int] = {
    "won": 100, "won_together": 100, "draw": 90, "took": 40, "captured": 30, "captured_from": 30,
    "carried": 24, "disbanded": 20, "stood_off": 14, "aided": 12, "cut": 10, "retreated": 9, "entered": 8,
    "note": 7, "removed": 6, "built": 4,
}
"""How much a statement matters; set by hand, higher is printed first where there is no room for all."""
ORDER_WEIGHT = 16
"""Of an order that the classic game does not have, such as an alliance."""
_CLASSIC = (Build, Convoy, Disband, Hold, Move, Remove, Retreat, SupportHold, SupportMove, Waive)
TELLS_ITSELF = frozenset({"done", "begun"})
"""Marks of a success that is left out: it has no effect yet."""


def statements_of(variant: Variant, judged: JudgedPhase, kinds: Collection[str]) -> tuple[Statement, ...]:
    """The statements of one phase. `kinds`: those that there are phrases for; others are left out."""
    reporter = _Reporter(variant, judged)
    return tuple(statement for statement in reporter.all() if statement.kind in kinds)


class _Reporter:
    def __init__(self, variant: Variant, judged: JudgedPhase) -> None:
        self._variant, self._judged = variant, judged
        self._resolution: Resolution = judged.resolution
        self._unit_in = {unit.region.province: unit for unit in judged.before.units}
        self._dislodged_in = {each.unit.region.province: each for each in judged.resolution.dislodged}
        self._owner = {centre: power for power, centres in judged.before.centres.items()
                       for centre in centres}

    def all(self) -> Iterator[Statement]:
        for entry, outcome in enumerate(self._resolution.outcomes):
            yield from self._of_outcome(entry, outcome)
        for entry, unit in enumerate(self._resolution.disbanded):
            yield self._make("disbanded", SourcePart.DISBANDED, entry, unit=self._unit(unit),
                             power=self._power(unit.power))
        yield from self._by_power("built", SourcePart.BUILT, self._resolution.built)
        gone = {*self._resolution.removed, *self._resolution.removed_by_lot,
                *self._resolution.removed_by_disorder}
        yield from self._by_power("removed", SourcePart.REMOVED, sorted(gone))
        yield from self._captures()
        for entry, note in enumerate(self._resolution.notes):
            yield self._make("note", SourcePart.NOTE, entry, note=note.rstrip("."))
        yield from self._ending()

    # Orders

    def _of_outcome(self, entry: int, outcome: Outcome) -> Iterator[Statement]:
        order = outcome.order
        if outcome.result is Result.VOID:
            return
        if isinstance(order, Move):
            yield from self._of_move(entry, outcome, order)
        elif isinstance(order, SupportMove | SupportHold):
            yield from self._of_support(entry, outcome, order)
        elif isinstance(order, Retreat) and outcome.result is Result.SUCCEEDS:
            beaten = next((each.unit for each in self._judged.before.dislodged
                           if each.unit.region.province == order.unit.region.province), None)
            if beaten is not None:
                yield self._make("retreated", SourcePart.OUTCOME, entry, power=self._power(beaten.power),
                                 unit=self._unit(beaten), place=self._place(order.to))
        elif not isinstance(order, _CLASSIC):
            yield from self._of_special(entry, outcome)

    def _of_move(self, entry: int, outcome: Outcome, order: Move) -> Iterator[Statement]:
        unit, place = self._unit_in.get(order.unit.region.province), order.to.province
        if unit is None:
            return
        values = {"power": self._power(unit.power), "unit": self._unit(unit), "place": self._place(order.to)}
        beaten = self._dislodged_in.get(place)
        if outcome.result is Result.SUCCEEDS and beaten is not None and (
                beaten.attacker_from == unit.region.province):
            yield self._make("took", SourcePart.OUTCOME, entry, **values,
                             foe=self._power(beaten.unit.power), foe_unit=self._unit(beaten.unit))
        elif outcome.result is Result.SUCCEEDS and (fleets := self._carriers(order)):
            yield self._make("carried", SourcePart.OUTCOME, entry, **values,
                             origin=self._place(unit.region),
                             fleets=", ".join(self._ref(fleet.unit) for fleet in fleets))
        elif outcome.result is Result.SUCCEEDS and self._is_foreign_centre(place, unit.power):
            yield self._make("entered", SourcePart.OUTCOME, entry, **values)
        elif outcome.reason == "bounced" and isinstance(outcome.cause, UnitOrder):
            other = self._unit_in.get(outcome.cause.unit.region.province)
            if other is not None and other.power != unit.power:
                yield self._make("stood_off", SourcePart.OUTCOME, entry, **values,
                                 foe=self._power(other.power), foe_unit=self._unit(other))

    def _of_support(
        self, entry: int, outcome: Outcome, order: SupportMove | SupportHold
    ) -> Iterator[Statement]:
        unit = self._unit_in.get(order.unit.region.province)
        helped = self._unit_in.get(order.target.region.province)
        if unit is None or helped is None:
            return
        values = {"power": self._power(unit.power), "unit": self._unit(unit), "helped": self._unit(helped)}
        if outcome.reason == "cut" and isinstance(outcome.cause, UnitOrder):
            attacker = self._unit_in.get(outcome.cause.unit.region.province)
            if attacker is not None:
                yield self._make("cut", SourcePart.OUTCOME, entry, **values,
                                 foe=self._power(attacker.power), foe_unit=self._unit(attacker))
        elif outcome.result is Result.SUCCEEDS and helped.power != unit.power:
            yield self._make("aided", SourcePart.OUTCOME, entry, **values, friend=self._power(helped.power))

    def _of_special(self, entry: int, outcome: Outcome) -> Iterator[Statement]:
        """An order of the variant's own: its kind is its class and what became of it, its blanks are its
        fields."""
        order = outcome.order
        word = outcome.reason or outcome.result.value
        if word in TELLS_ITSELF:
            return
        # Its line on the sheet is not part of the news: of two allies each has another.
        values = {name: text for name in type(order).__dataclass_fields__
                  if name != "line" and (text := self._field(getattr(order, name)))}
        values["power"] = self._power(order.power)
        if isinstance(order, Convert):
            values = {"unit": values["unit"], "power": values["power"], "becomes": self._converted(order)}
        if "to_power" in values:
            values["friend"] = self._power(values.pop("to_power"))
        yield Statement(f"{type(order).__name__}.{word}", values, ORDER_WEIGHT,
                        Source(self._judged.number, SourcePart.OUTCOME, entry))

    def _converted(self, order: Convert) -> str:
        """The unit that a conversion has made, where it is or was dislodged."""
        units = {*self._resolution.position.units, *(each.unit for each in self._resolution.dislodged)}
        place = order.unit.region.province
        was = self._unit_in[place]
        return next((self._unit(unit) for unit in sorted(units) if unit.region.province == place
                     and unit.power == was.power), self._unit(was))

    def _field(self, value: Any) -> str:
        if isinstance(value, Region):
            return self._place(value)
        if isinstance(value, UnitRef):
            return self._ref(value)
        return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""

    def _carriers(self, move: Move) -> list[Convoy]:
        return [outcome.order for outcome in self._resolution.outcomes
                if isinstance(outcome.order, Convoy) and outcome.result is Result.SUCCEEDS
                and outcome.order.target.region.province == move.unit.region.province
                and outcome.order.to.province == move.to.province]

    # What is left

    def _captures(self) -> Iterator[Statement]:
        """Centres that changed hands."""
        for power, centres in sorted(self._resolution.position.centres.items()):
            won = sorted(centre for centre in centres if self._owner.get(centre) != power)
            if not won or power not in self._variant.powers:
                continue
            losers = {self._owner[centre] for centre in won if centre in self._owner}
            kind = "captured_from" if len(losers) == 1 and len(won) == 1 else "captured"
            values = {"power": self._power(power), "places": self._join(self._province(c) for c in won)}
            if kind == "captured_from":
                values["foe"] = self._power(losers.pop())
            yield Statement(kind, values, WEIGHTS["captured"] + len(won),
                            Source(self._judged.number, SourcePart.CENTRES, power))

    def _by_power(self, kind: str, part: SourcePart, units: Sequence[Unit]) -> Iterator[Statement]:
        for power in sorted({unit.power for unit in units}):
            words = [self._unit(unit) for unit in units if unit.power == power]
            yield self._make(kind, part, power, power=self._power(power), units=self._join(words))

    def _ending(self) -> Iterator[Statement]:
        end = self._resolution
        if end.winner is not None:
            yield self._make("won", SourcePart.ENDING, 0, power=self._power(end.winner))
        if end.joint:
            yield self._make("won_together", SourcePart.ENDING, 0,
                             powers=self._join(map(self._power, end.joint)))
        if end.draw_open_to is not None:
            yield self._make("draw", SourcePart.ENDING, 0,
                             powers=self._join(map(self._power, end.draw_open_to)))

    # Words

    def _make(self, kind: str, part: SourcePart, entry: int | str, **values: str) -> Statement:
        return Statement(kind, values, WEIGHTS[kind], Source(self._judged.number, part, entry))

    def _is_foreign_centre(self, place: str, power: str) -> bool:
        province = self._variant.board.provinces[place]
        return province.centre and self._owner.get(place) != power

    def _join(self, words: Any) -> str:
        return LIST_MARK.join(words)

    def _power(self, power: str) -> str:
        known = self._variant.powers.get(power)
        return power if known is None else known.name

    def _province(self, province: str) -> str:
        return self._variant.board.provinces[province].name

    def _place(self, region: Region) -> str:
        known = region.province in self._variant.board.provinces
        return self._variant.board.region_text(region) if known else str(region)

    def _unit(self, unit: Unit) -> str:
        return unit_text(self._variant, unit)

    def _ref(self, unit: UnitRef) -> str:
        known = self._unit_in.get(unit.region.province)
        if known is not None:
            return self._unit(known)
        kind = self._variant.kinds.get(unit.kind or "")
        return f"{kind.name if kind else ''} {self._place(unit.region)}".strip()


LIST_MARK = "\x1f"
"""Stands between the names of a list, until a language joins them."""


