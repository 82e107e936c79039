"""What the eye saw, as values: Photo in, Reading out.

Coordinates of a `Box` are pixels of the photograph as shown, that is after its EXIF rotation, origin at
the top left. Scores are 0 (no trust) to 1. Arrays ride along outside equality, so that two readings with
the same words are equal.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Image: TypeAlias = npt.NDArray[np.uint8]
"""Pixels: height x width x 3 (red, green, blue) or height x width (grey), 0 dark to 255 light."""

Point: TypeAlias = tuple[float, float]


class Status(StrEnum):
    """Whether a photograph gave lines."""

    READ = "read"
    UNUSABLE = "unusable"


class UnreadableReason(StrEnum):
    """Why a photograph gave no lines; the words of the contract's JSON."""

    TOO_DARK = "too_dark"
    BLURRED = "blurred"
    BLANK = "blank"
    NOT_A_SHEET = "not_a_sheet"
    NOT_AN_IMAGE = "not_an_image"
    TOO_LARGE = "too_large"
    TRUNCATED = "truncated"


@dataclass(frozen=True, slots=True)
class Photo:
    """One file as it came with the mail. `name` is for people; the type is told from `data`."""

    data: bytes = field(repr=False)
    name: str


@dataclass(frozen=True, slots=True)
class Box:
    """Four corners, clockwise from the top left of the writing (not of the photograph)."""

    corners: tuple[Point, Point, Point, Point]

    @property
    def width(self) -> float:
        """Length of the upper edge, in pixels."""
        (ax, ay), (bx, by) = self.corners[:2]
        return float(np.hypot(bx - ax, by - ay))

    @property
    def height(self) -> float:
        """Length of the left edge, in pixels."""
        (ax, ay), (dx, dy) = self.corners[0], self.corners[3]
        return float(np.hypot(dx - ax, dy - ay))

    def rounded_corners(self) -> list[list[int]]:
        """The corners as whole pixels, in the shape of the contract's JSON."""
        return [[round(x), round(y)] for x, y in self.corners]


@dataclass(frozen=True, slots=True)
class Step:
    """One thing done to the photograph before it was read, with the numbers it was done with."""

    name: str
    values: tuple[tuple[str, float | int | str], ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Posteriors:
    """What a CTC network thought of each letter at each frame, for a decoder to search.

    `log_probs` is frames x (1 + letters), natural logarithms of the network's own probabilities; column 0 is
    the CTC blank and column k is `letters[k - 1]`. Letters outside Latin script were dropped, so a row need
    not sum to one. A frame stands for 1/frames of the crop's width.
    """

    log_probs: npt.NDArray[np.float32]
    letters: str


@dataclass(frozen=True, slots=True)
class Alternative:
    """Another reading of the same row, and which engine gave it."""

    text: str
    score: float
    engine: str
    posteriors: Posteriors | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class StruckWord:
    """A stretch of a row that looks crossed out.

    `left` and `right` are shares of the recogniser's crop, so of the frames of the row's posteriors too.
    `score`: 0.1..1, how much it looks struck. `kind`: "single" or "double" stroke, "wave", "zigzag", "cross"
    or "black"; "unread" is ink that the recogniser said nothing about, struck or not, and "faint" a stroke
    much finer than the writing's: both ask for a look and prove no strike.
    """

    left: float
    right: float
    score: float
    kind: str


@dataclass(frozen=True, slots=True)
class Strike:
    """Evidence that a row was crossed out.

    `score`: 0..1, how much it looks struck as a whole. `words`: the stretches of it that look struck, from
    the left; in a struck row mostly one as long as the row, several short ones mean struck words in a live
    row.
    """

    score: float = 0.0
    words: tuple[StruckWord, ...] = ()

    @property
    def max_word_score(self) -> float:
        """0..1, how much any part of the row looks struck: what must be low for a row to be read without a
        look."""
        return max((word.score for word in self.words), default=0.0)


@dataclass(frozen=True, slots=True)
class Row:
    """One physical row of writing.

    `left` is where it starts and `right` where it ends, as shares of the sheet's width; `indent` is how far
    right of the margin it starts, in heights of a middling row of the sheet. `focus` and `contrast` say how
    well the row was photographed, see `quality.Legibility`; 0 where nobody measured. `cut_off`: the row
    touches the edge of the sheet or of the photograph, so letters may be missing; such a row is never taken
    without a look. `inserted`: small rows written just above this one that belong into it, see `insertions`.
    """

    box: Box
    text: str
    score: float
    left: float = 0.0
    right: float = 1.0
    indent: float = 0.0
    strike: Strike = Strike()
    alternatives: tuple[Alternative, ...] = ()
    posteriors: Posteriors | None = field(default=None, compare=False, repr=False)
    focus: float = 0.0
    contrast: float = 0.0
    cut_off: bool = False
    inserted: tuple[Row, ...] = ()


@dataclass(frozen=True, slots=True)
class ReadLine:
    """What one order, heading or remark says, of one row or of several joined.

    `score` is the recogniser's own, the least of the rows', and not calibrated. `strike` is the least struck
    of the rows', since a line is out only when all of it is.
    """

    box: Box
    rows: tuple[Row, ...]
    text: str
    score: float
    strike: Strike
    alternatives: tuple[Alternative, ...] = ()


@dataclass(frozen=True, slots=True)
class Page:
    """One sheet. Two sheets in one photograph are two pages, numbered from 1 in reading order.

    `rotation`: degrees (0, 90, 180, 270) the photograph as shown must be turned clockwise to be upright.
    `skew_degrees`: how far the writing still falls to the right after that turn; negative when it rises.
    `image`: the sheet squared, upright and evened, as JPEG.
    """

    number: int
    rotation: int
    skew_degrees: float
    lines: tuple[ReadLine, ...]
    image: bytes = field(default=b"", compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Reading:
    """Everything one photograph gave. `reason` is set exactly when `status` is UNUSABLE.

    `detail` is a phrase for people ("the PDF asks for a password"), empty where there is nothing to add.
    """

    status: Status
    reason: UnreadableReason | None = None
    detail: str = ""
    pages: tuple[Page, ...] = ()
    steps: tuple[Step, ...] = ()
    seconds: float = field(default=0.0, compare=False)
