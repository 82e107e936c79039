"""Tables and drawing of a board whose links are listed, not measured (see README.md here).

    python -m training.boards.listed SOURCES bretwalda maps/bretwalda

reads SOURCES/bretwalda_{gazetteer,adjacency}.json and SOURCES/bretwalda_partition.geojson, and writes
provinces.csv, borders.csv, setup.csv and partition.geojson. `variant.toml` and `names.csv` are kept by hand.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from shapely.geometry import shape

from training.boards.outline import simplified, to_plane
from training.boards.w3k import PROVINCE_COLUMNS, one_feature_a_line, write

KINDS = ("land", "shore", "coast-touch", "sea-touch")
# Columns of the source that become marks of a province.
MARKS = {"port": "port", "sc_inferred": "unstarred"}

Row = Mapping[str, Any]


def main(sources: Path, name: str, target: Path) -> None:
    """Read the sources and write every table of the board."""
    gazetteer = json.loads((sources / f"{name}_gazetteer.json").read_text("utf-8"))
    links = json.loads((sources / f"{name}_adjacency.json").read_text("utf-8"))
    partition = json.loads((sources / f"{name}_partition.geojson").read_text("utf-8"))
    rows: dict[str, Row] = {row["abbr"]: row for row in gazetteer["regions"]}
    coasts = {abbr: gazetteer["coasts"].get(row["name"], {}) for abbr, row in rows.items()}
    provinces = (province(row, coasts[abbr]) for abbr, row in rows.items())
    write(target / "provinces.csv", (*PROVINCE_COLUMNS, "marks"), provinces)
    ordered = sorted(set(borders(links, rows)), key=lambda row: (KINDS.index(row[2]), row))
    write(target / "borders.csv", ("a", "b", "kind"), ordered)
    write(target / "setup.csv", ("power", "unit", "region"), setup(rows.values()))
    outlines = {f["properties"]["abbr"]: to_plane(shape(f["geometry"])) for f in partition["features"]}
    labels = {abbr: (row["label"][1], row["label"][0]) for abbr, row in rows.items()}
    features = simplified(outlines, {abbr: labels[abbr] for abbr in outlines})
    (target / "partition.geojson").write_text(one_feature_a_line(features), "utf-8")


def province(row: Row, coasts: Iterable[str]) -> tuple[str, ...]:
    """A row of provinces.csv, marks last."""
    short = "; ".join(f"{''.join(word[0] for word in coast.split())} = {coast}" for coast in coasts)
    marks = "; ".join(mark for column, mark in MARKS.items() if row.get(column))
    home = row["owner"] if row.get("home") else None
    return (
        row["abbr"],
        row["name"],
        "",
        row["kind"],
        "yes" if row["sc"] else "",
        row.get("territory") or "",
        "",
        home or "",
        short,
        marks,
    )


def borders(links: Row, rows: Mapping[str, Row]) -> Iterator[tuple[str, str, str]]:
    """Rows of borders.csv, in the order of the source."""
    for pair in links["army"]:
        a, b = sorted(pair)
        yield a, b, "land"
    for pair in links["fleet"]:
        at_sea = {place: rows[place.partition("/")[0]]["kind"] == "sea" for place in pair}
        a, b = sorted(pair, key=lambda place: (at_sea[place], place))
        yield _short(a), _short(b), ("shore", "coast-touch", "sea-touch")[sum(at_sea.values())]


def _short(place: str) -> str:
    """A place with its coast shortened as the tables have it: "Dev/North Coast" is "Dev/NC"."""
    province, stroke, coast = place.partition("/")
    return province + stroke + "".join(word[0] for word in coast.split())


def setup(rows: Iterable[Row]) -> Iterator[tuple[str, str, str]]:
    """Rows of setup.csv: the units and centres of each owner."""
    for row in rows:
        if row["owner"]:
            if row.get("unit"):
                yield row["owner"], row["unit"], row["abbr"]
            yield row["owner"], "centre", row["abbr"]


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]))
