"""A plain second opinion on a Winter of w3k, one power's sheet after the other (ADJ-01..07, SUP-01..05,
MCY-01, Q-22, Q-26..28, Q-35, Q-39). Shares nothing with the judge but the board and the order values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from adjudicator.geo import SEA, Board, Region
from adjudicator.orders import Build, Order, Remove, SendSupply
from adjudicator.units import Unit


@dataclass(slots=True)
class NaiveWinter:
    """`reasons` has the contract's word for each line, None where it is carried out; `units` are those left
    at the end, `by_lot` the regions of those drawn, in the order drawn."""

    board: Board
    centres: Mapping[str, frozenset[str]]
    units: set[Unit]
    tape: list[int]
    reasons: dict[int, str | None] = field(default_factory=dict)
    by_lot: list[str] = field(default_factory=list)
    _freed: dict[str, int] = field(default_factory=dict)

    def judge(self, orders: Sequence[Order], powers: Sequence[str]) -> None:
        """Carry out everybody's lines; a line is known by its place in `orders`."""
        sheets = {
            power: [(n, o) for n, o in enumerate(orders) if o.power == power] for power in sorted(powers)
        }
        held = {u.region.province for u in self.units}
        sent = {power: self._sends(power, sheets[power], held) for power in sheets}
        received = {
            power: sum(o.count for lines in sent.values() for o in lines.values() if o.to_power == power)
            for power in sheets
        }
        for power, lines in sheets.items():
            self._sheet(power, lines, sent[power], received[power], held)
        for power in sheets:
            all_sent = sum(o.count for o in sent[power].values())
            self._draw(power, self._allowed(power, all_sent, received[power]))

    def _own(self, power: str) -> frozenset[str]:
        return self.centres.get(power, frozenset())

    def _mine(self, power: str) -> list[Unit]:
        return sorted((u for u in self.units if u.power == power), key=lambda u: str(u.region))

    def _allowed(self, power: str, sent: int, received: int) -> int:
        # MCY-01 and Q-39: without a centre a power keeps one unit, or as many as it is sent.
        return len(self._own(power)) - sent + received if self._own(power) else max(1, received)

    def _sends(
        self, power: str, lines: Sequence[tuple[int, Order]], held: set[str]
    ) -> dict[int, SendSupply]:
        stand: dict[int, SendSupply] = {}
        self._freed[power] = 0
        # Q-27: line by line a purse of one's own centres is spent, less what the units need. Q-28: what is
        # received is not in it.
        purse = len(self._own(power)) - len(self._mine(power))
        leaving = {o.unit.region.province for _, o in lines if isinstance(o, Remove)}
        freed = sum(unit.region.province in leaving for unit in self._mine(power))
        taken = set(held)
        for number, order in lines:
            if isinstance(order, Build) and purse > 0 and self._fits(power, order, taken):
                taken.add(order.region.province)
                purse -= 1
            if isinstance(order, SendSupply):
                if order.to_power == power:
                    self.reasons[number] = "illegal"
                # Void whole where a part could be sent.
                elif order.count > purse + freed:
                    self.reasons[number] = "no_supply"
                else:
                    self.reasons[number] = None
                    stand[number] = order
                    purse -= order.count
                    # What the purse lacks, units that the sheet removes give.
                    self._freed[power] = max(0, -purse)
        return stand

    def _sheet(
        self, power: str, lines: Sequence[tuple[int, Order]], sent: Mapping[int, SendSupply], received: int,
        held: set[str]
    ) -> None:
        all_sent = sum(o.count for o in sent.values())
        builds = any(isinstance(order, Build) for _, order in lines)
        removed = 0
        for number, order in lines:
            if isinstance(order, Remove):
                owed = (len(self._mine(power)) > self._allowed(power, all_sent, received)
                        or removed < self._freed[power])
                self.reasons[number] = self._remove(
                    power, order, owed=owed, struck=builds and removed >= all_sent, beside=builds
                )
                removed += self.reasons[number] is None
        for number, order in lines:
            # What was sent is gone, also below a build: a send left the builds above it what they need.
            if isinstance(order, Build):
                room = self._allowed(power, all_sent, received) - len(self._mine(power))
                self.reasons[number] = self._build(power, order, room, held)

    def _remove(self, power: str, order: Remove, *, owed: bool, struck: bool, beside: bool) -> str | None:
        # next to builds only what a send needs is removed.
        if struck or (beside and not owed):
            return "struck"
        unit = next((u for u in self._mine(power) if u.region.province == order.unit.region.province), None)
        if unit is None:
            return "no_such_unit"
        if not owed:
            return "illegal"
        self.units.remove(unit)
        return None

    def _fits(self, power: str, order: Build, held: set[str]) -> bool:
        place = order.region.province
        coasts = {coast.id for coast in self.board.provinces[place].coasts}
        if place not in self._own(power) or place in held:
            return False
        at_sea = bool(self.board.near(place, SEA)) and (not coasts or order.region.coast in coasts)
        return order.kind == "A" or at_sea

    def _build(self, power: str, order: Build, room: int, held: set[str]) -> str | None:
        place = order.region.province
        if not self._fits(power, order, held):
            return "illegal"
        if room < 1:
            return "no_supply"
        coast = order.region.coast if self.board.provinces[place].coasts and order.kind == "F" else None
        region = Region(place, coast)
        self.units.add(Unit(power, order.kind, region))
        held.add(place)
        return None

    def _draw(self, power: str, allowed: int) -> None:
        while len(left := self._mine(power)) > allowed:
            # without replacement, among those left, sorted by region.
            removed_unit = left[self.tape.pop(0) % len(left)]
            self.units.remove(removed_unit)
            self.by_lot.append(str(removed_unit.region))
