"""Draws `maps/w3k/` again from its sources: the gazetteer and the full-size partition (see README.md here).

    python -m training.boards.w3k SOURCES maps/w3k

writes provinces.csv, borders.csv, setup.csv and partition.geojson. `variant.toml` and `names.csv` are stored
by hand. """

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from shapely import STRtree
from shapely.geometry import shape
from shapely.geometry.base import BaseGeometry

from training.boards.outline import simplified, to_plane

# A shared stretch shorter than this is a corner, not a border (the reconstruction's own limit for 0.5 km
# cells).
SHORTEST_BORDER_KM = 1.5
# Neighbours' outlines were rounded apart by less than this.
GAP_KM = 0.15
# The end of a land border lies at the sea when water both sides can use is this near: one cell.
SHORE_KM = 0.5
# Their border is a strait narrower than a cell (Kyle Akin), so no stretch of it ends at drawn water.
STRAIT = frozenset({"Skye", "Wester Ross"})

Pair = frozenset[str]
Row = Mapping[str, Any]


def main(sources: Path, target: Path) -> None:
    """Read the sources and write every table of the board."""
    gazetteer = json.loads((sources / "w3k_gazetteer.json").read_text("utf-8"))
    partition = json.loads((sources / "w3k_partition.geojson").read_text("utf-8"))
    rows: dict[str, Row] = {row["name"]: row for row in gazetteer["regions"]}
    outlines = {f["properties"]["name"]: to_plane(shape(f["geometry"])) for f in partition["features"]}
    write(target / "provinces.csv", PROVINCE_COLUMNS, (_province(row) for row in rows.values()))
    write(target / "borders.csv", ("a", "b", "kind"), _borders(rows, outlines))
    write(target / "setup.csv", ("power", "unit", "region"), _setup(gazetteer["powers"], rows))
    features = simplified(outlines, {name: (row["label"][1], row["label"][0]) for name, row in rows.items()})
    (target / "partition.geojson").write_text(one_feature_a_line(features), "utf-8")


PROVINCE_COLUMNS = ("id", "name", "abbr", "terrain", "centre", "area", "role", "home", "coasts")


def _province(row: Row) -> tuple[str, ...]:
    role = {"primary_sea": "primary", "local_sea": "local"}.get(row["kind"], "")
    return (
        row["name"],
        row["name"],
        row["abbr"],
        "sea" if role else row["kind"],
        "yes" if row["sc"] else "",
        row["area"] if role else row["kingdom"],
        role,
        "",
        "; ".join(row.get("coasts", ())),
    )


def _borders(rows: Mapping[str, Row], outlines: Mapping[str, BaseGeometry]) -> Iterator[tuple[str, str, str]]:
    """Raw touching, nothing derived: rows sorted by kind and names."""
    contact = _contact(outlines)
    sea = {name for name, row in rows.items() if row["kind"].endswith("_sea")}
    coastal = {name for name, row in rows.items() if row["kind"] == "coastal"}
    borders: set[tuple[str, str, str]] = set()
    for pair in contact:
        at_sea = sorted(pair & sea)
        on_land = sorted(pair - sea)
        if len(on_land) == 2:
            borders.add((on_land[0], on_land[1], "land"))
            if pair <= coastal:
                borders |= set(_shores(pair, rows, outlines, contact, sea))
        elif len(on_land) == 1:
            borders |= {
                (place, at_sea[0], "coast-touch") for place in _places(rows[on_land[0]], rows[at_sea[0]])
            }
        else:
            borders.add((at_sea[0], at_sea[1], "sea-touch"))
    order = ("land", "shore", "coast-touch", "sea-touch")
    return iter(sorted(borders, key=lambda row: (order.index(row[2]), row)))


def _contact(outlines: Mapping[str, BaseGeometry]) -> set[Pair]:
    names = list(outlines)
    tree = STRtree(list(outlines.values()))
    pairs: set[Pair] = set()
    for name, outline in outlines.items():
        widened_outline = outline.buffer(GAP_KM)
        for index in tree.query(widened_outline):
            other = names[int(index)]
            if other <= name:
                continue
            if widened_outline.intersection(outlines[other].boundary).length >= SHORTEST_BORDER_KM:
                pairs.add(frozenset({name, other}))
    return pairs


def _shores(
    pair: Pair, rows: Mapping[str, Row], outlines: Mapping[str, BaseGeometry], contact: set[Pair],
    sea: set[str]
) -> Iterator[tuple[str, str, str]]:
    """Fleets pass along the shore where the common border comes down to water."""
    a, b = sorted(pair)
    border = outlines[a].buffer(GAP_KM).intersection(outlines[b].boundary)
    for water in sea:
        if frozenset({a, water}) not in contact and frozenset({b, water}) not in contact:
            continue
        if pair != STRAIT and border.distance(outlines[water]) > SHORE_KM:
            continue
        for first in _places(rows[a], rows[water]):
            for second in _places(rows[b], rows[water]):
                yield first, second, "shore"


def _places(land: Row, water: Row) -> list[str]:
    """The land region, or those of its coasts that lie on the water's sea area."""
    coasts = land.get("coasts")
    if not coasts:
        return [land["name"]]
    return [f"{land['name']}/{coast}" for coast, areas in coasts.items() if water["area"] in areas]


def _setup(powers: Mapping[str, Sequence[str]], rows: Mapping[str, Row]) -> Iterator[tuple[str, str, str]]:
    for power, units in powers.items():
        for unit in units:
            kind, _, place = unit.partition(" ")
            yield power, kind, place
        for name, row in rows.items():
            if row["owner"] == power and row["sc"]:
                yield power, "centre", name


def write(path: Path, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)


def one_feature_a_line(features: Sequence[object]) -> str:
    lines = ",\n".join(json.dumps(f, ensure_ascii=False, separators=(",", ":")) for f in features)
    return '{"type":"FeatureCollection","features":[\n' + lines + "\n]}\n"


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
