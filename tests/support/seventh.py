"""A seventh game as its author would write it: one folder of tables, and one rules file for what is new in
it.

No one has such a game; it has something of all that a game may bring: seasons, units, an order and a
choice of its own. """

from __future__ import annotations

import json
from pathlib import Path

SLUG = "ferrymen"
TOML = """title = "The Ferrymen"
victory = 3
note = "Drawn for a test."

[calendar]
steps = [["Dawn", "movement"], ["Dawn", "retreat"], ["Dusk", "adjustment"]]
start = ["Dawn", 7, "movement"]

[units.A]
name = "Army"
moves = ["land"]
carried = true

[units.R]
name = "Raft"
moves = ["sea"]
carries = true

[rules]
module = "ferrymen"

[rules.values]
toll = "paid"

[rules.citations]
rings = "rules, The bell"

[counts]
provinces = 6
centres = 3
units = 3

[[powers]]
id = "The Upper Bank"
aliases = ["Upper Bank"]
colour = "#c62828"
pattern = "dots"
letter = "U"

[[powers]]
id = "The Lower Bank"
aliases = ["Lower Bank"]
colour = "#1f4fb2"
pattern = "grid"
letter = "L"
"""
PROVINCES = """id,name,abbr,terrain,centre,home,marks
Ald,Alder Hythe,,coastal,yes,The Upper Bank,bell
Bir,Birchwold,,inland,,,
Ced,Cedar Stairs,,coastal,,,
Elm,Elm Staithe,,coastal,yes,The Lower Bank,bell
Wid,Widow's Landing,,coastal,yes,,
Loc,Long Loch,,sea,,,
"""
BORDERS = """a,b,kind
Ald,Bir,land
Bir,Ced,land
Elm,Wid,land
Elm,Wid,shore
Ald,Loc,coast-touch
Ced,Loc,coast-touch
Elm,Loc,coast-touch
Wid,Loc,coast-touch
"""
SETUP = """power,unit,region
The Upper Bank,A,Ald
The Upper Bank,R,Loc
The Lower Bank,A,Elm
The Upper Bank,centre,Ald
The Lower Bank,centre,Elm
"""
NAMES = """text,region,spelling,ambiguous
Widows,Wid,alias,
"""
LARK = """%extend movement_order: ring
ring: unit "rings" "the"? "bell"
"""
RULES = '''"""The ferrymen: a bell that its ferry's holder may ring, and builds in any centre that is held."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from adjudicator.calendar import PhaseKind
from adjudicator.geo import Region
from adjudicator.orders import Order
from adjudicator.outcome import Result
from adjudicator.ruleset import CLASSIC_ORDERS, Ruleset
from adjudicator.phrases import CLASSIC
from adjudicator.phases.movement_sheet import MovementSheet


@dataclass(frozen=True, slots=True, kw_only=True)
class Ring(Order):
    """`Army X rings the bell`, beside the unit's own order."""

    WORD: ClassVar[str] = "ring"
    TERSE: ClassVar[str] = "{place} rings bell"
    PROSE: ClassVar[str] = "{place} rings the bell"

    place: Region


@dataclass(frozen=True, slots=True)
class Ferrymen(Ruleset):
    """The classic rules but for bell and builds."""

    CHOICES: ClassVar[Mapping[str, tuple[str, ...]]] = {"toll": ("free", "paid")}
    MARKS: ClassVar[Mapping[str, str]] = {"bell": "has a bell"}
    ORDERS: ClassVar[Mapping[PhaseKind, frozenset[type[Order]]]] = {
        **CLASSIC_ORDERS, PhaseKind.MOVEMENT: CLASSIC_ORDERS[PhaseKind.MOVEMENT] | {Ring}}
    FORMS: ClassVar[Mapping[str, type[Order]]] = {"ring": Ring}
    SENTENCES: ClassVar[Mapping[str, str]] = {
        **CLASSIC, "rings": "the bell of {0} is heard", "no_bell": "void: {0} has no bell that {1} may ring"}

    def commanders(self, sheet: MovementSheet) -> Mapping[int, str]:
        for index, order in enumerate(sheet.orders):
            if isinstance(order, Ring):
                unit = sheet.unit_at.get(order.place.province, -1)
                is_own = unit >= 0 and sheet.power[unit] == order.power
                if is_own and "bell" in sheet.context.board.provinces[order.place.province].marks:
                    sheet.settle(index, Result.SUCCEEDS, None, "rings", order.place)
                else:
                    sheet.void(index, "illegal", "no_bell", order.place, order.power)
        return {}

    def builds_at_home_only(self) -> bool:
        return False


RULES = Ferrymen
'''
_SQUARES = {
    "Ald": (-6, 54.3, -5, 55),
    "Bir": (-5, 54.3, -4, 55),
    "Ced": (-4, 54.3, -3, 55),
    "Loc": (-6, 53.6, -3, 54.3),
    "Elm": (-6, 53, -4.5, 53.6),
    "Wid": (-4.5, 53, -3, 53.6),
}


def write(boards: Path) -> Path:
    """The game in a folder of boards, which is given back: `ferrymen/` and `rules/ferrymen.py`."""
    board = boards / SLUG
    board.mkdir(parents=True)
    (boards / "rules").mkdir()
    (boards / "rules" / f"{SLUG}.py").write_text(RULES, "utf-8")
    for name, text in {
        "variant.toml": TOML, "provinces.csv": PROVINCES, "borders.csv": BORDERS,
        "setup.csv": SETUP, "names.csv": NAMES, "orders.lark": LARK,
        "partition.geojson": json.dumps(_shapes()),
    }.items():
        (board / name).write_text(text, "utf-8")
    return boards


def _shapes() -> dict[str, object]:
    return {"type": "FeatureCollection", "features": [
        {"type": "Feature", "properties": {"id": name, "label": [(w + e) / 2, (s + n) / 2]},
         "geometry": {"type": "Polygon", "coordinates": [[[w, s], [e, s], [e, n], [w, n], [w, s]]]}}
        for name, (w, s, e, n) in _SQUARES.items()]}
