"""The board: provinces, the regions where units are, and which of them touch.

A province is a territory. A region is a province with one of its coasts, or with none; a unit is in a region.
Links are stored by *movement class*, a name such as "land" or "sea", and not by unit kind: a kind shows which
classes it uses (`adjudicator.units.UnitKind`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

LAND = "land"
SEA = "sea"
COAST = "coast"
"""By sea, but from one sea to another only where some shore touches both (Bretwalda's boats)."""
ANY = "any"
"""By land and by sea alike, so without coasts (1066's A/F)."""


class Terrain(StrEnum):
    """Land, coast or sea. Armies and fleets can both enter a coastal province."""

    INLAND = "inland"
    COASTAL = "coastal"
    SEA = "sea"


class SeaRole(StrEnum):
    """The part a sea region plays in its sea area (handbook, requirements SEA-01 and SEA-02)."""

    PRIMARY = "primary"
    LOCAL = "local"


@dataclass(frozen=True, slots=True)
class Coast:
    """A named coast of one province: `id` as written in data ("NC", "South Coast"), `name` as printed."""

    id: str
    name: str


@dataclass(frozen=True, slots=True, order=True)
class Region:
    """Where a unit is: a province, with a coast where the province has several and the unit is a fleet."""

    province: str
    coast: str | None = None

    def __hash__(self) -> int:
        # Regions are hashed thousands of times a turn; two coasts of one province may share a hash.
        return hash(self.province)

    def __str__(self) -> str:
        return self.province if self.coast is None else f"{self.province}/{self.coast}"

    @classmethod
    def of(cls, text: str) -> Region:
        """The region in "SPA/NC", "Devon/South Coast" or "LON"; inverse of `str`. No board is asked."""
        province, _, coast = text.partition("/")
        return cls(province, coast or None)


@dataclass(frozen=True, slots=True)
class Province:
    """One territory of a board.

    `id` is the key in data and JSON: the three-letter code on the standard board, the full name on w3k.
    `name` is the full name, `abbr` a short form or "". `centre`: it is a supply centre. `home` is the power
    whose home centre it is. `area` is the land area of a land province ("England") or the sea area of a sea;
    `role` is set only for seas grouped in areas. `marks` are words that a rule set looks for ("port").
    """

    id: str
    name: str
    terrain: Terrain
    abbr: str = ""
    centre: bool = False
    home: str | None = None
    coasts: tuple[Coast, ...] = ()
    area: str | None = None
    role: SeaRole | None = None
    marks: frozenset[str] = frozenset()

    @property
    def is_sea(self) -> bool:
        return self.terrain is Terrain.SEA

    def coast_id(self, text: str) -> str | None:
        """The id of a coast by its id or printed name, in any case; None if the province has no such
        coast."""
        folded = text.casefold()
        return next((c.id for c in self.coasts if folded in (c.id.casefold(), c.name.casefold())), None)


Links = Mapping[str, Mapping[Region, frozenset[Region]]]


@dataclass(frozen=True, slots=True)
class Board:
    """Every province and every link of one variant.

    `links[movement class][region]` is the set of regions reachable in one step. Both directions are listed;
    a one-way link is listed for one side only. A class cannot enter a region that is missing from it.
    `homes` are pairs of a power and one of its home centres, as the board has them.
    """

    provinces: Mapping[str, Province]
    links: Links
    homes: frozenset[tuple[str, str]] = field(init=False, repr=False, compare=False)
    _near: dict[str, dict[str, frozenset[str]]] = field(init=False, repr=False, compare=False)
    _marked: dict[str, dict[str, str]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        neighbours: dict[str, dict[str, set[str]]] = {}
        for movement, table in self.links.items():
            rows = neighbours.setdefault(movement, {})
            for region, others in table.items():
                rows.setdefault(region.province, set()).update(o.province for o in others)
        object.__setattr__(
            self, "_near", {m: {p: frozenset(s) for p, s in rows.items()} for m, rows in neighbours.items()}
        )
        # Rule sets ask both for every line of an adjustment phase, so no province is searched again.
        homes = frozenset((p.home, p.id) for p in self.provinces.values() if p.home is not None)
        object.__setattr__(self, "homes", homes)
        marked: dict[str, dict[str, str]] = {}
        for province in self.provinces.values():
            for name, equals, value in (mark.partition("=") for mark in sorted(province.marks)):
                if equals:
                    marked.setdefault(name, {}).setdefault(province.id, value)
        object.__setattr__(self, "_marked", marked)

    def neighbours(self, region: Region, movement: str) -> frozenset[Region]:
        """Regions one step away from `region` for a movement class; empty when there are none."""
        return self.links.get(movement, {}).get(region, frozenset())

    def near(self, province: str, movement: str) -> frozenset[str]:
        """Provinces one step away from any region of `province` for a movement class."""
        return self._near.get(movement, {}).get(province, frozenset())

    def regions(self, province: str, movement: str) -> tuple[Region, ...]:
        """The regions of a province that a movement class can enter: one, or one for each coast; sorted."""
        return tuple(sorted((r for r in self.links.get(movement, {}) if r.province == province),
                            key=lambda r: r.coast or ""))

    def marked(self, name: str) -> Mapping[str, str]:
        """Ids of the provinces with a mark "name=value", each with its value; empty where there are none."""
        return self._marked.get(name, {})

    def centres(self) -> tuple[str, ...]:
        """Ids of all supply centres, sorted."""
        return tuple(sorted(p.id for p in self.provinces.values() if p.centre))

    def region_text(self, region: Region, pattern: str = "{}/{}") -> str:
        """A region in full words: "Devon/South Coast", "Spain/North Coast" for SPA/NC.

        `pattern` has two blanks, for the province and its coast. What the board does not have is printed as
        it is written.
        """
        province = self.provinces.get(region.province)
        name = region.province if province is None else province.name
        if region.coast is None:
            return name
        # A coast that the province does not have is printed as other provinces' coast of that id is:
        # "London/North Coast" for LON/NC, which the judge takes for London (DATC 4.B.6).
        provinces = self.provinces.values() if province is None else (province, *self.provinces.values())
        coasts = (coast for p in provinces for coast in p.coasts if coast.id == region.coast)
        coast = next(coasts, None)
        return pattern.format(name, region.coast if coast is None else coast.name)
