"""How outlines are made lighter: the projection turns back, borders stay common, slivers close and lakes
stay."""

from __future__ import annotations

import math

import shapely
from hypothesis import given, strategies as st
from shapely.geometry import shape
from shapely.geometry.base import BaseGeometry

from training.boards.outline import EARTH_KM, simplified, to_degrees, to_plane

MIDDLE = (0.0, 50.0)


@given(st.floats(-25, 50), st.floats(28, 72))
def test_the_projection_turns_back(east: float, north: float) -> None:
    back = to_degrees(to_plane(shapely.Point(east, north), (14.0, 51.0)), (14.0, 51.0))
    assert math.isclose(shapely.get_x(back), east, abs_tol=1e-9)
    assert math.isclose(shapely.get_y(back), north, abs_tol=1e-9)


def test_the_projection_keeps_areas() -> None:
    """A degree cell on a sphere has the area R^2 * dlon * (sin of one parallel less sin of the other)."""
    # Parallels are bent in the plane; without points on the way the cell would be cut short.
    cell = shapely.segmentize(shapely.box(-6, 57, -5, 58), 0.01)
    on_earth = EARTH_KM**2 * math.radians(1) * (math.sin(math.radians(58)) - math.sin(math.radians(57)))
    assert math.isclose(to_plane(cell).area, on_earth, rel_tol=1e-5)


def _drawn(outlines: dict[str, BaseGeometry]) -> dict[str, BaseGeometry]:
    features = simplified(outlines, dict.fromkeys(outlines, (0.0, 50.0)), MIDDLE)
    return {f["properties"]["id"]: to_plane(shape(f["geometry"]), MIDDLE) for f in features}


def test_a_stepped_border_is_straightened_for_both_sides() -> None:
    steps = [(50 + (0.5 if row % 2 else 0.0), float(row)) for row in range(101)]
    west = shapely.Polygon([(0, 0), *steps, (0, 100)])
    east = shapely.Polygon([(100, 0), *steps, (100, 100)])
    outlines = _drawn({"west": west, "east": east})
    assert shapely.coverage_is_valid(list(outlines.values()))
    assert sum(shapely.get_num_coordinates(outline) for outline in outlines.values()) < 30
    assert math.isclose(outlines["west"].area, 5000, rel_tol=0.02)


def test_a_sliver_goes_to_a_neighbour_and_a_lake_stays() -> None:
    west = shapely.box(0, 0, 50, 100).difference(shapely.box(20, 20, 30, 30))
    east = shapely.box(50, 0, 100, 100)
    gap = shapely.Polygon([(50, 40), (50.02, 50), (50, 60)])
    outlines = _drawn({"west": west, "east": east.difference(gap)})
    assert shapely.coverage_is_valid(list(outlines.values()))
    united = shapely.union_all(list(outlines.values()))
    assert isinstance(united, shapely.Polygon)
    assert len(united.interiors) == 1, "the gap is closed, the lake is open"
    assert math.isclose(shapely.Polygon(united.interiors[0]).area, 100, rel_tol=0.05)
