"""Values of a reading: Photo in, Reading out.

Coordinates of a `Box` are pixels of the photograph after its EXIF rotation, origin at the top left. Scores
are 0 (no trust) to 1. Arrays are left out of equality: two readings with the same words are equal.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from ocr.unreadable import UnreadableReason as UnreadableReason  # noqa: PLC0414 for whoever imports it here

Image: TypeAlias = npt.NDArray[np.uint8]
"""Pixels, uint8, shape (height, width, 3) for red, green, blue or (height, width) for grey; 0 dark to 255
light."""

Point: TypeAlias = tuple[float, float]
"""x, y in pixels."""


class Status(StrEnum):
    """Whether a photograph gave lines."""

    READ = "read"
    UNUSABLE = "unusable"


@dataclass(frozen=True, slots=True)
class Photo:
    """One file as it came with the mail. `name` is for people only; the type is taken from `data`."""

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
        return math.hypot(bx - ax, by - ay)

    @property
    def height(self) -> float:
        """Length of the left edge, in pixels."""
        (ax, ay), (dx, dy) = self.corners[0], self.corners[3]
        return math.hypot(dx - ax, dy - ay)


@dataclass(frozen=True, slots=True)
class Step:
    """One processing step before the reading, with its settings and results."""

    name: str
    values: tuple[tuple[str, float | int | str], ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class OutputLayer:
    """The last layer of a recogniser's network. `weights`: float32, shape (120, columns); `bias`: float32,
    shape (columns,). Column 0 is the blank."""

    weights: npt.NDArray[np.float32]
    bias: npt.NDArray[np.float32]

    def log_probs(self, frames: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Log probabilities, shape (frames, columns), of `frames`, shape (frames, 120)."""
        scores = frames @ self.weights + self.bias
        scores = scores - scores.max(axis=1, keepdims=True)
        return np.asarray(scores - np.log(np.exp(scores).sum(axis=1, keepdims=True)), np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class LayerInput:
    """What a network's last layer was given for one row, so that another layer can be laid over it without
    running the network again.

    `frames`: float32, shape (frames, 120). `layer`: the layer that gave the posteriors. `columns`: of its
    columns those of the posteriors, the blank's first.
    """

    frames: npt.NDArray[np.float32]
    layer: OutputLayer
    columns: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Posteriors:
    """CTC posteriors of one row, for a decoder to search.

    `log_probs`: float32, shape (frames, 1 + len(letters)), natural logarithms of the network's probabilities.
    Column 0 is the CTC blank, column k is `letters[k - 1]`. Letters outside Latin script were dropped, so a
    frame need not sum to one. A frame covers 1/frames of the crop's width. `source`: what they were made of;
    None where it was not stored, as of rows put together from parts.
    """

    log_probs: npt.NDArray[np.float32]
    letters: str
    source: LayerInput | None = None


class RowLooks(Protocol):
    """A row's ink, kept so that it can be read once more in other ways."""

    def posteriors(self) -> tuple[Posteriors, ...]:
        """What the first engine reads of the row in each of these ways, always as many; empty for none."""
        ...


@dataclass(frozen=True, slots=True)
class Alternative:
    """Another reading of the same row, and the name of the engine that gave it."""

    text: str
    score: float
    engine: str
    posteriors: Posteriors | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class StruckWord:
    """A stretch of a row that looks crossed out.

    `left` and `right`: shares of the crop's width, 0..1, and so of the posteriors' frames. `score`: 0.1..1,
    how much it looks struck. `kind`: "single" or "double" stroke, "wave", "zigzag", "cross" or "black". Two
    more kinds ask for a person and prove no strike: "unread", ink that the recogniser said nothing about, and
    "faint", a stroke much finer than the writing's.
    """

    left: float
    right: float
    score: float
    kind: str


@dataclass(frozen=True, slots=True)
class Strike:
    """Evidence that a row was crossed out.

    `score`: 0..1, how much the row as a whole looks struck. `words`: the stretches that look struck, from the
    left. In a struck row that is mostly one stretch as long as the row; several short ones mean struck words
    in a live row.
    """

    score: float = 0.0
    words: tuple[StruckWord, ...] = ()

    @property
    def max_word_score(self) -> float:
        """The highest score of a stretch, 0..1; it must be low for a row to be accepted automatically."""
        return max((word.score for word in self.words), default=0.0)


@dataclass(frozen=True, slots=True)
class Row:
    """One physical row of writing.

    `left` and `right`: where it starts and ends, as shares of the sheet's width. `indent`: how far right of
    the margin it starts, in heights of the sheet's median row. `focus` and `contrast`: see
    `quality.Legibility`; 0 if not measured. `cut_off`: the row touches the edge of the sheet or of the
    photograph, so letters may be missing; such a row is never accepted automatically. `crossed`: nor is one
    that a mark over several rows may cross out (`corrections.crossed_blocks`). `inserted`: small rows written
    just above this one that belong into it, see `corrections.apply`. `runs_on`: ink goes on past its
    ends; never accepted automatically either.
    `tick`: the box ticked next to it on a printed sheet: "A" for an army, "F" for a fleet, "?" for both.
    `looks`: its ink, for lines that stay unclear; None where it was not kept.
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
    crossed: bool = False
    inserted: tuple[Row, ...] = ()
    runs_on: bool = False
    tick: str = ""
    looks: RowLooks | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ReadLine:
    """One order, heading or remark, written on one row or on several.

    `score`: the recogniser's own, the lowest of the rows'; not calibrated. `strike`: that of the least struck
    row, since a line is void only if all of it is struck.
    """

    box: Box
    rows: tuple[Row, ...]
    text: str
    score: float
    strike: Strike
    alternatives: tuple[Alternative, ...] = ()


@dataclass(frozen=True, slots=True)
class PrintedSheet:
    """That a page is a printed order sheet. `code`: the letters of its QR code, "" if it could not be read.
    `marks`: how many of its four corner marks were seen."""

    code: str
    marks: int


@dataclass(frozen=True, slots=True)
class Page:
    """One sheet. Two sheets in one photograph are two pages, numbered from 1 in reading order.

    `rotation`: 0, 90, 180 or 270 degrees clockwise that make the photograph upright. `skew_degrees`: how far
    the writing falls to the right after that turn; negative if it rises. `image`: the flattened, upright,
    evenly lit sheet as JPEG. `printed`: what marks and code say of a printed sheet, None for other paper.
    """

    number: int
    rotation: int
    skew_degrees: float
    lines: tuple[ReadLine, ...]
    image: bytes = field(default=b"", compare=False, repr=False)
    printed: PrintedSheet | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """Everything one photograph gave. `reason` is set exactly if `status` is UNUSABLE.

    `detail`: a phrase for people ("the PDF needs a password"), or empty. `seconds`: wall-clock time.
    """

    status: Status
    reason: UnreadableReason | None = None
    detail: str = ""
    pages: tuple[Page, ...] = ()
    steps: tuple[Step, ...] = ()
    seconds: float = field(default=0.0, compare=False)
