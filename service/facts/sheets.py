"""Marks of a sheet on file: its fate, and flags that intake, filing and people put on it."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Self

from service.facts.files import NO_ORDERS
from service.facts.refusals import RefusalReason


class Fate(StrEnum):
    """The fate of a sheet: COUNTS (a ballot of its power), HELD (waits for the coordinator)."""

    COUNTS = "counts"
    HELD = "held"


class SheetFlag(StrEnum):
    """A mark on a sheet or one of its pages, next to the reasons why a sheet waits (`RefusalReason`) and what
    was corrected in its heading (`grammar.headings.values.Flag`).

    `because`: the half sentence after "held, because"; "" for what holds no sheet.

    SUPERSEDED: a higher version came before. NOT_FIRST: another sheet came before, in a game in which the
    first counts. TYPED: the orders were typed into the mail; the page on file is a drawing of that text.
    EARLY: it came before its phase opened (Q-74). CHOSEN: by a coordinator as the one to execute. RELEASED:
    held until it was chosen, so that taking the choice back holds it again. CHOICE_ENDED: chosen once, until
    a later sheet came in time. SET_ASIDE: counted until a coordinator refused it. FORM_FILLED: read from the
    fields of a form, so no hand is learnt from it. YEAR_DIFFERS: filed by hand, and its heading names another
    year. BY_ANSWER: its mail's subject left out what the letter shows that it answers (PHA-05).
    NOT_AS_ANSWERED: its subject names another seat than that letter.
    """

    because: str

    def __new__(cls, word: str, because: str = "") -> Self:
        flag = str.__new__(cls, word)
        flag._value_ = word
        flag.because = because
        return flag

    GAME_MISSING = "game_missing"
    YEAR_MISSING = "year_missing"
    TYPE_MISSING = "type_missing"
    PHOTO_UNREADABLE = "photo_unreadable"
    # What is wrong with a photograph at first sight (`ocr.image.first_look.PhotoTrouble`).
    PHOTO_DARK = "photo_dark"
    PHOTO_BLURRED = "photo_blurred"
    PHOTO_CUT_OFF = "photo_cut_off"
    PHOTO_NO_WRITING = "photo_no_writing"
    # Why a picture does not open (`ocr.unreadable`), where no letter explains it by itself.
    TRUNCATED = "truncated", "the picture file is cut short"
    NOT_AN_IMAGE = "not_an_image", "the file is not a picture"
    SUPERSEDED = "superseded"
    NOT_FIRST = "not_first"
    TYPED = "typed"
    EARLY = "early"
    VERSION_CONFLICT = (
        "version_conflict",
        "the same version number came before with different ink, and the later one counts",
    )
    VERSION_DISAGREES = (
        "version_disagrees",
        "its heading seems to give another version than the one it is filed as",
    )
    FORM_DISAGREES = (
        "form_disagrees",
        "the sheet's heading and its filing by hand disagree",
    )
    CHOSEN = "chosen"
    RELEASED = "released"
    CHOICE_ENDED = (
        "choice_ended",
        "it was chosen by hand until a later sheet came in time",
    )
    SET_ASIDE = "set_aside_by_hand", "the coordinator set it aside"
    FORM_FILLED = "form_filled"
    YEAR_DIFFERS = "year_differs"
    BY_ANSWER = "by_answer"
    NOT_AS_ANSWERED = "not_as_answered"


PHOTO_DOUBTS = frozenset({SheetFlag.PHOTO_DARK, SheetFlag.PHOTO_BLURRED, SheetFlag.PHOTO_CUT_OFF,
                          SheetFlag.PHOTO_NO_WRITING})
"""Faults of a photograph at a first look; it may be readable all the same."""
VERSION_DOUBTS = (SheetFlag.VERSION_CONFLICT, SheetFlag.VERSION_DISAGREES, SheetFlag.CHOICE_ENDED)
"""Of a sheet that counts and whose version may not be the one that its player means."""
REFUSED = "refused: "
"""The beginning of the flag with a coordinator's reason for refusing a sheet."""
FILED_FOR = "was filed for "
"""The beginning of the flag with the power for which a sheet was filed before."""

_BECAUSE = {
    **{str(reason): reason.because for reason in RefusalReason},
    **{str(flag): flag.because for flag in SheetFlag if flag.because},
    **{str(fate): fate.because for fate in NO_ORDERS},
}


def because(code: str | None, otherwise: str = "") -> str:
    """The half sentence of a reason or flag; `otherwise` for a word that is not a reason."""
    return _BECAUSE.get(code or "", otherwise)


def held_because(codes: Sequence[str]) -> str:
    """The reasons among the flags of a sheet; flags that are not reasons are left out."""
    return "; ".join(_BECAUSE[code] for code in codes if code in _BECAUSE) or "it waits for the coordinator"


def half_sentences() -> tuple[str, ...]:
    """Every reason in words, each once."""
    return tuple(dict.fromkeys(_BECAUSE.values()))
