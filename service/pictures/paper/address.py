"""An address set in type: as large as its room allows, and a line to write on by hand where no font has its
letters."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from service.pictures.drawing import fonts
from service.pictures.drawing.fonts import missing_letters

POINT = 25.4 / 72
SMALLEST = 5.0
"""The smallest type in points that a post office can read. A longer address still keeps this size."""


@dataclass(frozen=True, slots=True)
class AddressSpace:
    """The room for an address: width and height in millimetres, type at most `largest` points, lines
    `leading` apart in parts of the type."""

    width: float
    height: float
    largest: float
    leading: float


@dataclass(frozen=True, slots=True)
class AddressLine:
    """One line; `by_hand` where some of its letters are in no font, so that it is left as a rule to write
    on."""

    text: str
    by_hand: bool = False


@dataclass(frozen=True, slots=True)
class Block:
    """An address ready to print, its type in points."""

    lines: tuple[AddressLine, ...]
    size: float


def fit_address(lines: Sequence[str], room: AddressSpace) -> Block:
    """The lines in the largest type, by half points, in which all of them fit, long ones broken."""
    size = room.largest
    while size > SMALLEST and not _fits_space(lines, room, size):
        size -= 0.5
    return Block(tuple(AddressLine(line, by_hand=bool(missing_letters(line))) for line in lines), size)


def _fits_space(lines: Sequence[str], room: AddressSpace, size: float) -> bool:
    width = room.width * 0.97 / (size * POINT)
    return sum(_rows(line, width) for line in lines) * room.leading * size * POINT <= room.height


def _rows(line: str, width: float) -> int:
    """How many rows a line takes, broken between words, and within a word that is longer than a row."""
    rows, used, space = 1, 0.0, _width(" ")
    for word in line.split():
        word_width = _width(word)
        if used and used + space + word_width > width:
            rows, used = rows + 1, 0.0
        used += (space if used else 0.0) + word_width
        if used > width:
            more = math.ceil(used / width) - 1
            rows, used = rows + more, used - more * width
    return rows


def _width(line: str) -> float:
    """Of a line, in parts of the type: as measured, but a letter of another script counts as its kind is
    wide."""
    # The Latin blocks of Unicode end at U+024F; the font that is measured may lack what is beyond.
    strange = [letter for letter in line if ord(letter) >= 0x0250 and not unicodedata.combining(letter)]
    known = "".join(letter for letter in line if letter not in strange)
    # Wide and full-width letters of East Asia fill a square.
    width = sum(1.0 if unicodedata.east_asian_width(letter) in "WF" else 0.65 for letter in strange)
    return fonts.width(known, "display", 1.0) + width
