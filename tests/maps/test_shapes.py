"""The drawn shapes: whole, valid, light, edge to edge."""

from __future__ import annotations

import itertools
import json
from functools import cache
from pathlib import Path

import pytest
import shapely

import maps
from maps import geometry
from maps.faults import Faults
from training.boards.outline import to_plane

BOARDS = [slug for slug in maps.variants() if maps.shapes(slug)]
PLACES = [
    ("w3k", "London", -0.1, 51.5), ("w3k", "Edinburgh", -3.2, 55.95), ("w3k", "Isle of Man", -4.5, 54.2),
    ("w3k", "Orkney", -3.0, 58.97), ("w3k", "Irish Sea", -4.9, 53.8), ("w3k", "Lyme Bay", -2.9, 50.55),
    ("w3k", "Kerry", -9.7, 52.15), ("w3k", "Holland", 4.6, 52.2),
    ("standard", "PAR", 2.35, 48.86), ("standard", "MOS", 37.6, 55.75), ("standard", "CON", 28.9, 41.1),
    ("standard", "VIE", 16.4, 48.2), ("standard", "TUN", 10.1, 36.7), ("standard", "STP", 30.4, 59.9),
    ("standard", "BLA", 34.0, 43.2), ("standard", "MAO", -15.0, 42.0), ("standard", "NAP", 14.3, 40.95),
]


@cache
def _outlines(slug: str) -> dict[str, shapely.MultiPolygon]:
    return {
        name: shapely.MultiPolygon([(rings[0], list(rings[1:])) for rings in shape.polygons])
        for name, shape in maps.shapes(slug).items()
    }


def test_both_boards_are_drawn() -> None:
    assert {"standard", "w3k"} <= set(BOARDS)


@pytest.mark.parametrize("slug", BOARDS)
def test_every_province_is_drawn_and_valid(slug: str) -> None:
    assert set(_outlines(slug)) == set(maps.load(slug).board.provinces)
    for name, outline in _outlines(slug).items():
        assert outline.is_valid, name
        assert outline.area > 0


@pytest.mark.parametrize("slug", BOARDS)
def test_shapes_lie_edge_to_edge(slug: str) -> None:
    # No gap and no overlap between any two shapes.
    assert shapely.coverage_is_valid(list(_outlines(slug).values()))


@pytest.mark.parametrize("slug", BOARDS)
def test_a_label_lies_on_its_province(slug: str) -> None:
    for name, shape in maps.shapes(slug).items():
        assert _outlines(slug)[name].distance(shapely.Point(shape.label)) == 0, name


@pytest.mark.parametrize(("slug", "name", "east", "north"), PLACES)
def test_places_lie_where_they_are_on_earth(slug: str, name: str, east: float, north: float) -> None:
    assert _outlines(slug)[name].contains(shapely.Point(east, north))


@pytest.mark.parametrize("slug", BOARDS)
def test_the_file_is_light(slug: str) -> None:
    assert (maps.folder(slug) / geometry.FILE).stat().st_size < 500_000


@pytest.mark.parametrize("slug", BOARDS)
def test_neighbours_by_land_touch_on_paper(slug: str) -> None:
    """Simplifying the shapes moved corners but tore no border open."""
    board = maps.load(slug).board
    for region, others in board.links["land"].items():
        # Who is off the board waits in a box next to it and comes from far away.
        if "off_board" in board.provinces[region.province].marks:
            continue
        outline = _outlines(slug)[region.province]
        for target in others:
            # 0.02 degrees is about two kilometres.
            assert outline.distance(_outlines(slug)[target.province]) < 0.02, (region, target)


def test_the_classic_board_draws_neighbours_exactly_where_it_has_them() -> None:
    """No sea areas there: what touches on paper is joined, and nothing else is, corners apart."""
    board = maps.load("standard").board
    plane = {name: to_plane(outline, (14.0, 51.0)) for name, outline in _outlines("standard").items()}
    for first, other in itertools.combinations(plane, 2):
        shared = (
            plane[first].buffer(1.0).intersection(plane[other]).area
            if shapely.dwithin(plane[first], plane[other], 1)
            else 0
        )
        joined = other in board.near(first, "land") | board.near(first, "sea")
        # 10 square kilometres of a strip one kilometre wide: a shared corner has less than 4.
        assert (shared > 10) == joined, (first, other)


def test_every_fault_of_a_drawing_is_found(tmp_path: Path) -> None:
    def feature(name: str, kind: str = "Polygon", ring: object = None) -> dict[str, object]:
        square = [[0, 0], [1, 0], [1, 1], [0, 0]]
        rings = [square if ring is None else ring]
        return {
            "properties": {"id": name, "label": [0.5, 0.2]},
            "geometry": {"type": kind, "coordinates": rings},
        }

    features = [
        feature("London"), feature("London"), feature("Atlantis"), feature("York", "Point"),
        feature("Kent", ring=[[0, 0], [1, 1], [0, 0]]), {"properties": {"id": "Bristol"}},
    ]
    (tmp_path / geometry.FILE).write_text(json.dumps({"features": features}), "utf-8")
    faults = Faults()
    geometry.check_shapes(tmp_path, maps.load("w3k").board, faults)
    words = "\n".join(str(fault) for fault in faults.all())
    for expected in (
        "London has two shapes", "shape for 'Atlantis'", "Point is neither", "a ring needs four points",
        "shape 6 cannot be read", "Surrey has no shape",
    ):
        assert expected in words
    with pytest.raises(maps.MapError):
        geometry.shapes(tmp_path)


def test_a_drawing_that_is_no_geojson_is_one_fault(tmp_path: Path) -> None:
    (tmp_path / geometry.FILE).write_text("{", "utf-8")
    faults = Faults()
    geometry.check_shapes(tmp_path, maps.load("w3k").board, faults)
    assert len(faults.all()) == 1
    assert "not a GeoJSON" in str(faults.all()[0])
