"""The ground: provinces, the regions units stand in, and who touches whom.

A province is a territory. A region is a province together with a coast, or with none; a unit stands in a
region. Links are kept by *movement class*, a name such as "land" or "sea", never by unit type: a unit kind
says which classes it may use (see `adjudicator.units.UnitKind`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

LAND = "land"
SEA = "sea"
COAST = "coast"
"""By sea, but from one sea to another only where some shore touches both."""
ANY = "any"
"""By land and by sea at will; whoever moves so is on no coast in particular."""


class Terrain(StrEnum):
    """What a province is made of. A coastal province takes armies and fleets."""

    INLAND = "inland"
    COASTAL = "coastal"
    SEA = "sea"


class SeaRole(StrEnum):
    """A sea region's place in its sea area (handbook, requirements SEA-01 and SEA-02)."""

    PRIMARY = "primary"
    LOCAL = "local"


@dataclass(frozen=True, slots=True)
class Coast:
    """A named coast of one province: `id` as written in data ("NC", "South Coast"), `name` as printed."""

    id: str
    name: str


@dataclass(frozen=True, slots=True, order=True)
class Region:
    """Where a unit stands: a province, and its coast where the province has several and the unit floats."""

    province: str
    coast: str | None = None

    def __hash__(self) -> int:
        # Hashed thousands of times a turn; two coasts of one province may share a hash.
        return hash(self.province)

    def __str__(self) -> str:
        return self.province if self.coast is None else f"{self.province}/{self.coast}"

    @classmethod
    def of(cls, text: str) -> Region:
        """Read "SPA/NC" or "Devon/South Coast" or "LON"; inverse of `str`. No check against a board."""
        province, _, coast = text.partition("/")
        return cls(province, coast or None)


@dataclass(frozen=True, slots=True)
class Province:
    """One territory of a board.

    `id` is the key used in data and JSON (the three-letter code on the standard board, the full name on w3k),
    `name` the full name, `abbr` a short form or "". `area` is the land area of a land province ("England") or
    the sea area of a sea region; `role` is set for seas grouped in areas only. `home` is the power whose home
    it is. `marks` are words that a rule set asks for ("port"), as the board's table gives them.
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
        """The coast meant by an id or a printed name, in any case; None when this province has no such
        coast."""
        wanted = text.casefold()
        return next((c.id for c in self.coasts if wanted in (c.id.casefold(), c.name.casefold())), None)


Links = Mapping[str, Mapping[Region, frozenset[Region]]]


@dataclass(frozen=True, slots=True)
class Board:
    """Every province and every link of one variant.

    `links[movement class][region]` is the set of regions reachable in one step. Links are given for both
    directions; a one-way link stands on one side only. A region missing from a class cannot be entered by it.
    """

    provinces: Mapping[str, Province]
    links: Links
    _near: dict[str, dict[str, frozenset[str]]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        near: dict[str, dict[str, set[str]]] = {}
        for movement, table in self.links.items():
            rows = near.setdefault(movement, {})
            for region, others in table.items():
                rows.setdefault(region.province, set()).update(o.province for o in others)
        object.__setattr__(
            self, "_near", {m: {p: frozenset(s) for p, s in rows.items()} for m, rows in near.items()}
        )

    def neighbours(self, region: Region, movement: str) -> frozenset[Region]:
        """Regions one step away from `region` for a movement class; empty when there are none."""
        return self.links.get(movement, {}).get(region, frozenset())

    def near(self, province: str, movement: str) -> frozenset[str]:
        """Provinces one step away from any region of `province` for a movement class."""
        return self._near.get(movement, {}).get(province, frozenset())

    def regions(self, province: str, movement: str) -> tuple[Region, ...]:
        """Regions of a province that a movement class may stand in: one, or one per coast; sorted."""
        return tuple(sorted((r for r in self.links.get(movement, {}) if r.province == province),
                            key=lambda r: r.coast or ""))

    def centres(self) -> tuple[str, ...]:
        """Ids of all supply centres, sorted."""
        return tuple(sorted(p.id for p in self.provinces.values() if p.centre))
