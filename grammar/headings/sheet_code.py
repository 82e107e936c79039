"""The heading of a printed sheet as its QR code states it (LET-12): game, power, phase, page and a nonce.

Nothing in it is secret and it proves nothing: a sheet can be copied, and who sent a mail is settled by the
mail. It states for what a sheet was printed, which handwriting cannot say as surely.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import quote, unquote

from adjudicator.calendar import Phase, PhaseKind

FORM = "GALLOPER1"
"""The first word of a code; it changes with the form of the rest or with the layout of the sheet."""

OWN_PICTURE = "GALLOPER:PICTURE"
"""The code on a picture that we sent ourselves: a map, results, a reading (ARR-03). It is no sheet's."""
OWN_WORDS = ("As the machine read it:", "A picture from Galloper: not read as orders.")
"""Words that are on such pictures alone; a part of one that was cut out of a letter still has them."""

MOST_LETTERS = 800
"""A longer text is not a code of ours: two names of 30 letters with four bytes each take 720, and the rest
under 60."""

_KINDS = {"M": PhaseKind.MOVEMENT, "R": PhaseKind.RETREAT, "A": PhaseKind.ADJUSTMENT, "T": PhaseKind.TURN}
_LETTERS = {kind: letter for letter, kind in _KINDS.items()}
_PHASE = re.compile(r"([0-9]{1,5})\.([^.]+)\.([MRAT])")
_NONCE = re.compile(r"[A-Z0-9]{1,16}")


@dataclass(frozen=True, slots=True)
class SheetCode:
    """The contents of a code. `game` and `power` are ids and `season` a word of the variant, all in capitals:
    a code has no small letters. `page`: from 1. `nonce`: letters and digits, the same on all pages of one
    print."""

    game: str
    power: str
    season: str
    year: int
    kind: PhaseKind
    page: int = 1
    nonce: str = "0"

    def is_of_game(self, game: str) -> bool:
        """True if it was printed for the game with this id."""
        return self.game == _capitals(game)

    def is_of_power(self, power: str) -> bool:
        """True if it was printed for the power with this id."""
        return self.power == _capitals(power)


def code_of(game: str, power: str, phase: Phase, page: int = 1, nonce: str = "0") -> SheetCode:
    """The code of one page of a sheet. `game` and `power` are ids. Raises ValueError for a page below 1 and
    for a nonce that is not 1 to 16 capitals and digits."""
    if page < 1 or not _NONCE.fullmatch(nonce):
        raise ValueError(f"no code has page {page} and nonce {nonce!r}")
    return SheetCode(
        _capitals(game), _capitals(power), _capitals(phase.season), phase.year, phase.kind, page, nonce)


def code_text(code: SheetCode) -> str:
    """The letters of the QR code: only those of its alphanumeric mode (ISO/IEC 18004, 7.3.4), which is half
    as large as any other."""
    phase = f"{code.year}.{_quoted(code.season)}.{_LETTERS[code.kind]}"
    return ":".join((FORM, _quoted(code.game), _quoted(code.power), phase, str(code.page), code.nonce))


def parse_code(text: str) -> SheetCode | None:
    """What a QR code states; None if it is none of ours. Never raises: anybody can print a code."""
    parts = text.split(":") if len(text) <= MOST_LETTERS else []
    if len(parts) != 6 or parts[0] != FORM:
        return None
    _, game, power, phase, page, nonce = parts
    match = _PHASE.fullmatch(phase)
    if match is None or not game or not power or not re.fullmatch(r"[1-9][0-9]?", page):
        return None
    if not _NONCE.fullmatch(nonce):
        return None
    year, season, kind = match.groups()
    return SheetCode(_unquoted(game), _unquoted(power), _unquoted(season), int(year), _KINDS[kind], int(page),
                     nonce)


def _capitals(text: str) -> str:
    return text.upper()


def _quoted(text: str) -> str:
    # Dots and colons part the fields, and "~" and "_" are letters that `quote` leaves and the mode has not.
    return quote(_capitals(text), safe="").replace(".", "%2E").replace("_", "%5F").replace("~", "%7E")


def _unquoted(text: str) -> str:
    return unquote(text, errors="replace")
