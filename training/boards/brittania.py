"""Draws `maps/brittania/` again from its sources: gazetteer, list of links and partition (see README.md
here).

    python -m training.boards.brittania SOURCES maps/brittania

writes provinces.csv, borders.csv, setup.csv and partition.geojson. `variant.toml` and `names.csv` are stored
by hand. """

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from shapely.geometry import shape

from training.boards.outline import simplified, to_plane
from training.boards.w3k import PROVINCE_COLUMNS, one_feature_a_line, write

KINDS = ("land", "shore", "coast-touch", "sea-touch")
KINGDOM = "kingdom"
# The other boards' 1.2 would leave the Solent with a border that crosses itself once it is rounded.
TOLERANCE_KM = 1.0
# The source's short forms of these two are the words "nor" and "not".
SHORT = {"Norfolk": "Nfk", "Nottingham": "Ntm"}

Row = Mapping[str, Any]


NAME_AT = {"Orkney": [-3.05, 58.98]}
"""Where a name stands that would else stand elsewhere: the widest part of Orkney is Shetland."""


def main(sources: Path, target: Path) -> None:
    """Read the sources and write every table of the board."""
    rows = json.loads((sources / "brittania_gazetteer.json").read_text("utf-8"))["regions"]
    links = json.loads((sources / "brittania_adjacency.json").read_text("utf-8"))
    partition = json.loads((sources / "brittania_partition.geojson").read_text("utf-8"))
    by_code: dict[str, Row] = {row["abbr"]: row for row in rows}
    write(target / "provinces.csv", (*PROVINCE_COLUMNS, "marks"), (_province(row) for row in rows))
    borders = sorted(set(_borders(by_code, links)), key=lambda row: (KINDS.index(row[2]), row))
    write(target / "borders.csv", ("a", "b", "kind"), borders)
    # Players pick their states when the game begins, so no one owns one before.
    write(target / "setup.csv", ("power", "unit", "region"), ())
    outlines = {f["properties"]["name"]: to_plane(shape(f["geometry"])) for f in partition["features"]}
    labels = {row["name"]: (row["label"][1], row["label"][0]) for row in rows}
    features = simplified(outlines, labels, tolerance_km=TOLERANCE_KM)
    for feature in features:
        if feature["properties"]["id"] in NAME_AT:
            feature["properties"]["name_at"] = NAME_AT[feature["properties"]["id"]]
    (target / "partition.geojson").write_text(one_feature_a_line(features), "utf-8")


def _province(row: Row) -> tuple[str, ...]:
    """Every state may be owned, so each is a centre; kingdom-type states carry a mark. Seas have numbers:
    "Irish Sea (4)"."""
    name, state = str(row["name"]), row["kind"] != "sea"
    mark = KINGDOM if row.get("kingdom_state") else ""
    return (
        name,
        name if state else f"{name} ({row['abbr'][1:]})",
        SHORT.get(name, str(row["abbr"])),
        str(row["kind"]),
        "yes" if state else "",
        "",
        "",
        "",
        "",
        mark,
    )


def _borders(by_code: Mapping[str, Row], links: Row) -> Iterator[tuple[str, str, str]]:
    for pair in links["army"]:
        a, b = sorted(by_code[code]["name"] for code in pair)
        yield a, b, "land"
    for pair in links["fleet"]:
        at_sea = {by_code[code]["name"]: by_code[code]["kind"] == "sea" for code in pair}
        a, b = sorted(at_sea, key=lambda place: (at_sea[place], place))
        yield a, b, ("shore", "coast-touch", "sea-touch")[sum(at_sea.values())]


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
