"""Words put in above a row, where no box of their own was found for them.

A correction is mostly written small over the word it replaces, and the finder's box then takes in both or
leaves it out. Where words of a live row are struck, the stretch of the sheet above them is looked at: ink
there is a row of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from ocr.corrections.strike_marks import HEIGHT, Plane, soft_ink
from ocr.decoding.confidence import CUT_OUT
from ocr.engines import CrossingScores, Quad, Recognition
from ocr.image.geometry import CROP_MARGIN, grow_quad
from ocr.layout.lines import RowStrip
from ocr.page import Image, Strike

ABOVE, LEAST = 0.5, 3
"""Chance from which a frame shows a word put in above, and frames of it that are a word."""

FAINTLY, PEAK, FEW = 0.12, 0.2, 2
"""The same where there may be one: chance from which frames belong to it, what one of them shows at least,
and their number."""

BESIDE = 4
"""Frames between a struck stretch and a word above it that still belong together."""

LIFT, TALL = 0.2, 2.2
"""Heights of small letters: from the row's own small letters up to the lower edge of what is put in, and that
one's height."""

RISE, DROP = 1.5, 1.0
"""The same: how far a row's own letters reach above its small ones, and below the base line."""

WIDER = 0.5
"""The same: what is taken in beside a struck stretch."""


class InsertEvidence(Enum):
    """How an engine saw a word put in, as the least score of what is read there to be taken for one, and its
    fewest letters and digits. Where none was seen, stems of the struck word or the strokes through it read as
    a letter or two; where there may be one, only what reads well is one."""

    SEEN = (0.5, 1)
    MAYBE = (0.8, 1)
    UNSEEN = (0.5, 3)


Run: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True)
class CropPatch:
    """A part of a crop, as shares of its width and height; it may reach over the crop's edges. `seen`: how
    the engine saw a word put in there."""

    left: float
    top: float
    right: float
    bottom: float
    evidence: InsertEvidence = InsertEvidence.SEEN


@dataclass(frozen=True, slots=True, eq=False)
class InsertionSpot:
    """A place on the sheet (corners in pixels) where a word may be put in, how the engine saw one there, and
    the small letters of the row below, from its first to its last."""

    quad: Quad
    evidence: InsertEvidence
    row_quad: Quad

    def accepts(self, said: Recognition) -> bool:
        """Whether what was read there is a word."""
        score, letters = self.evidence.value
        return said.score >= score and sum(c.isalnum() for c in said.text) >= letters


def trim_to_row(crop: Image, said: Recognition) -> Image:
    """The crop without a word above the row that its box took in; mostly the crop itself."""
    part = None if said.crossing is None else row_patch(soft_ink(crop), said.crossing)
    if part is None:
        return crop
    high = crop.shape[0]
    return np.ascontiguousarray(crop[max(0, round(part.top * high)) : max(1, round(part.bottom * high))])


def insertion_spots(
    strip: RowStrip, strips: Sequence[RowStrip], crop: Image, said: Recognition, mark: Strike
) -> tuple[InsertionSpot, ...]:
    """Where words may be put in over a row; not where a row was found already.

    `crop`, `said`: the row's whole crop as the first engine read it; `mark`: how struck it is.
    """
    if said.crossing is None:
        return ()
    outer, ink = (
        grow_quad(strip.quad, CROP_MARGIN[0] * strip.height, CROP_MARGIN[1] * strip.height),
        soft_ink(crop),
    )
    top, base = small_letter_rows(ink, said.crossing)
    small = _placed(outer, CropPatch(0.0, top / HEIGHT, 1.0, base / HEIGHT))
    spots = (
        InsertionSpot(_placed(outer, patch), patch.evidence, small)
        for patch in insertion_patches(ink, said.crossing, mark)
    )
    others = [other.quad for other in strips if other is not strip]
    return tuple(spot for spot in spots if not any(_meet(spot.quad, other) for other in others))


def _placed(outer: Quad, patch: CropPatch) -> Quad:
    along, down = outer[1] - outer[0], outer[3] - outer[0]
    shares = (
        (patch.left, patch.top),
        (patch.right, patch.top),
        (patch.right, patch.bottom),
        (patch.left, patch.bottom),
    )
    return np.array([outer[0] + along * x + down * y for x, y in shares], dtype=np.float32)


def _meet(quad: Quad, other: Quad) -> bool:
    """Whether the middle of either lies in the other."""
    return any(
        cv2.pointPolygonTest(a, (float(b[:, 0].mean()), float(b[:, 1].mean())), measureDist=False) >= 0
        for a, b in ((quad, other), (other, quad))
    )


