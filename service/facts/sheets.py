"""What a sheet on file is marked with: its fate, and flags that people and filing put on it.

The reasons why intake holds a sheet are in `service.intake.verdicts.verdict`.
"""

from __future__ import annotations

from enum import StrEnum


class Fate(StrEnum):
    """What becomes of a sheet: COUNTS (a ballot of its power), HELD (waits for the coordinator)."""

    COUNTS = "counts"
    HELD = "held"


class SheetFlag(StrEnum):
    """CHOSEN: by a coordinator as the one to execute. RELEASED: held until it was chosen, so that taking the
    choice back holds it again. CHOICE_ENDED: chosen once, until a later sheet came in time. SET_ASIDE:
    counted until a coordinator refused it. FORM_FILLED: read from the fields of a form, so no hand is learnt
    from it. YEAR_DIFFERS: filed by hand, and its heading names another year."""

    CHOSEN = "chosen"
    RELEASED = "released"
    CHOICE_ENDED = "choice_ended"
    SET_ASIDE = "set_aside_by_hand"
    FORM_FILLED = "form_filled"
    YEAR_DIFFERS = "year_differs"
