"""Which handwriting fonts serve which purpose, so that no hand is both learnt from and judged by.

Every family is under the SIL Open Font License 1.1 by the LICENSE file in its npm package `@fontsource/NAME`
(`fonts.fetch` reads it again at every fetch and refuses another licence). The demo's ten hands are in
`calibration` and `validation`; none is held out. The recogniser's last layers learn from `tuning` alone.
Three families of that set are type, so that printing is not read worse. `validation` shows when the layers
have learnt enough. Families that are other cuts of one in another set (`patrick-hand-sc`, or `lxgw-wenkai`
next to `klee-one`) were left out.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path


class Purpose(StrEnum):
    """What a font may be used for. The sets have no font in common: a font has one row in `TABLE`."""

    CALIBRATION = "calibration"
    TUNING = "tuning"
    VALIDATION = "validation"
    HELD_OUT = "held_out"


# Of every family in `TABLE`.
LICENCE = "OFL-1.1"


def _read_table() -> Mapping[str, Purpose]:
    with Path(__file__).with_suffix(".csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    table = {row["family"]: Purpose(row["purpose"]) for row in rows}
    # A family in two sets would be judged by what was learnt from it.
    assert len(table) == len(rows), "a family has two rows in font_sets.csv"
    return table


# Family, by the last part of its npm name, to its one purpose.
TABLE: Mapping[str, Purpose] = _read_table()


def of(purpose: Purpose) -> tuple[str, ...]:
    """The families of one set, in alphabetical order."""
    return tuple(sorted(hand for hand, hand_purpose in TABLE.items() if hand_purpose is purpose))
