"""Draws `maps/britain1066/` again from its sources, and the boxes next to the board (see README.md here).

    python -m training.boards.britain1066 SOURCES maps/britain1066

As `listed.py`. The boxes are this project's own: a unit that begins or is built off the board is in a box,
and leaves it by one-way borders for the coasts and seas that the printed rules name.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from shapely.geometry import box, shape

from service.pictures.drawing.projection import TransverseMercator
from training.boards import listed
from training.boards.outline import DECIMALS, simplified, to_plane
from training.boards.w3k import PROVINCE_COLUMNS, one_feature_a_line, write

OFF = "off_board"
# What each sort of box is for, as a mark of its provinces.
CODES = {"HG": "hidden=GER", "HW": "hidden=WAS", "SH": "straits", "NM": "builds=Duke William; kinds=A F",
         "NW": "builds=Harald Hardrada; kinds=A/F"}

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Boxes:
    """A row of boxes of one kind. `seas`: where they lead; `lands`: True if to the coasts of those seas too;
    `corner`: the south-west corner of the first box, kilometres east and north on the map."""

    code: str
    name: str
    count: int
    seas: tuple[str, ...]
    lands: bool
    corner: tuple[float, float]
    seas_beside: tuple[str, ...] = ()


BOXES = (
    Boxes("SH", "Straits Hold", 4, ("SOD",), True, (345.0, -530.0)),
    Boxes("NM", "Normandy", 6, ("SOD", "CHA"), True, (345.0, -580.0)),
    Boxes("HG", "Hidden Germanicus", 4, ("GER",), True, (490.0, -332.0), ("FOF", "WAS")),
    Boxes("HW", "Hidden Wash", 4, ("WAS",), True, (490.0, -382.0), ("GER", "SOD")),
    Boxes("NW", "Norway", 6, ("GER", "WAS", "FOF"), False, (490.0, -432.0)),
)
# Kilometres of a box on the map, and between two. In degrees, boxes next to the board stood askew.
WIDE, HIGH, GAP = 66.0, 38.0, 4.0
MAP = TransverseMercator()
# Where a name stands that would else stand elsewhere: the Firth of Forth reaches beyond Orkney.
NAME_AT = {"FOF": [-1.55, 56.35]}
ABREAST = 4


def main(sources: Path, target: Path) -> None:
    """Read the sources and write every table of the board."""
    gazetteer = json.loads((sources / "1066_gazetteer.json").read_text("utf-8"))
    links = json.loads((sources / "1066_adjacency.json").read_text("utf-8"))
    partition = json.loads((sources / "1066_partition.geojson").read_text("utf-8"))
    rows: dict[str, Row] = {row["abbr"]: row for row in gazetteer["regions"]}
    coasts = {abbr: gazetteer["coasts"].get(row["name"], {}) for abbr, row in rows.items()}
    provinces = [listed.province(row, coasts[abbr]) for abbr, row in rows.items()]
    write(target / "provinces.csv", (*PROVINCE_COLUMNS, "marks"), [*provinces, *_boxes()])
    borders = {(*border, "") for border in listed.borders(links, rows)} | set(_ways_out(links, rows))
    ordered = sorted(borders, key=lambda row: (listed.KINDS.index(row[2]), row))
    write(target / "borders.csv", ("a", "b", "kind", "one_way"), ordered)
    write(target / "setup.csv", ("power", "unit", "region"), [*listed.setup(rows.values()), *_waiting()])
    outlines = {f["properties"]["abbr"]: to_plane(shape(f["geometry"])) for f in partition["features"]}
    labels = {abbr: (row["label"][1], row["label"][0]) for abbr, row in rows.items()}
    features = [*simplified(outlines, {abbr: labels[abbr] for abbr in outlines}), *_squares()]
    for feature in features:
        if feature["properties"]["id"] in NAME_AT:
            feature["properties"]["name_at"] = NAME_AT[feature["properties"]["id"]]
    (target / "partition.geojson").write_text(one_feature_a_line(features), "utf-8")


def _boxes() -> Iterator[tuple[str, ...]]:
    for boxes in BOXES:
        for number in range(1, boxes.count + 1):
            yield (f"{boxes.code}{number}", f"{boxes.name} {number}", "", "coastal", "", "", "", "", "",
                   f"{OFF}; {CODES[boxes.code]}")


def _ways_out(links: Row, rows: Mapping[str, Row]) -> Iterator[tuple[str, str, str, str]]:
    for boxes in BOXES:
        shores = {
            place.partition("/")[0] for pair in links["fleet"] for sea, place in (pair, pair[::-1])
            if sea in boxes.seas and rows[place.partition("/")[0]]["kind"] != "sea"}
        for number in range(1, boxes.count + 1):
            box_code = f"{boxes.code}{number}"
            for sea in (*boxes.seas, *boxes.seas_beside):
                yield box_code, sea, "coast-touch", "yes"
            for shore in shores if boxes.lands else ():
                yield box_code, shore, "land", "yes"


def _waiting() -> Iterator[tuple[str, str, str]]:
    for number in range(1, 5):
        yield "Duke William", "A", f"SH{number}"
        yield "Harald Hardrada", "A/F", f"HG{number}"


def _squares() -> Iterator[Mapping[str, Any]]:
    for boxes in BOXES:
        west, south = boxes.corner
        for number in range(boxes.count):
            left, foot = west + number % ABREAST * (WIDE + GAP), south - number // ABREAST * (HIGH + GAP)
            square = box(left, foot, left + WIDE, foot + HIGH)
            corners = _degrees(square.exterior.coords)
            middle = _degrees(square.centroid.coords)[0]
            yield {
                "type": "Feature",
                # The largest circle in a box that is wider than high may lie anywhere along it.
                "properties": {"id": f"{boxes.code}{number + 1}", "label": middle, "name_at": middle},
                "geometry": {"type": "Polygon", "coordinates": [corners]},
            }


def _degrees(points: Any) -> list[list[float]]:
    """Kilometres on the map as degrees, as a file has them."""
    degrees = MAP.inverse(np.array(points))
    return [[round(float(x), DECIMALS) for x in point] for point in degrees]


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
