"""`provinces.csv` and `borders.csv`: the board itself, checked row by row."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from adjudicator.geo import ANY, COAST, LAND, SEA, Board, Coast, Province, Region, SeaRole, Terrain
from maps import seas
from maps.faults import Faults
from maps.files import CsvRow, read_table
from maps.names import normalize

PROVINCES = "provinces.csv"
BORDERS = "borders.csv"
PROVINCE_COLUMNS = ("id", "name", "terrain")
PROVINCE_EXTRAS = ("abbr", "centre", "area", "role", "home", "coasts", "marks")


class Touch(StrEnum):
    """How two regions meet, the `kind` column of `borders.csv`."""

    LAND = "land"
    SHORE = "shore"
    COAST_TOUCH = "coast-touch"
    SEA_TOUCH = "sea-touch"


# The terrains at the two ends of each kind of row, in either order.
_ENDS: Mapping[Touch, tuple[frozenset[Terrain], frozenset[Terrain]]] = {
    Touch.LAND: (frozenset({Terrain.INLAND, Terrain.COASTAL}), frozenset({Terrain.INLAND, Terrain.COASTAL})),
    Touch.SHORE: (frozenset({Terrain.COASTAL}), frozenset({Terrain.COASTAL})),
    Touch.COAST_TOUCH: (frozenset({Terrain.COASTAL}), frozenset({Terrain.SEA})),
    Touch.SEA_TOUCH: (frozenset({Terrain.SEA}), frozenset({Terrain.SEA})),
}


@dataclass(frozen=True, slots=True)
class Borders:
    """The good rows of `borders.csv`: pairs by kind, and those of a kind that can be passed from first to
    second only."""

    pairs: Mapping[Touch, tuple[tuple[Region, Region], ...]]
    one_way: frozenset[tuple[Touch, Region, Region]] = field(default_factory=frozenset)

    def leads_back(self, kind: Touch, a: Region, b: Region) -> bool:
        """Whether one may also go from `b` to `a` by the row of that kind."""
        return (kind, a, b) not in self.one_way


@dataclass(frozen=True, slots=True)
class Provinces:
    """Every good row of `provinces.csv` by id, in the order of the file, and the row each came from."""

    by_id: Mapping[str, Province]
    rows: Mapping[str, int]


def read_provinces(folder: Path, faults: Faults) -> Provinces:
    """The good rows of `provinces.csv`; every other row is a fault."""
    provinces: dict[str, Province] = {}
    rows: dict[str, int] = {}
    owner_of: dict[tuple[str, str], str] = {}
    for row in read_table(folder, PROVINCES, PROVINCE_COLUMNS, PROVINCE_EXTRAS, faults):
        province = _province(row, faults)
        if province is None:
            continue
        if province.id in provinces:
            faults.add(PROVINCES, row.number, f"{province.id!r} is the id of an earlier province")
            continue
        for column, text in (("name", province.name), ("abbreviation", province.abbr)):
            # As a reader of sheets compares them: two names that differ in a hyphen are one to a player.
            owner = owner_of.setdefault((column, normalize(text)), province.id) if text else province.id
            if owner != province.id:
                faults.add(PROVINCES, row.number, f"{province.id} and {owner} have one {column}, {text!r}")
        provinces[province.id] = province
        rows[province.id] = row.number
    _check_areas(provinces, rows, faults)
    return Provinces(provinces, rows)


def _province(row: CsvRow, faults: Faults) -> Province | None:
    def fault(message: str) -> None:
        faults.add(PROVINCES, row.number, message)

    if not row["id"] or not row["name"]:
        fault("a province needs an id and a name")
        return None
    if "/" in row["id"]:
        fault(f"the id {row['id']!r} holds a stroke, which parts a province from its coast")
        return None
    if row["terrain"] not in set(Terrain):
        fault(f"{row['id']} has the terrain {row['terrain']!r}; known are {', '.join(Terrain)}")
        return None
    terrain = Terrain(row["terrain"])
    if row["centre"] not in {"", "yes"}:
        fault(f"{row['id']} has {row['centre']!r} for centre; write yes or nothing")
    role = None
    if row["role"] in set(SeaRole):
        role = SeaRole(row["role"])
    elif row["role"]:
        fault(f"{row['id']} has the role {row['role']!r}; known are {', '.join(SeaRole)}")
    # Only sea areas have parts (SEA-01): a role elsewhere would be stored and never used.
    if role and (terrain is not Terrain.SEA or not row["area"]):
        fault(f"{row['id']} has a role and is not a sea region of an area")
        role = None
    return Province(
        id=row["id"],
        name=row["name"],
        terrain=terrain,
        abbr=row["abbr"],
        centre=row["centre"] == "yes",
        home=row["home"] or None,
        coasts=_coasts(row, terrain, faults),
        area=row["area"] or None,
        role=role,
        marks=frozenset(filter(None, (mark.strip() for mark in row["marks"].split(";")))),
    )


def _coasts(row: CsvRow, terrain: Terrain, faults: Faults) -> tuple[Coast, ...]:
    """"North Coast; South Coast", or with short ids "NC = North Coast; SC = South Coast"."""
    coasts: list[Coast] = []
    for part in filter(None, (piece.strip() for piece in row["coasts"].split(";"))):
        name, _, long = (piece.strip() for piece in part.partition("="))
        coasts.append(Coast(name, long or name))
    if not coasts:
        return ()
    if terrain is not Terrain.COASTAL:
        faults.add(PROVINCES, row.number, f"{row['id']} has coasts and is {terrain.value}")
    # Coasts are there to distinguish two: with one, order and table would have two ways to say the same.
    if len(coasts) == 1:
        faults.add(PROVINCES, row.number, (f"{row['id']} names one coast; coasts are named where there are "
                                           "several"))
    if len({coast.id for coast in coasts}) != len(coasts) or len({coast.name for coast in coasts}) != len(
        coasts
    ):
        faults.add(PROVINCES, row.number, f"{row['id']} has one coast twice")
    return tuple(coasts)


def _check_areas(provinces: Mapping[str, Province], rows: Mapping[str, int], faults: Faults) -> None:
    """A sea area has exactly one primary region (SEA-01). The fault names the last row that is part of it."""
    primaries: defaultdict[str, list[str]] = defaultdict(list)
    for province in provinces.values():
        if province.role is not None and province.area is not None:
            primaries[province.area] += [province.id] if province.role is SeaRole.PRIMARY else []
    for area, listed_ids in primaries.items():
        if len(listed_ids) != 1:
            listed = ", ".join(listed_ids) or "none"
            row = max(
                rows[p.id]
                for p in provinces.values()
                if p.area == area and (p.id in listed_ids or not listed_ids)
            )
            faults.add(PROVINCES, row, (f"the sea area {area} needs exactly one primary region and has "
                                        f"{listed}"))


def read_borders(folder: Path, provinces: Mapping[str, Province], faults: Faults) -> Borders:
    """The good rows of `borders.csv`; every other row is a fault."""
    pairs: dict[Touch, list[tuple[Region, Region]]] = {kind: [] for kind in Touch}
    one_way: set[tuple[Touch, Region, Region]] = set()
    first_row: dict[tuple[Touch, frozenset[Region]], int] = {}
    for row in read_table(folder, BORDERS, ("a", "b", "kind"), ("one_way",), faults):
        if row["kind"] not in set(Touch):
            faults.add(BORDERS, row.number, (f"the kind {row['kind']!r} is not known; known are "
                                             f"{', '.join(Touch)}"))
            continue
        kind = Touch(row["kind"])
        ends = [region_at(text, provinces, kind is not Touch.LAND, BORDERS, row.number, faults)
                for text in (row["a"], row["b"])]
        a, b = ends
        if a is None or b is None or not _ends_fit(kind, a, b, provinces, row, faults):
            continue
        # In either order: "a, b" and "b, a" are the same border.
        earlier = first_row.setdefault((kind, frozenset({a, b})), row.number)
        if earlier != row.number:
            faults.add(BORDERS, row.number, f"{a} and {b} are in row {earlier} already")
            continue
        pairs[kind].append((a, b))
        # Seas border by areas (SEA-01, SEA-02), so one row of two seas gives no single link that could be one
        # way.
        if row["one_way"] == "yes" and kind is not Touch.SEA_TOUCH:
            one_way.add((kind, a, b))
        elif row["one_way"]:
            faults.add(BORDERS, row.number, "one_way is yes or blank, and blank between two seas")
    return Borders({kind: tuple(rows) for kind, rows in pairs.items()}, frozenset(one_way))


def region_at(
    text: str, provinces: Mapping[str, Province], afloat: bool, file: str, row: int, faults: Faults
) -> Region | None:
    """The region written as `text`, or None with a fault: province unknown, coast unknown, coast missing
    where a floating unit needs one, coast given where nothing floats."""
    region = Region.of(text)
    province = provinces.get(region.province)
    if province is None:
        faults.add(file, row, f"{text!r} is not a province of this board")
        return None
    if region.coast is not None and region.coast not in {coast.id for coast in province.coasts}:
        faults.add(file, row, f"{province.id} has no coast {region.coast!r}")
        return None
    if afloat and province.coasts and region.coast is None:
        faults.add(file, row, (f"{province.id} has several coasts; name one, as in "
                               f"{province.id}/{province.coasts[0].id}"))
        return None
    if not afloat and region.coast is not None:
        faults.add(file, row, f"{text} names a coast, and nothing floats here")
        return None
    return region


def _ends_fit(
    kind: Touch, a: Region, b: Region, provinces: Mapping[str, Province], row: CsvRow, faults: Faults
) -> bool:
    if a.province == b.province:
        faults.add(BORDERS, row.number, f"{a.province} cannot border itself")
        return False
    first_terrain, second_terrain = provinces[a.province].terrain, provinces[b.province].terrain
    first, second = _ENDS[kind]
    if (first_terrain in first and second_terrain in second) or (
        second_terrain in first and first_terrain in second
    ):
        return True
    faults.add(BORDERS, row.number, (f"a row of kind {kind.value} cannot join {a} ({first_terrain.value}) "
                                     f"and {b} ({second_terrain.value})"))
    return False


def build_board(
    provinces: Mapping[str, Province], borders: Borders, movements: Collection[str] = ()
) -> Board:
    """The board of good rows: land as it is; the sea by the shore rows and what `seas` derives (SEA-04).
    `movements` are the classes that units use: what else can be derived is, where one of them uses it."""
    land: defaultdict[Region, set[Region]] = defaultdict(set)
    for province in provinces.values():
        if not province.is_sea:  # an army may be on an island that borders nothing by land
            land.setdefault(Region(province.id), set())
    for a, b in borders.pairs[Touch.LAND]:
        _join(land, a, b, both_ways=borders.leads_back(Touch.LAND, a, b))
    sea: defaultdict[Region, set[Region]] = defaultdict(set)
    for a, b in borders.pairs[Touch.SHORE]:
        _join(sea, a, b, both_ways=borders.leads_back(Touch.SHORE, a, b))
    # The file holds who touches whom, as it can be seen on the map; who borders whom is computed (SEA-04).
    touching = (*borders.pairs[Touch.COAST_TOUCH], *borders.pairs[Touch.SEA_TOUCH])
    for region, others in seas.borders(provinces, touching).items():
        # SEA_TOUCH rows cannot be one way, so only coasts are asked.
        sea[region] |= {other for other in others if borders.leads_back(Touch.COAST_TOUCH, other, region)}
    links = {LAND: _frozen(land), SEA: _frozen(sea)}
    if COAST in movements:
        links[COAST] = _along_coasts(provinces, links[SEA])
    if ANY in movements:
        links[ANY] = _at_will(links[LAND], links[SEA])
    return Board(dict(provinces), links)


def _along_coasts(
    provinces: Mapping[str, Province], sea: Mapping[Region, frozenset[Region]]
) -> dict[Region, frozenset[Region]]:
    """The links by sea without those between two seas that no shore touches both of."""
    shores = {
        water: {other.province for other in others if not provinces[other.province].is_sea}
        for water, others in sea.items() if provinces[water.province].is_sea
    }
    return {
        region: frozenset(
            target for target in others
            if region not in shores or target not in shores or not shores[region].isdisjoint(shores[target])
        )
        for region, others in sea.items()
    }


def _at_will(*tables: Mapping[Region, frozenset[Region]]) -> dict[Region, frozenset[Region]]:
    """All links together, without coasts."""
    links: defaultdict[Region, set[Region]] = defaultdict(set)
    for table in tables:
        for region, others in table.items():
            links[Region(region.province)] |= {Region(other.province) for other in others}
    return _frozen(links)


def _join(table: defaultdict[Region, set[Region]], a: Region, b: Region, *, both_ways: bool) -> None:
    table[a].add(b)
    # Asked for even where nothing leads back: a region without links must still be in the table, or no unit
    # could be there.
    reverse = table[b]
    if both_ways:
        reverse.add(a)


def _frozen(table: Mapping[Region, set[Region]]) -> dict[Region, frozenset[Region]]:
    return {region: frozenset(others) for region, others in table.items()}
