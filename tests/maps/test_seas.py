"""SEA-01 to SEA-04: sea borders follow from touching. The worked examples are the handbook's own (G5a,
G5b)."""

from __future__ import annotations

import csv
from itertools import pairwise
from pathlib import Path

import maps
from adjudicator.geo import Province, Region, SeaRole, Terrain
from maps import seas


def _w3k_borders() -> dict[Region, frozenset[Region]]:
    """Derived from the touching rows alone, without the loader's own assembly."""
    board = maps.load("w3k").board
    with (Path(maps.__file__).parent / "w3k" / "borders.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["kind"] in {"coast-touch", "sea-touch"}]
    return seas.borders(board.provinces, [(Region.of(row["a"]), Region.of(row["b"])) for row in rows])


# The printed list for a fleet in Lyme Bay, a local region of the Portland area.
LYME_BAY = {
    "Devon/South Coast",
    "Dorset/West Coast",
    "The Isle of Portland",
    "Plymouth Sea Area",
    "Les Sept-Isles and Eddystone Rocks",
    "Portland Sea Area",
    "Hurd's Deep",
    "Alderney Race",
    "Gulf of Mayo",
}
# The printed list for a fleet in the Portland Sea Area, the primary region of the same area.
PORTLAND = (LYME_BAY - {"Portland Sea Area"}) | {
    "Corfe Castle",
    "Brittany/North Coast",
    "Lower Normandy/West Coast",
    "Cherbourg",
    "Jersey",
    "Guernsey",
    "Les Abers & Point de Corsen",
    "The Isle of Wight",
    "Barfleur & La Hougue",
    "Lyme Bay",
}


def test_g5a_lyme_bay_borders_exactly_its_printed_list() -> None:
    borders = _w3k_borders()[Region("Lyme Bay")]
    # Exactly: a border too many is as wrong as one that is missing.
    assert {str(region) for region in borders} == LYME_BAY


def test_g5b_portland_sea_area_borders_exactly_its_printed_list() -> None:
    """The printed list has eighteen names."""
    borders = _w3k_borders()[Region("Portland Sea Area")]
    assert len(PORTLAND) == 18
    # The list prints `The Isle of Wight`, which Q-44 reads both as the island and as the primary of its area.
    assert {str(region) for region in borders} == PORTLAND | {"Wight Sea Area"}


def _sea(name: str, area: str | None, role: SeaRole | None) -> Province:
    return Province(name, name, Terrain.SEA, area=area, role=role)


def _coastal(name: str) -> Province:
    return Province(name, name, Terrain.COASTAL)


def _chain(*names: str) -> list[tuple[Region, Region]]:
    return [(Region(a), Region(b)) for a, b in pairwise(names)]


def _small() -> dict[str, Province]:
    """Two areas next to each other: North with locals n1 and n2, South with local s1; and a lake in no
    area."""
    listed = [
        _sea("North", "N", SeaRole.PRIMARY),
        _sea("n1", "N", SeaRole.LOCAL),
        _sea("n2", "N", SeaRole.LOCAL),
        _sea("South", "S", SeaRole.PRIMARY),
        _sea("s1", "S", SeaRole.LOCAL),
        _sea("lake", None, None),
        _coastal("cape"),
        _coastal("isle"),
    ]
    return {province.id: province for province in listed}


def _names(borders: dict[Region, frozenset[Region]], region: str) -> set[str]:
    return {str(other) for other in borders.get(Region(region), frozenset())}


def test_a_local_borders_its_whole_area_even_where_it_does_not_touch() -> None:
    borders = seas.borders(_small(), [])
    assert _names(borders, "n1") == {"North", "n2"}
    assert _names(borders, "s1") == {"South"}


def test_a_local_borders_the_outside_local_it_touches_and_that_areas_primary() -> None:
    borders = seas.borders(_small(), _chain("n1", "s1"))
    assert _names(borders, "n1") == {"North", "n2", "s1", "South"}
    assert _names(borders, "s1") == {"South", "n1", "North"}
    assert _names(borders, "n2") == {"North", "n1"}, "n2 touches nothing outside"


def test_primaries_border_when_any_part_of_their_areas_touches() -> None:
    assert "South" in _names(seas.borders(_small(), _chain("n1", "s1")), "North")
    assert "South" in _names(seas.borders(_small(), _chain("North", "South")), "North")
    assert "South" not in _names(seas.borders(_small(), []), "North")


def test_a_primary_borders_land_that_touches_any_part_of_its_area() -> None:
    borders = seas.borders(_small(), [*_chain("cape", "n1"), *_chain("isle", "n2")])
    assert {"cape", "isle"} <= _names(borders, "North")
    assert "isle" not in _names(borders, "n1"), "a local borders only the land it touches itself"
    assert _names(borders, "cape") == {"n1", "North"}


def test_a_primary_borders_every_outside_local_that_touches_its_area() -> None:
    borders = seas.borders(_small(), _chain("n2", "s1"))
    assert "s1" in _names(borders, "North")
    assert "n2" in _names(borders, "South")


def test_a_sea_without_an_area_borders_what_it_touches_and_nothing_else() -> None:
    borders = seas.borders(_small(), _chain("n1", "lake", "cape"))
    assert _names(borders, "lake") == {"n1", "cape"}
    assert "lake" not in _names(borders, "North")
    # Where it touches the primary itself it counts.
    assert "lake" in _names(seas.borders(_small(), _chain("North", "lake")), "North")


def test_sea_borders_are_the_same_from_both_sides() -> None:
    for borders in (_w3k_borders(), seas.borders(_small(), _chain("n1", "lake", "cape", "n2", "s1", "isle"))):
        for region, others in borders.items():
            assert all(region in borders[target] for target in others), region
