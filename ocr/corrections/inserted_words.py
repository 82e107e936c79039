"""Words inserted above a row for which the finder found no box of their own.

A correction is mostly written small over the word it replaces; the finder's box then includes both, or leaves
it out. Where words of a live row are struck, or the engine sees a word above, the sheet above them is looked
at: ink there is its own row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from ocr.corrections.strike_marks import HEIGHT, Plane, soft_ink
from ocr.decoding.review_gate import CUT_OUT
from ocr.engines import CrossingScores, Quad, Recognition
from ocr.image.geometry import CROP_MARGIN, grow_quad, quad_size
from ocr.layout.lines import RowStrip
from ocr.page import Image, Strike

# Tuning values. A frame is 8 pixels of a row 48 high, stretched by 1.3. "By hand": no measurement on record.
# Frames that show an inserted word.
ABOVE, LEAST = 0.5, 3
"""Probability, 0..1, from which a frame shows an inserted word, and the frames that make one. By hand.
Photographs: 0.34 or less in rows without one."""
FAINTLY, PEAK, FEW = 0.12, 0.2, 2
"""The same where there may be one: probability from which frames belong to it, what one of them shows at
least, and their number. By hand, commit 436fc73. Photographs: 0.08 or less in 99 of 100 rows without one."""
NO_WORD = 0.3  # probability, 0..1, below which a frame shows no inserted word. By hand
RUN_GAP = 2  # frames, 0..5: a run continues over so many that do not show it. By hand
BESIDE = 4  # frames, 0..10, between a struck stretch and a word above it that still belong together. By hand
# Where an inserted word is, in heights of the row's small letters.
LIFT, TALL = 0.2, 2.2  # 0..1 and 1..4: from the small letters up to its lower edge, and its height. By hand
RISE, DROP = 1.5, 1.0
"""0.5..3: how far the row's own letters reach above the small ones, and below them. By hand."""
WIDER = 0.5  # 0..2: what is included next to a struck stretch. By hand
LEAST_CUT = 0.12
"""Share of the crop's height, 0..0.5: cutting off less is not worth a second reading. By hand."""
# A spot that reaches into the row above.
LONG = 2.0  # lengths of the spot, 1..5, from which a box in its way is a row and no word. By hand
LEAST_LEFT = 0.35  # share of its height, 0..1, that must be left of it. By hand
# Where the small letters are.
LIVE = 0.5  # probability, 0..1, of live writing from which a frame shows the row's letters. By hand
BODY_EDGE = 0.5
"""Share of the most changes in a row of pixels, 0..1, from which it holds small letters. By hand."""


class InsertEvidence(Enum):
    """How an engine saw an inserted word: the least score of what is read there, 0..1, and its fewest letters
    and digits.

    UNSEEN: stems of the struck word or the strokes through it read as a letter or two. MAYBE: only what reads
    well is a word. By hand, commit 436fc73.
    """

    SEEN = (0.5, 1)
    MAYBE = (0.8, 1)
    UNSEEN = (0.5, 3)


Run: TypeAlias = tuple[int, int]
"""First frame, and the one past the last."""

FrameSpan: TypeAlias = tuple[float, float, InsertEvidence]
"""From, to (in frames), and how the engine saw a word there."""


@dataclass(frozen=True, slots=True)
class CropPatch:
    """A part of a crop, as shares of its width and height; it may reach over the crop's edges."""

    left: float
    top: float
    right: float
    bottom: float
    evidence: InsertEvidence = InsertEvidence.SEEN


@dataclass(frozen=True, slots=True, eq=False)
class InsertionSpot:
    """A place on the sheet where a word may be inserted, corners in pixels (`quad`).

    `row_quad`: the small letters of the row below, from its first to its last. `is_cut`: its upper part is
    another row's, so letters may be cut off.
    """

    quad: Quad
    evidence: InsertEvidence
    row_quad: Quad
    is_cut: bool = False

    def accepts(self, recognition: Recognition) -> bool:
        """True if what was read there is a word."""
        least_score, fewest = self.evidence.value
        return recognition.score >= least_score and sum(c.isalnum() for c in recognition.text) >= fewest


def trim_to_row(crop: Image, recognition: Recognition) -> Image:
    """The crop without a word above the row that its box included; mostly the crop itself."""
    crossing = recognition.crossing
    # Mostly nothing is inserted, and then the ink need not be looked at.
    if crossing is None or not _inserted_runs(crossing):
        return crop
    part = _row_patch(soft_ink(crop), crossing)
    if part is None:
        return crop
    height = crop.shape[0]
    return np.ascontiguousarray(crop[max(0, round(part.top * height)) : max(1, round(part.bottom * height))])


