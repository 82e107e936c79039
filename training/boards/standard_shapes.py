"""Draws `maps/standard/partition.geojson`: the classic board on a real coast (see README.md here).

    python -m training.boards.standard_shapes ne10m_land_europe_simplified.geojson maps/standard

Each province has a few seed points in standard_seeds.csv; every spot of land belongs to the province of the
nearest land seed, every spot of water to that of the nearest sea seed. Seeds without a province are ground
no one plays on.
"""

from __future__ import annotations

import csv
import json
import sys
from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import shapely
from shapely import STRtree
from shapely.geometry import shape
from shapely.geometry.base import BaseGeometry

import maps
from training.boards.outline import simplified, to_degrees, to_plane
from training.boards.w3k import one_feature_a_line

# Edges of the drawing, kilometres east and north of the middle of the board.
FRAME = shapely.box(-2650, -2080, 2330, 2480)
MIDDLE = (14.0, 51.0)
# Islets and ponds below this size are left to the surroundings.
SPECK_KM2 = 150.0
TOLERANCE_KM = 8.0
# Provinces whose strips of one kilometre share no more than this meet at a corner only.
CORNER_KM2 = 10.0
# Straits that join two provinces by land on this board: inside each box (west, south, east, north in degrees)
# water up to twice the width (kilometres) is filled.
STRAITS = (
    (10.4, 54.6, 12.3, 56.3, 9.0),
    (10.3, 55.5, 11.4, 56.1, 25.0),
    (12.2, 55.3, 13.3, 56.2, 15.0),
    (26.0, 39.9, 29.6, 41.4, 5.0),
)

Seeds = dict[str, list[tuple[str, BaseGeometry]]]


def main(land_file: Path, target: Path) -> None:
    """Read coast and seeds, write the shapes, and print where they disagree with the board's borders."""
    features = json.loads(land_file.read_text("utf-8"))["features"]
    ground = _filled(shapely.unary_union([to_plane(shape(f["geometry"]), MIDDLE) for f in features]))
    land = _without_specks(shapely.intersection(ground, FRAME))
    water = _without_specks(FRAME.difference(land))
    land = FRAME.difference(water)
    seeds = _seeds()
    outlines = dict(sorted((*_cells(land, seeds["land"]), *_cells(water, seeds["sea"]))))
    labels = {name: _label(outline) for name, outline in outlines.items()}
    partition = simplified(outlines, labels, MIDDLE, TOLERANCE_KM)
    (target / "partition.geojson").write_text(one_feature_a_line(partition), "utf-8")
    plane = {f["properties"]["id"]: to_plane(shape(f["geometry"]), MIDDLE) for f in partition}
    for line in _differences(plane):
        print(line)


def _seeds() -> Seeds:
    seeds: Seeds = defaultdict(list)
    with (Path(__file__).parent / "standard_seeds.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            point = to_plane(shapely.Point(float(row["longitude"]), float(row["latitude"])), MIDDLE)
            seeds[row["medium"]].append((row["province"], point))
    return seeds


def _cells(medium: BaseGeometry, seeds: list[tuple[str, BaseGeometry]]) -> Iterator[tuple[str, BaseGeometry]]:
    """Province and its part of the medium; unplayed ground is left out."""
    points = [point for _, point in seeds]
    cells = shapely.get_parts(shapely.voronoi_polygons(shapely.union_all(points), extend_to=FRAME))
    tree = STRtree(points)
    parts: defaultdict[str, list[BaseGeometry]] = defaultdict(list)
    for cell in cells:
        name = seeds[int(tree.query(cell, predicate="contains")[0])][0]
        parts[name].append(cell)
    for name, province_cells in parts.items():
        if name:
            yield name, shapely.intersection(shapely.unary_union(province_cells), medium)


def _filled(ground: BaseGeometry) -> BaseGeometry:
    for west, south, east, north, width in STRAITS:
        box = to_plane(shapely.segmentize(shapely.box(west, south, east, north), 0.1), MIDDLE)
        nearby_ground = ground.intersection(box.buffer(2 * width))
        ground = ground.union(nearby_ground.buffer(width).buffer(-width).intersection(box))
    return ground


def _without_specks(area: BaseGeometry) -> BaseGeometry:
    return shapely.union_all([part for part in shapely.get_parts(area) if part.area >= SPECK_KM2])


def _label(outline: BaseGeometry) -> tuple[float, float]:
    """The middle of the widest spot of the largest part."""
    largest = max(shapely.get_parts(outline), key=lambda part: part.area)
    middle = to_degrees(shapely.Point(shapely.maximum_inscribed_circle(largest, 1.0).coords[0]), MIDDLE)
    return float(shapely.get_x(middle)), float(shapely.get_y(middle))


def _differences(outlines: dict[str, BaseGeometry]) -> Iterator[str]:
    """Neighbours on paper that the board does not join, and the other way round; for the hand that moves
    seeds."""
    board = maps.load("standard").board
    for (first, first_outline), (second, second_outline) in combinations(outlines.items(), 2):
        is_near = shapely.dwithin(first_outline, second_outline, 1.0)
        meet = is_near and first_outline.buffer(1.0).intersection(second_outline).area > CORNER_KM2
        if meet != (second in board.near(first, "land") | board.near(first, "sea")):
            yield f"{first} {second}: {'drawn as neighbours' if meet else 'not drawn as neighbours'}"


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
