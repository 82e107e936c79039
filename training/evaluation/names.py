"""A board's names as the JSON list that `galloper read --names` and the composer of sheets take:
`python -m training.evaluation.names w3k > names.json`."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

import maps
from maps.variant import Spelling, Variant


def names_of(variant: Variant) -> list[dict[str, Any]]:
    """Each region with `name`, `kind`, `coasts`, `aliases` and `abbr` ("" where it has none).

    Spellings that the board declares ambiguous (Q-44) are left out: no one can show what a sheet means by
    them alone. """
    rows_of_names = []
    for key, province in variant.board.provinces.items():
        rows = [row for row in variant.names if row.region.province == key and not row.ambiguous]
        province_rows = [row for row in rows if row.region.coast is None]
        aliases = [row.text for row in province_rows if row.spelling is Spelling.ALIAS]
        short = [row.text for row in province_rows if row.spelling is Spelling.ABBREVIATION]
        rows_of_names.append({
            "name": province.name, "kind": province.terrain.value,
            "coasts": [c.name for c in province.coasts],
            "aliases": aliases, "abbr": short[0] if short else "",
        })
    return rows_of_names


def main(arguments: Sequence[str]) -> int:
    """See the module."""
    print(json.dumps(names_of(maps.load(arguments[0] if arguments else "w3k")), ensure_ascii=False, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
