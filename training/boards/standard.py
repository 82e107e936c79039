"""Writes the tables of `maps/standard/` from the plain facts of the classic board (see README.md here).

    python -m training.boards.standard standard_map.json maps/standard

writes provinces.csv, borders.csv and setup.csv. `variant.toml` and `names.csv` are kept by hand.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from training.boards.w3k import PROVINCE_COLUMNS, write

COASTS = {"NC": "North Coast", "SC": "South Coast", "EC": "East Coast"}
KINDS = ("land", "shore", "coast-touch", "sea-touch")

Row = Mapping[str, Any]


def main(source: Path, target: Path) -> None:
    """Read the facts and write the tables."""
    facts = json.loads(source.read_text("utf-8"))
    provinces: dict[str, Row] = facts["provinces"]
    write(
        target / "provinces.csv", PROVINCE_COLUMNS, (_province(code, row) for code, row in provinces.items())
    )
    rows = sorted(set(_borders(provinces)), key=lambda row: (KINDS.index(row[2]), row))
    write(target / "borders.csv", ("a", "b", "kind"), rows)
    write(target / "setup.csv", ("power", "unit", "region"), _setup(facts))


def _province(code: str, row: Row) -> tuple[str, ...]:
    terrain = "inland" if row["kind"] == "land" else str(row["kind"])
    coasts = "; ".join(f"{coast} = {COASTS[coast]}" for coast in row.get("coasts", ()))
    name, home = str(row["name"]), str(row.get("home_of", ""))
    return (code, name, "", terrain, "yes" if row["supply_centre"] else "", "", "", home, coasts)


def _borders(provinces: Mapping[str, Row]) -> Iterator[tuple[str, str, str]]:
    for code, row in provinces.items():
        for other in row.get("army", ()):
            a, b = sorted((code, other))
            yield a, b, "land"
        afloat = {f"{code}/{coast}": places for coast, places in row.get("coasts", {}).items()}
        for origin, places in (afloat or {code: row.get("fleet", ())}).items():
            for target in places:
                yield _afloat(origin, target, provinces)


def _afloat(origin: str, target: str, provinces: Mapping[str, Row]) -> tuple[str, str, str]:
    at_sea = {place: provinces[place.partition("/")[0]]["kind"] == "sea" for place in (origin, target)}
    a, b = sorted((origin, target), key=lambda place: (at_sea[place], place))
    kind = {0: "shore", 1: "coast-touch", 2: "sea-touch"}[sum(at_sea.values())]
    return a, b, kind


def _setup(facts: Row) -> Iterator[tuple[str, str, str]]:
    for power in facts["powers"]:
        for unit in facts["start_units"][power]:
            kind, _, place = unit.partition(" ")
            yield power, kind, place
        for centre in facts["home_centres"][power]:
            yield power, "centre", centre


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