def insertion_patches(ink: Plane, crossing: CrossingScores, mark: Strike) -> tuple[CropPatch, ...]:
    """Where words may be put in over a live row: over its struck words, and where the engine saw one. `ink`:
    soft ink of its crop."""
    top, base = small_letter_rows(ink, crossing)
    small = base - top
    if small <= 0:
        return ()
    frames, room = len(crossing.above_probs), WIDER * small / ink.shape[1]
    bottom = top - LIFT * small
    high = (bottom - TALL * small) / HEIGHT, bottom / HEIGHT
    return tuple(
        CropPatch(left / frames - room, high[0], right / frames + room, high[1], seen)
        for left, right, seen in _places(
            inserted_runs(crossing), possible_inserted_runs(crossing), mark, frames
        )
    )


def _places(
    runs: Sequence[Run], faint: Sequence[Run], mark: Strike, frames: int
) -> list[tuple[float, float, InsertEvidence]]:
    """Frames over which a word may be put in, and how the engine saw one there: over each struck word, and
    wherever else it saw one, as over a caret."""
    found: list[tuple[float, float, InsertEvidence]] = []
    left_over = set(runs)
    for word in mark.words:
        if word.score < CUT_OUT or word.kind in {"unread", "faint"}:
            continue
        left, right = word.left * frames, word.right * frames
        near = [(a, b) for a, b in runs if a <= right + BESIDE and b >= left - BESIDE]
        left_over -= set(near)
        found.append((
            min([left, *(a for a, _ in near)]), max([right, *(b for _, b in near)]),
            InsertEvidence.SEEN if near else InsertEvidence.UNSEEN))
    found += [(a, b, InsertEvidence.SEEN) for a, b in left_over]
    return sorted(
        [
            *found,
            *(
                (a, b, InsertEvidence.MAYBE)
                for a, b in faint
                if not any(a < end and b > begin for begin, end, _ in found)
            ),
        ]
    )


def row_patch(ink: Plane, crossing: CrossingScores) -> CropPatch | None:
    """The row's own part of a crop that took in a word above it; None where there is none, or hardly anything
    to cut."""
    if not inserted_runs(crossing):
        return None
    top, base = small_letter_rows(ink, crossing)
    small = base - top
    start, end = (top - RISE * small) / HEIGHT, (base + DROP * small) / HEIGHT
    return CropPatch(0.0, start, 1.0, end) if small > 0 and start > 0.12 else None


def inserted_runs(crossing: CrossingScores) -> list[Run]:
    """Runs of frames over which a word is put in."""
    return _runs(crossing, ABOVE, LEAST)


def possible_inserted_runs(crossing: CrossingScores) -> list[Run]:
    """Runs of frames over which a word may be put in: all that show one faintly."""
    return [(a, b) for a, b in _runs(crossing, FAINTLY, FEW) if crossing.above_probs[a:b].max() >= PEAK]


def _runs(crossing: CrossingScores, least: float, frames: int) -> list[Run]:
    at = np.flatnonzero(crossing.above_probs > least)
    parts = np.split(at, np.flatnonzero(np.diff(at) > 2) + 1)
    return [(int(part[0]), int(part[-1]) + 1) for part in parts if len(part) >= frames]


def small_letter_rows(ink: Plane, crossing: CrossingScores) -> tuple[float, float]:
    """Between which rows of the crop the small letters stand, told by how often ink begins and ends along
    each row where nothing is struck or put in; by all of it where that is little."""
    plain = (crossing.class_probs[:, 0] > 0.5) & (crossing.above_probs < 0.3)
    columns = plain[np.minimum(len(plain) - 1, np.arange(ink.shape[1]) * len(plain) // ink.shape[1])]
    dark = ink > 0.5
    part = dark[:, columns] if dark[:, columns].any(axis=0).sum() >= HEIGHT else dark
    changes = np.abs(np.diff(part.astype(np.float32), axis=1)).sum(axis=1)
    smooth = np.convolve(changes, np.ones(3) / 3, mode="same")
    if smooth.max(initial=0.0) <= 0:
        return 0.0, 0.0
    high = smooth >= 0.5 * smooth.max()
    peak = int(smooth.argmax())
    return float(_edge(high, peak, -1)), float(_edge(high, peak, 1) + 1)


def _edge(flags: npt.NDArray[np.bool_], at: int, way: int) -> int:
    while 0 <= at + way < len(flags) and flags[at + way]:
        at += way
    return at
