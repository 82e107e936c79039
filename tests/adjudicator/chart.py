"""A board as its tables print it, for the second opinion: read with nothing of the program, so that a fault
of the loader or of the judge's own tables is not a fault here. It answers the questions of
`adjudicator.geo.Board` that the naive resolvers ask."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from adjudicator.geo import LAND, SEA, Region

AFLOAT = {"shore", "coast-touch", "sea-touch"}
"""The kinds of border that a fleet crosses."""


class ChartCoast(NamedTuple):
    """A named coast."""

    id: str


@dataclass(frozen=True, slots=True)
class Place:
    """A province of the chart. `coasts` are in the order of the table."""

    id: str
    is_sea: bool
    centre: bool
    coasts: tuple[ChartCoast, ...]
    area: str


class Chart:
    """The provinces and borders of one board, without the boxes next to it."""

    def __init__(self, slug: str) -> None:
        folder = Path("maps", slug)
        rows = list(csv.DictReader((folder / "provinces.csv").open(encoding="utf-8")))
        self.provinces: dict[str, Place] = {
            row["id"]: Place(
                row["id"], row["terrain"] == "sea", row["centre"] == "yes", _coasts(row["coasts"]),
                row["area"])
            for row in rows if "off_board" not in (row.get("marks") or "")
        }
        self._primary = {row["area"]: row["id"] for row in rows if row["role"] == "primary"}
        self._links: dict[str, dict[Region, set[Region]]] = {LAND: {}, SEA: {}}
        for row in csv.DictReader((folder / "borders.csv").open(encoding="utf-8")):
            ends = Region.of(row["a"]), Region.of(row["b"])
            if any(end.province not in self.provinces for end in ends):
                continue
            table = self._links[SEA if row["kind"] in AFLOAT else LAND]
            table.setdefault(ends[0], set()).add(ends[1])
            if row.get("one_way") != "yes":
                table.setdefault(ends[1], set()).add(ends[0])
        self._widen_sea_areas()

    def _widen_sea_areas(self) -> None:
        """In a sea area every region borders every other, and the primary what any of them touches; who
        touches one region borders its primary too (SEA-01, SEA-02)."""
        touching = {region: frozenset(others) for region, others in self._links[SEA].items()}
        for area, primary in self._primary.items():
            members = [Region(p.id) for p in self.provinces.values() if p.is_sea and p.area == area]
            outside = {other for member in members for other in touching.get(member, ())} - set(members)
            # Through its local regions the area touches other areas, and their primaries with them.
            other_primaries = {
                Region(self._primary[self.provinces[other.province].area])
                for other in outside if self.provinces[other.province].is_sea
            }
            for region in (*members, *outside, *other_primaries):
                self._join(Region(primary), region)
            for member in members:
                for other in members:
                    self._join(member, other)

    def _join(self, one: Region, other: Region) -> None:
        if one != other:
            self._links[SEA].setdefault(one, set()).add(other)
            self._links[SEA].setdefault(other, set()).add(one)

    def neighbours(self, region: Region, movement: str) -> frozenset[Region]:
        """Regions one step away for an army (LAND) or a fleet (SEA)."""
        return frozenset(self._links[movement].get(region, ()))

    def near(self, province: str, movement: str) -> frozenset[str]:
        """Provinces one step away from any region of a province."""
        return self._near[movement].get(province, frozenset())

    def regions(self, province: str, movement: str) -> tuple[Region, ...]:
        """Where an army or a fleet can be in a province; an army also on an island without land
        links."""
        if movement == LAND:
            return () if self.provinces[province].is_sea else (Region(province),)
        afloat = (region for region in self._links[SEA] if region.province == province)
        return tuple(sorted(afloat, key=lambda region: region.coast or ""))

    @cached_property
    def _near(self) -> Mapping[str, Mapping[str, frozenset[str]]]:
        near: dict[str, dict[str, frozenset[str]]] = {LAND: {}, SEA: {}}
        for movement, table in self._links.items():
            for region, others in table.items():
                before = near[movement].get(region.province, frozenset())
                near[movement][region.province] = before | {other.province for other in others}
        return near


def _coasts(text: str) -> tuple[ChartCoast, ...]:
    return tuple(ChartCoast(name.partition("=")[0].strip()) for name in text.split(";") if name.strip())
