"""Draws `maps/war1648/` again from its sources: gazetteer, list of links and partition (see README.md here).

    python -m training.boards.war1648 SOURCES maps/war1648

writes provinces.csv, borders.csv, setup.csv and partition.geojson. `variant.toml` and `names.csv` are stored
by hand. """

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from shapely.geometry import shape

from training.boards.outline import simplified, to_plane
from training.boards.w3k import PROVINCE_COLUMNS, one_feature_a_line, write

MIDDLE = (20.0, 52.0)
# The board reaches from Iceland to the Caspian: corners may carry more than on the British one.
TOLERANCE_KM = 6.0
KINDS = ("land", "shore", "coast-touch", "sea-touch")
# Rule 7: whose five special centres they are.
SPECIAL_OF = "Ottoman Empire"
# Rule 11: the army of the second of these may start in the first.
INSTEAD = {"Leon": "Spanish Netherlands"}

Row = Mapping[str, Any]


def main(sources: Path, target: Path) -> None:
    """Read the sources and write every table of the board."""
    rows: Sequence[Row] = json.loads((sources / "y1648_gazetteer.json").read_text("utf-8"))["regions"]
    coasts: Row = json.loads((sources / "y1648_gazetteer.json").read_text("utf-8"))["coasts"]
    links: Row = json.loads((sources / "y1648_adjacency.json").read_text("utf-8"))
    partition: Row = json.loads((sources / "y1648_partition.geojson").read_text("utf-8"))
    write(target / "provinces.csv", (*PROVINCE_COLUMNS, "marks"), (_province(row, coasts) for row in rows))
    borders = sorted(set(_borders(rows, links)), key=lambda row: (KINDS.index(row[2]), row))
    write(target / "borders.csv", ("a", "b", "kind"), borders)
    write(target / "setup.csv", ("power", "unit", "region"), _setup(rows))
    outlines = {f["properties"]["name"]: to_plane(shape(f["geometry"]), MIDDLE)
        for f in partition["features"]}
    labels = {row["name"]: (row["label"][1], row["label"][0]) for row in rows}
    features = simplified(outlines, labels, MIDDLE, TOLERANCE_KM)
    (target / "partition.geojson").write_text(one_feature_a_line(features), "utf-8")


def _province(row: Row, coasts: Row) -> tuple[str, ...]:
    name = row["name"]
    marks = [f"fleets={power}" for power in row.get("fleet_builders", ())]
    marks += ["frozen"] if row.get("frozen") else []
    marks += [f"special={SPECIAL_OF}"] if row.get("special") else []
    marks += [f"instead={INSTEAD[name]}"] if name in INSTEAD else []
    return (
        name, name, row["abbr"], row["kind"], "yes" if row["sc"] else "", "", "", row.get("owner") or "",
        "; ".join(coasts.get(name, ())), "; ".join(marks),
    )


def _borders(rows: Sequence[Row], links: Row) -> Iterator[tuple[str, str, str]]:
    by_code = {row["abbr"]: row for row in rows}

    def named(place: str) -> str:
        code, stroke, coast = place.partition("/")
        return f"{by_code[code]['name']}{stroke}{coast}"

    for pair in links["army"]:
        a, b = sorted(named(place) for place in pair)
        yield a, b, "land"
    for pair in links["fleet"]:
        at_sea = {named(place): by_code[place.partition("/")[0]]["kind"] == "sea" for place in pair}
        a, b = sorted(at_sea, key=lambda place: (at_sea[place], place))
        yield a, b, {0: "shore", 1: "coast-touch", 2: "sea-touch"}[sum(at_sea.values())]


def _setup(rows: Sequence[Row]) -> Iterator[tuple[str, str, str]]:
    for power in dict.fromkeys(row["owner"] for row in rows if row.get("owner")):
        homes = [row for row in rows if row.get("owner") == power]
        for row in homes:
            if row["unit"]:
                yield power, row["unit"], row["name"]
        for row in homes:
            yield power, "centre", row["name"]


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
