"""The drawn shapes: whole, valid, light, edge to edge."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import shapely

import maps
from maps import geometry
from maps.fault import Faults

SHAPES = maps.shapes("w3k")
BOARD = maps.load("w3k").board


def _polygons(name: str) -> shapely.MultiPolygon:
    return shapely.MultiPolygon([(rings[0], list(rings[1:])) for rings in SHAPES[name].polygons])


def test_every_province_is_drawn_and_valid() -> None:
    assert set(SHAPES) == set(BOARD.provinces)
    for name in SHAPES:
        drawn = _polygons(name)
        assert drawn.is_valid, name
        assert drawn.area > 0


def test_shapes_lie_edge_to_edge() -> None:
    assert shapely.coverage_is_valid([_polygons(name) for name in SHAPES])


def test_a_label_lies_on_its_province() -> None:
    for name, shape in SHAPES.items():
        assert _polygons(name).distance(shapely.Point(shape.label)) == 0, name


@pytest.mark.parametrize(
    ("name", "east", "north"),
    [
        ("London", -0.1, 51.5), ("Edinburgh", -3.2, 55.95), ("Isle of Man", -4.5, 54.2), ("Orkney", -3.0, 58.97),
        ("Irish Sea", -4.9, 53.8), ("Lyme Bay", -2.9, 50.55), ("Kerry", -9.7, 52.15), ("Holland", 4.6, 52.2),
    ],
)
def test_places_lie_where_they_are_on_earth(name: str, east: float, north: float) -> None:
    assert _polygons(name).contains(shapely.Point(east, north))


def test_the_file_is_light() -> None:
    assert (maps.folder("w3k") / geometry.FILE).stat().st_size < 500_000


def test_neighbours_by_land_touch_on_paper() -> None:
    """Simplifying moved corners, never torn a border open: 0.02 degrees is about two kilometres."""
    for here, others in BOARD.links["land"].items():
        outline = _polygons(here.province)
        for there in others:
            assert outline.distance(_polygons(there.province)) < 0.02, (here, there)


def test_every_fault_of_a_drawing_is_found(tmp_path: Path) -> None:
    def feature(name: str, kind: str = "Polygon", ring: object = None) -> dict[str, object]:
        square = [[0, 0], [1, 0], [1, 1], [0, 0]]
        rings = [square if ring is None else ring]
        return {"properties": {"id": name, "label": [0.5, 0.2]}, "geometry": {"type": kind, "coordinates": rings}}

    drawn = [
        feature("London"), feature("London"), feature("Atlantis"), feature("York", "Point"),
        feature("Kent", ring=[[0, 0], [1, 1], [0, 0]]), {"properties": {"id": "Bristol"}},
    ]
    (tmp_path / geometry.FILE).write_text(json.dumps({"features": drawn}), "utf-8")
    faults = Faults()
    geometry.check(tmp_path, BOARD, faults)
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
    geometry.check(tmp_path, BOARD, faults)
    assert len(faults.all()) == 1
    assert "no GeoJSON" in str(faults.all()[0])