def insertion_spots(
    strip: RowStrip, strips: Sequence[RowStrip], crop: Image, recognition: Recognition, strike: Strike
) -> tuple[InsertionSpot, ...]:
    """Where words may be inserted over a row, except where a row was found already.

    `crop`, `recognition`: the row's whole crop as the first engine read it. `strike`: how struck the row is.
    """
    crossing = recognition.crossing
    if crossing is None or not _insertion_frames(
        _inserted_runs(crossing), _possible_inserted_runs(crossing), strike, len(crossing.above_probs)
    ):
        return ()
    outer = grow_quad(strip.quad, CROP_MARGIN[0] * strip.height, CROP_MARGIN[1] * strip.height)
    ink = soft_ink(crop)
    top, base = small_letter_rows(ink, crossing)
    row_quad = _on_sheet(outer, CropPatch(0.0, top / HEIGHT, 1.0, base / HEIGHT))
    spots = (
        InsertionSpot(_on_sheet(outer, patch), patch.evidence, row_quad)
        for patch in insertion_patches(ink, crossing, strike)
    )
    others = [other.quad for other in strips if other is not strip]
    free = (_clear_of(spot, others) for spot in spots)
    return tuple(spot for spot in free if spot is not None)


def _clear_of(spot: InsertionSpot, others: Sequence[Quad]) -> InsertionSpot | None:
    """The spot without the foot of the row above, where a word was seen close below that row; None where a
    row was found already, or too little is left."""
    met = [other for other in others if _meet(spot.quad, other)]
    if not met:
        return spot
    # A small "county" stood with its middle a pixel inside the box of the row above, and was not looked for.
    width = quad_size(spot.quad)[0]
    are_rows = all(quad_size(other)[0] > LONG * width for other in met)
    # "County" above a word that was blacked out, as close below that row, was not seen by the engine either:
    # the order passed as one to Waterford. What is read there waits.
    if spot.evidence is InsertEvidence.MAYBE or not are_rows:
        return None
    cut = max(_share_above(spot.quad, other) for other in met)
    if cut > 1.0 - LEAST_LEFT:
        return None
    top = spot.quad[:2] + (spot.quad[[3, 2]] - spot.quad[:2]) * np.float32(cut)
    return replace(spot, quad=np.concatenate([top, spot.quad[2:]]), is_cut=True)


def _share_above(quad: Quad, other: Quad) -> float:
    """The share of a spot's height that lies above the foot of another row, 0 or more."""
    top, foot = (quad[0] + quad[1]) / 2, (quad[2] + quad[3]) / 2
    start, along = other[3], other[2] - other[3]
    # Signed distances from the row's lower edge; y grows downwards.
    above, below = (
        float(along[0] * (point - start)[1] - along[1] * (point - start)[0]) for point in (top, foot)
    )
    return max(0.0, -above / (below - above)) if below > above else 1.0


def _on_sheet(outer: Quad, patch: CropPatch) -> Quad:
    """The corners of a patch of a crop. `outer`: the crop's corners on the sheet."""
    along, down = outer[1] - outer[0], outer[3] - outer[0]
    shares = (
        (patch.left, patch.top), (patch.right, patch.top),
        (patch.right, patch.bottom), (patch.left, patch.bottom),
    )
    return np.array([outer[0] + along * x + down * y for x, y in shares], dtype=np.float32)


def _meet(quad: Quad, other: Quad) -> bool:
    """True if the middle of either lies in the other."""
    return any(
        cv2.pointPolygonTest(a, (float(b[:, 0].mean()), float(b[:, 1].mean())), measureDist=False) >= 0
        for a, b in ((quad, other), (other, quad))
    )


def insertion_patches(ink: Plane, crossing: CrossingScores, strike: Strike) -> tuple[CropPatch, ...]:
    """Where words may be inserted over a live row: over its struck words, and where the engine saw one.

    `ink`: soft ink of the row's crop.
    """
    top, base = small_letter_rows(ink, crossing)
    small = base - top
    if small <= 0:
        return ()
    frames, room = len(crossing.above_probs), WIDER * small / ink.shape[1]
    bottom = top - LIFT * small
    patch_top, patch_bottom = (bottom - TALL * small) / HEIGHT, bottom / HEIGHT
    return tuple(
        CropPatch(left / frames - room, patch_top, right / frames + room, patch_bottom, evidence)
        for left, right, evidence in _insertion_frames(
            _inserted_runs(crossing), _possible_inserted_runs(crossing), strike, frames
        )
    )


