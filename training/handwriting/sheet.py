"""What is to be written and how it should look, as values.

Lengths are millimetres of paper unless a name states otherwise; a sheet is A4 upright.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

# Pixels drawn for each millimetre of paper, about a third more than the photograph keeps.
PX_PER_MM = 8

# Width and height of the paper.
SHEET_MM = (210, 297)


class WrittenLineKind(StrEnum):
    """What a written line is; the words of truth.json."""

    HEADING = "heading"
    ORDER = "order"
    SIGNATURE = "signature"
    REMARK = "remark"


class PaperStyle(StrEnum):
    """What the sheet is printed with before anyone writes on it."""

    PLAIN = "plain"
    RULED = "ruled"
    CREAM = "cream"
    SQUARED = "squared"
    DOTS = "dots"


class InkColour(StrEnum):
    """Pens: colour, and how evenly they leave it."""

    BLACK = "black"
    BLUE = "blue"
    ROYAL = "royal"
    SEPIA = "sepia"
    GREEN = "green"
    PENCIL = "pencil"


class DeskSurface(StrEnum):
    """What lies round the sheet."""

    WOOD = "wood"
    CLOTH = "cloth"
    SLATE = "slate"
    BAIZE = "baize"


@dataclass(frozen=True, slots=True)
class SheetLine:
    """One line as its writer meant it.

    `markup` is the text; `{-word-}` is written and crossed out, `{+word+}` is put in above the row with a
    caret (above the crossed-out word, without one, where it follows that). `order` is the contract's
    canonical text, for orders only; `struck` crosses out the whole line. `want` is what a scorer asks of an
    odd line: "review" (a person must look at it), "read" (must be read although it is odd), "snap" (misspelt;
    `meant` spells it right). `trap` shows which oddity. `smeared` is the stretch of the line's last row over
    which a hand went before the ink was dry: where it begins and ends, as shares 0..1 of the row. """

    markup: str
    kind: WrittenLineKind
    order: str | None = None
    struck: bool = False
    want: str | None = None
    meant: str | None = None
    trap: str | None = None
    smeared: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Look:
    """How a sheet is written and photographed.

    `tidy` runs from 0 (hasty) to 1 (best hand); `size` is the font size; `slant` is a shear (0.2 leans
    right); `strike` names a stroke of `strike.py`; `turn` is the camera's roll in degrees; `gloom` from 0
    (even light) to 1 (deep shadow); `blur` is a standard deviation in pixels of the photograph;
    `orientation` is the EXIF number the file is stored with (1, 3, 6 or 8).
    """

    hand: str
    paper: PaperStyle
    ink: InkColour
    desk: DeskSurface
    tidy: float
    size: float
    slant: float
    strike: str
    folds: int
    turn: float
    tilt: float
    gloom: float
    blur: float
    long_side: int
    quality: int
    orientation: int
    gps: bool


@dataclass(frozen=True, slots=True)
class SheetStyle:
    """A sheet to be photographed: its name (also the file's stem), heading facts, lines top to bottom."""

    name: str
    power: str
    phase: str
    lines: tuple[SheetLine, ...]
    look: Look
