"""Which handwriting fonts serve which purpose, so that no hand is both learnt from and judged by.

Every family is under the SIL Open Font License 1.1 by the LICENSE file in its npm package `@fontsource/NAME`
(`fonts.fetch` reads it again at every fetch and refuses another licence). The demo's ten hands are in `calibration`
and `tuning`; none is held out.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class Purpose(StrEnum):
    """What a font may be used for. The sets have no font in common: a font has one row in `TABLE`."""

    CALIBRATION = "calibration"
    TUNING = "tuning"
    HELD_OUT = "held_out"


LICENCE = "OFL-1.1"
"""Of every family in `TABLE`."""

TABLE: Mapping[str, Purpose] = {
    "architects-daughter": Purpose.CALIBRATION,
    "caveat-brush": Purpose.CALIBRATION,
    "covered-by-your-grace": Purpose.CALIBRATION,
    "damion": Purpose.CALIBRATION,
    "dancing-script": Purpose.CALIBRATION,
    "delicious-handrawn": Purpose.CALIBRATION,
    "delius": Purpose.CALIBRATION,
    "ephesis": Purpose.CALIBRATION,
    "gamja-flower": Purpose.CALIBRATION,
    "give-you-glory": Purpose.CALIBRATION,
    "gloria-hallelujah": Purpose.CALIBRATION,
    "gochi-hand": Purpose.CALIBRATION,
    "handlee": Purpose.CALIBRATION,
    "indie-flower": Purpose.CALIBRATION,
    "just-me-again-down-here": Purpose.CALIBRATION,
    "klee-one": Purpose.CALIBRATION,
    "kristi": Purpose.CALIBRATION,
    "liu-jian-mao-cao": Purpose.CALIBRATION,
    "loved-by-the-king": Purpose.CALIBRATION,
    "marck-script": Purpose.CALIBRATION,
    "nanum-brush-script": Purpose.CALIBRATION,
    "nanum-pen-script": Purpose.CALIBRATION,
    "oooh-baby": Purpose.CALIBRATION,
    "patrick-hand": Purpose.CALIBRATION,
    "poor-story": Purpose.CALIBRATION,
    "sedgwick-ave": Purpose.CALIBRATION,
    "shadows-into-light": Purpose.CALIBRATION,
    "square-peg": Purpose.CALIBRATION,
    "the-girl-next-door": Purpose.CALIBRATION,
    "zhi-mang-xing": Purpose.CALIBRATION,
    "caveat": Purpose.TUNING,
    "dawning-of-a-new-day": Purpose.TUNING,
    "grape-nuts": Purpose.TUNING,
    "hi-melody": Purpose.TUNING,
    "itim": Purpose.TUNING,
    "kalam": Purpose.TUNING,
    "mali": Purpose.TUNING,
    "ms-madi": Purpose.TUNING,
    "mynerve": Purpose.TUNING,
    "playpen-sans": Purpose.TUNING,
    "shantell-sans": Purpose.TUNING,
    "twinkle-star": Purpose.TUNING,
    "yomogi": Purpose.TUNING,
    "zen-kurenaido": Purpose.TUNING,
    "annie-use-your-telescope": Purpose.HELD_OUT,
    "bad-script": Purpose.HELD_OUT,
    "cedarville-cursive": Purpose.HELD_OUT,
    "gaegu": Purpose.HELD_OUT,
    "la-belle-aurore": Purpose.HELD_OUT,
    "long-cang": Purpose.HELD_OUT,
    "mansalva": Purpose.HELD_OUT,
    "neucha": Purpose.HELD_OUT,
    "nothing-you-could-do": Purpose.HELD_OUT,
    "over-the-rainbow": Purpose.HELD_OUT,
    "pangolin": Purpose.HELD_OUT,
    "reenie-beanie": Purpose.HELD_OUT,
    "short-stack": Purpose.HELD_OUT,
    "sriracha": Purpose.HELD_OUT,
    "sue-ellen-francisco": Purpose.HELD_OUT,
    "swanky-and-moo-moo": Purpose.HELD_OUT,
    "waiting-for-the-sunrise": Purpose.HELD_OUT,
    "zeyada": Purpose.HELD_OUT,
}
"""Family, by the last part of its npm name, to its one purpose."""


def of(purpose: Purpose) -> tuple[str, ...]:
    """The families of one set, in alphabetical order."""
    return tuple(sorted(hand for hand, meant in TABLE.items() if meant is purpose))