def _insertion_frames(
    runs: Sequence[Run], possible_runs: Sequence[Run], strike: Strike, frames: int
) -> list[FrameSpan]:
    """Frames over which a word may be inserted: over each struck word, and wherever the engine saw one."""
    spans: list[FrameSpan] = []
    unclaimed = set(runs)
    # 1. Over struck words, together with what the engine saw near them.
    for word in strike.words:
        if word.score < CUT_OUT or word.kind in {"unread", "faint"}:
            continue
        left, right = word.left * frames, word.right * frames
        nearby = [(start, end) for start, end in runs if start <= right + BESIDE and end >= left - BESIDE]
        unclaimed -= set(nearby)
        spans.append((
            min([left, *(start for start, _ in nearby)]), max([right, *(end for _, end in nearby)]),
            InsertEvidence.SEEN if nearby else InsertEvidence.UNSEEN))
    # 2. Elsewhere, as over a caret.
    spans += [(start, end, InsertEvidence.SEEN) for start, end in unclaimed]
    # 3. Where one shows faintly and nothing else was found.
    possible: list[FrameSpan] = [
        (start, end, InsertEvidence.MAYBE)
        for start, end in possible_runs
        if not any(start < span_end and end > span_start for span_start, span_end, _ in spans)
    ]
    return sorted([*spans, *possible])


def _row_patch(ink: Plane, crossing: CrossingScores) -> CropPatch | None:
    """The row's own part of a crop that includes a word above it; None with little to cut."""
    top, base = small_letter_rows(ink, crossing)
    small = base - top
    start, end = (top - RISE * small) / HEIGHT, (base + DROP * small) / HEIGHT
    return CropPatch(0.0, start, 1.0, end) if small > 0 and start > LEAST_CUT else None


def _inserted_runs(crossing: CrossingScores) -> list[Run]:
    """Runs of frames over which a word is inserted."""
    return _runs(crossing, ABOVE, LEAST)


def _possible_inserted_runs(crossing: CrossingScores) -> list[Run]:
    """Runs of frames over which a word may be inserted: all that show one faintly."""
    runs = _runs(crossing, FAINTLY, FEW)
    return [(start, end) for start, end in runs if crossing.above_probs[start:end].max() >= PEAK]


def _runs(crossing: CrossingScores, least_prob: float, fewest: int) -> list[Run]:
    frames = np.flatnonzero(crossing.above_probs > least_prob)
    parts = np.split(frames, np.flatnonzero(np.diff(frames) > RUN_GAP) + 1)
    return [(int(part[0]), int(part[-1]) + 1) for part in parts if len(part) >= fewest]


def small_letter_rows(ink: Plane, crossing: CrossingScores) -> tuple[float, float]:
    """Top and base of the small letters, in pixels of a crop HEIGHT high; both 0 without ink.

    Found by how often ink begins and ends along each row of pixels where nothing is struck or inserted; along
    all of it if that is little.
    """
    is_live = (crossing.class_probs[:, 0] > LIVE) & (crossing.above_probs < NO_WORD)
    frame_of_column = np.arange(ink.shape[1]) * len(is_live) // ink.shape[1]
    columns = is_live[np.minimum(len(is_live) - 1, frame_of_column)]
    dark = ink > 0.5
    part = dark[:, columns] if dark[:, columns].any(axis=0).sum() >= HEIGHT else dark
    changes = np.abs(np.diff(part.astype(np.float32), axis=1)).sum(axis=1)
    smooth = np.convolve(changes, np.ones(3) / 3, mode="same")
    if smooth.max(initial=0.0) <= 0:
        return 0.0, 0.0
    is_busy = smooth >= BODY_EDGE * smooth.max()
    peak = int(smooth.argmax())
    return float(_run_end(is_busy, peak, -1)), float(_run_end(is_busy, peak, 1) + 1)


def _run_end(flags: npt.NDArray[np.bool_], index: int, step: int) -> int:
    """The last index that is set, going from `index` by `step`."""
    while 0 <= index + step < len(flags) and flags[index + step]:
        index += step
    return index
