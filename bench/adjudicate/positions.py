"""What the judge is measured on: positions of a file, and a full board with orders from a fixed seed."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from random import Random
from typing import Any

from adjudicator.geo import LAND, SEA, Board, Region
from adjudicator.orders import Convoy, Hold, Move, Order, SupportHold, SupportMove
from adjudicator.position import Position
from adjudicator.units import Unit, UnitRef
from maps.variant import Variant

Record = dict[str, Any]

DEFAULT = Path(__file__).parents[2] / "tests" / "data" / "datc" / "random_public.jsonl.gz"
# The smallest position that counts: about what a full classic board holds in mid-game.
MIN_UNITS = 24

_MOVING = 0.5  # of the units
_BUSY = 0.7  # of the moves: to a province that is occupied or entered


class NoPositions(Exception):
    """There is nothing to measure on; the sentence shows what to do."""


def chosen(path: Path) -> list[Record]:
    """The movement positions of a file of JSON lines, gzipped or not, that have MIN_UNITS units or more.

    Raises NoPositions if the file is missing, is not JSON lines, or has no such position.
    """
    try:
        raw = path.read_bytes()
        text = (gzip.decompress(raw) if raw.startswith(b"\x1f\x8b") else raw).decode("utf-8")
        records = [json.loads(line) for line in text.splitlines() if line.strip()]
        positions = [r for r in records if r["phase"] == "movement" and len(r["units"]) >= MIN_UNITS]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise NoPositions(f"{path} cannot be read as positions, one JSON object a line ({error})") from error
    if not positions:
        raise NoPositions(f"{path} holds no movement position with {MIN_UNITS} units or more")
    return positions


def full_board(variant: Variant, chance: Random, places: list[str]) -> tuple[Position, list[Order]]:
    """A board with a unit in each place, of a kind that can be there, and an order for each unit.

    Half of them move, most to an occupied or entered province. Fleets at sea convoy armies. The others
    support a neighbour.
    """
    powers = sorted(variant.powers)
    units = [_unit(variant, chance, place, chance.choice(powers)) for place in places]
    orders = _Orders(variant, chance, units)
    orders.move()
    orders.carry()
    return Position(variant.start.phase, frozenset(units), variant.start.centres), orders.finish()


class _Orders:
    """Makes up the orders for the units of one board: first `move`, then `carry`, then `finish`."""

    def __init__(self, variant: Variant, chance: Random, units: list[Unit]) -> None:
        self.board, self.chance, self.units, self.kinds = variant.board, chance, units, variant.kinds
        self.at = {unit.region.province: unit for unit in units}
        self.near = {
            unit: sorted(
                {to for move_kind in self.kinds[unit.kind].moves
                    for to in self.board.neighbours(unit.region, move_kind)}
            )
            for unit in units
        }
        self.moves: dict[Unit, Region] = {}
        self.convoys: dict[Unit, Unit] = {}

    def move(self) -> None:
        """Let half of the units move that can."""
        busy_provinces = set(self.at)
        for unit in self.units:
            if self.near[unit] and self.chance.random() < _MOVING:
                busy = [region for region in self.near[unit] if region.province in busy_provinces]
                choices = busy if busy and self.chance.random() < _BUSY else self.near[unit]
                self.moves[unit] = self.chance.choice(choices)
                busy_provinces.add(self.moves[unit].province)

    def carry(self) -> None:
        """Let every fleet at sea that stays convoy an army from one of its shores to another, if there is
        one."""
        for fleet in self.units:
            shores = [
                p for p in sorted(self.board.near(fleet.region.province, SEA)) if self.board.regions(p, LAND)
            ]
            armies = [
                self.at[p] for p in shores if p in self.at and self.kinds[self.at[p].kind].can_be_convoyed
            ]
            at_sea = self.board.provinces[fleet.region.province].is_sea and self.kinds[fleet.kind].can_convoy
            if at_sea and fleet not in self.moves and armies and len(shores) > 1:
                army = self.chance.choice(armies)
                if army not in self.convoys.values():
                    goal = self.chance.choice([p for p in shores if p != army.region.province])
                    self.moves[army], self.convoys[fleet] = Region(goal), army

    def finish(self) -> list[Order]:
        """An order for each unit, in the order of the units."""
        into: dict[str, list[Unit]] = {}
        for unit, to in self.moves.items():
            into.setdefault(to.province, []).append(unit)
        return [self._order(unit, into) for unit in self.units]

    def _order(self, unit: Unit, into: dict[str, list[Unit]]) -> Order:
        reference, power = unit_ref(unit), unit.power
        if unit in self.moves:
            return Move(power=power, unit=reference, to=self.moves[unit])
        if unit in self.convoys:
            army = self.convoys[unit]
            return Convoy(power=power, unit=reference, target=unit_ref(army), to=self.moves[army])
        choices: list[Order] = []
        for province in sorted({region.province for region in self.near[unit]}):
            choices += [SupportMove(power=power, unit=reference, target=unit_ref(other), to=self.moves[other])
                        for other in into.get(province, ())]
            if province in self.at and self.at[province] not in self.moves:
                target = unit_ref(self.at[province])
                choices.append(SupportHold(power=power, unit=reference, target=target))
        return self.chance.choice(choices) if choices else Hold(power=power, unit=reference)


def _unit(variant: Variant, chance: Random, place: str, power: str) -> Unit:
    able = [(kind.letter, region) for kind in variant.kinds.values() for move_kind in sorted(kind.moves)
            for region in variant.board.regions(place, move_kind)]
    kind, region = chance.choice(able or [(next(iter(variant.kinds)), Region(place))])
    return Unit(power, kind, region)


def unit_ref(unit: Unit) -> UnitRef:
    """A unit as orders name it."""
    return UnitRef(unit.kind, unit.region)


def nearest_places(board: Board, first: str, places: list[str], count: int) -> list[str]:
    """The `count` places that are nearest to the first by steps over land and water; ties by name."""
    nearest: list[str] = []
    edge, visited = [first], {first}
    while edge and len(nearest) < count:
        nearest += [place for place in edge if place in places]
        edge = sorted({n for p in edge for m in (LAND, SEA) for n in board.near(p, m)} - visited)
        visited.update(edge)
    return nearest[:count]
