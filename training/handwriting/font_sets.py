"""Which handwriting fonts serve which purpose, so that no hand is both learnt from and judged by.

Every family is under the SIL Open Font License 1.1 by the LICENSE file in its npm package `@fontsource/NAME`
(`fonts.fetch` reads it again at every fetch and refuses another licence). The demo's ten hands are in
`calibration` and `validation`; none is held out. The recogniser's last layers learn from `tuning` alone,
three of which are type, lest printing be read worse; `validation` says when they have learnt enough, and how
far to go with them. Families that are other cuts of one in another set (`patrick-hand-sc`, or `lxgw-wenkai`
beside `klee-one`) were left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class Purpose(StrEnum):
    """What a font may be used for. The sets have no font in common: a font has one row in `TABLE`."""

    CALIBRATION = "calibration"
    TUNING = "tuning"
    VALIDATION = "validation"
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
    "bad-script": Purpose.VALIDATION,
    "caveat": Purpose.VALIDATION,
    "dawning-of-a-new-day": Purpose.VALIDATION,
    "grape-nuts": Purpose.VALIDATION,
    "hi-melody": Purpose.VALIDATION,
    "itim": Purpose.VALIDATION,
    "kalam": Purpose.VALIDATION,
    "mali": Purpose.VALIDATION,
    "ms-madi": Purpose.VALIDATION,
    "mynerve": Purpose.VALIDATION,
    "playpen-sans": Purpose.VALIDATION,
    "shantell-sans": Purpose.VALIDATION,
    "twinkle-star": Purpose.VALIDATION,
    "yomogi": Purpose.VALIDATION,
    "zen-kurenaido": Purpose.VALIDATION,
    "allison": Purpose.TUNING,
    "balsamiq-sans": Purpose.TUNING,
    "beth-ellen": Purpose.TUNING,
    "bilbo": Purpose.TUNING,
    "birthstone": Purpose.TUNING,
    "borel": Purpose.TUNING,
    "chilanka": Purpose.TUNING,
    "clicker-script": Purpose.TUNING,
    "comic-neue": Purpose.TUNING,
    "cookie": Purpose.TUNING,
    "courgette": Purpose.TUNING,
    "courier-prime": Purpose.TUNING,
    "darumadrop-one": Purpose.TUNING,
    "dekko": Purpose.TUNING,
    "east-sea-dokdo": Purpose.TUNING,
    "edu-au-vic-wa-nt-hand": Purpose.TUNING,
    "edu-nsw-act-foundation": Purpose.TUNING,
    "edu-qld-beginner": Purpose.TUNING,
    "edu-sa-beginner": Purpose.TUNING,
    "edu-tas-beginner": Purpose.TUNING,
    "edu-vic-wa-nt-beginner": Purpose.TUNING,
    "englebert": Purpose.TUNING,
    "farsan": Purpose.TUNING,
    "felipa": Purpose.TUNING,
    "finger-paint": Purpose.TUNING,
    "fuggles": Purpose.TUNING,
    "gluten": Purpose.TUNING,
    "grand-hotel": Purpose.TUNING,
    "grandstander": Purpose.TUNING,
    "gwendolyn": Purpose.TUNING,
    "hachi-maru-pop": Purpose.TUNING,
    "italianno": Purpose.TUNING,
    "kaushan-script": Purpose.TUNING,
    "kavivanar": Purpose.TUNING,
    "lato": Purpose.TUNING,
    "licorice": Purpose.TUNING,
    "ma-shan-zheng": Purpose.TUNING,
    "meow-script": Purpose.TUNING,
    "merienda": Purpose.TUNING,
    "mr-bedfort": Purpose.TUNING,
    "mr-dafoe": Purpose.TUNING,
    "nerko-one": Purpose.TUNING,
    "norican": Purpose.TUNING,
    "oregano": Purpose.TUNING,
    "parisienne": Purpose.TUNING,
    "playwrite-ca": Purpose.TUNING,
    "playwrite-de-grund": Purpose.TUNING,
    "playwrite-fr-moderne": Purpose.TUNING,
    "playwrite-in": Purpose.TUNING,
    "playwrite-it-moderna": Purpose.TUNING,
    "playwrite-nl": Purpose.TUNING,
    "playwrite-pl": Purpose.TUNING,
    "playwrite-us-modern": Purpose.TUNING,
    "playwrite-us-trad": Purpose.TUNING,
    "puppies-play": Purpose.TUNING,
    "rouge-script": Purpose.TUNING,
    "ruluko": Purpose.TUNING,
    "ruthie": Purpose.TUNING,
    "sacramento": Purpose.TUNING,
    "sassy-frass": Purpose.TUNING,
    "send-flowers": Purpose.TUNING,
    "slackside-one": Purpose.TUNING,
    "sofia": Purpose.TUNING,
    "solitreo": Purpose.TUNING,
    "source-sans-3": Purpose.TUNING,
    "stalemate": Purpose.TUNING,
    "style-script": Purpose.TUNING,
    "tangerine": Purpose.TUNING,
    "vibur": Purpose.TUNING,
    "vujahday-script": Purpose.TUNING,
    "whisper": Purpose.TUNING,
    "yusei-magic": Purpose.TUNING,
    "annie-use-your-telescope": Purpose.HELD_OUT,
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
