"""The words of jDip's saved game that are written and read: classes, seasons, phases, coasts and units.

The classes and fields are those of jDip 1.6 and 1.7: `dip.world.World` with a `TurnState` for each phase,
which has its `Position`, orders and results.
"""

from __future__ import annotations

from adjudicator.calendar import PhaseKind

WORLD = "dip.world."
ORDER = "dip.order."
SEASON = {"S": 1000, "F": 2000, "W": 2000}
PHASE_TYPE = {
    PhaseKind.MOVEMENT: ("movement", 100),
    PhaseKind.RETREAT: ("retreat", 200),
    PhaseKind.ADJUSTMENT: ("adjustment", 300),
}
COASTS = {
    None: ("Single", "xc", 3),
    "NC": ("North Coast", "nc", 4),
    "SC": ("South Coast", "sc", 5),
    "WC": ("West Coast", "wc", 6),
    "EC": ("East Coast", "ec", 7),
}
ON_LAND, WING_COAST = ("None", "mv", 2), ("Wing", "wx", 1)
UNIT_TYPES = {"A": "army", "F": "fleet"}
ADJECTIVES = {
    "AUSTRIA": "Austrian",
    "ENGLAND": "English",
    "FRANCE": "French",
    "GERMANY": "German",
    "ITALY": "Italian",
    "RUSSIA": "Russian",
    "TURKEY": "Turkish",
}
YEARS, UNCHANGED_YEARS = 35, 7
"""jDip's own limits of a Standard game, which it requests."""
