"""Rows that a mark over several rows crosses out: an X, a slash, two strokes, a box, a serpentine, hatching.

    evened sheet -> ink -> strokes by their direction -> marks over rows -> rows between a mark's ends

What is crossed out row by row is found by `strike`. Here only strokes count that are straight for longer than
any letter's and lead from one row to another, and paper that a line encloses with the rows on it. Such a mark
proves nothing: its rows wait, and only a person takes them as struck (INK-09).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from ocr.image.illumination import byte_counts, percentile_of_counts
from ocr.layout.lines import RowStrip
from ocr.page import Image

# Tuning values; lengths are distances from row to row unless said. Chosen on 69 sheets without such a mark
# (sample sheets, oddities by others, 40 composed in letters of writers for calibration, seed 5001), and on 63
# with one (seed 6001). training/README.md has the figures ("Blocks crossed out"). STRAIGHT, LONG and HATCHES:
# on 210 more with one (seeds 9321 and 9322), where short strokes over two rows had been missed.
PITCH = 32
"""Pixels of the copy from one row to the next."""
DARK = 0.42
"""Share of the ink's darkness, 0..1, from which a pixel is ink: printed rules that are left are paler."""
LEAST_DARK = 40
"""Darkness, 0..255, below which nothing is ink."""
SOLID = 28
"""Darkness, 0..255, of the copy's pixels that are ink: a pen's stroke is finer than they are."""
EDGE = 0.012
"""Share of the sheet's longer side along its edges that is paper or table."""
STRAIGHT, STRAIGHT_LEVEL = 1.0, 1.5
"""For how long a stroke is straight, at least; the second for one that lies within LEVEL of the rows, as
dashes and the bars of letters do."""
LEVEL, STEEP = 14.0, 20.0
"""Degrees from the rows up to which a stroke is level, and from their upright up to which it is steep."""
TURN, TURN_LEVEL = 5.0, 2.0
"""Degrees from one direction that is tried to the next."""
BOW = 10.0
"""Degrees over which a stroke may bend."""
FLAT = 65.0
"""Degrees from the rows up to which a stroke is flat."""
LONG, LONG_FLAT = 1.7, 1.5
"""Length of a stroke over rows, at least; the second for a flat one: letters have none such."""
CLIMB, STEEP_CLIMB = 0.8, 1.6
"""How far a slanted stroke climbs, and a steep one, at least: the stems of two rows may touch."""
MIDDLE = 0.25
"""Distance to the middle of a row at which a stroke crosses it, at most."""
HATCHES, HATCHED_MIDDLE = 3, 0.4
"""Strokes of one direction side by side that are hatching, and the same for each of them."""
HATCH_GAP, HATCH_SHIFT = 2.5, 0.7
"""How far one of them begins from the next, and how far their middles are apart up and down, at most."""
WITHIN = 0.2
"""Row heights from the ends of a row within which a stroke crosses it: a line in the margin does not."""
PASSES, SERPENTINE = 1.8, 1.2
"""How often a serpentine passes a column, on the mean, and how far down it leads, at least."""
SHORT_ROW = 4.0
"""How far beyond the ends of a row a mark may pass it: one drawn over a longer row next to it."""
ROUND_TURN = 9
"""Pixels of the copy, odd: where a serpentine turns it is bent."""
ENCLOSED, ENCLOSED_WIDE = 1.3, 3.0
"""Height and width of the paper that a box encloses, at least."""
OPEN_CORNER = 5
"""Pixels of the copy, odd: a box may be so far from closed."""
BEYOND, BESIDE = 0.4, 8.0
"""How far beyond its rows' middles a mark may end, and how far beside a row."""

_Mask = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class _Mark:
    """A mark over rows: left, top, right and foot in pixels of the sheet."""

    left: float
    top: float
    right: float
    foot: float


def crossed_rows(clean: Image, strips: Sequence[RowStrip]) -> tuple[bool, ...]:
    """For each row of an evened sheet, RGB, whether a mark over several rows may cross it out."""
    if len(strips) < 2:
        return (False,) * len(strips)
    marks = tuple(_Search(clean, strips).marks())
    pitch = _pitch(strips)
    return tuple(any(_is_between(strip, mark, pitch) for mark in marks) for strip in strips)


def _is_between(strip: RowStrip, mark: _Mark, pitch: float) -> bool:
    """True if a row lies between the ends of a mark."""
    (left, top), (right, foot) = _middle_line(strip)
    middle = (top + foot) / 2
    return (mark.top - BEYOND * pitch < middle < mark.foot + BEYOND * pitch
            and mark.left < right + BESIDE * pitch and left - BESIDE * pitch < mark.right)


class _Search:
    """The search for marks on one sheet. `_ink`: the ink at and about its rows in a copy, 1 and 0; `_scale`:
    pixels of the copy for one of the sheet; `_corner`: where the copy begins on the sheet."""

    def __init__(self, clean: Image, strips: Sequence[RowStrip]) -> None:
        self._strips = strips
        self._height = float(np.median([strip.height for strip in strips]))
        pitch = _pitch(strips)
        self._scale = PITCH / pitch
        corners = np.concatenate([strip.quad for strip in strips])
        self._corner = np.maximum(0, corners.min(axis=0) - pitch).astype(int)
        right, foot = (corners.max(axis=0) + pitch).astype(int)
        left, top = (int(side) for side in self._corner)
        self._ink = _small(_ink_of(clean)[top:foot, left:right], self._scale)
        self._middles = np.array([_middle_line(strip) for strip in strips])
        begin, end = self._middles.mean(axis=0)
        self._slope = float(np.degrees(np.arctan2(begin[1] - end[1], end[0] - begin[0])))

    def marks(self) -> Iterator[_Mark]:
        """All marks, some of them several times."""
        level = self._straight(np.arange(-LEVEL, LEVEL + 1, TURN_LEVEL), STRAIGHT_LEVEL)
        slanted = self._straight(np.arange(LEVEL + 1, 181 - LEVEL, TURN), STRAIGHT)
        yield from self._strokes([*level, *slanted])
        yield from self._serpentines(level)
        yield from self._boxes()
        yield from self._open_boxes(level, slanted)

    def _straight(self, degrees: npt.NDArray[np.float64], length: float) -> list[tuple[float, _Mask]]:
        """By direction, in degrees from the rows, the ink that is straight for a length."""
        lines = ((float(turn), _line(length, float(turn) + self._slope)) for turn in degrees)
        return [
            (turn, np.asarray(cv2.morphologyEx(self._ink, cv2.MORPH_OPEN, line), np.uint8))
            for turn, line in lines]

    def _strokes(self, directions: Sequence[tuple[float, _Mask]]) -> Iterator[_Mark]:
        """Single strokes that lead over rows, each a bow from one direction to another near it."""
        beyond = SHORT_ROW * PITCH / self._scale
        for first, _ in directions:
            bow = [(turn, ink) for turn, ink in directions if first <= turn <= first + BOW]
            last = bow[-1][0]
            is_steep = first >= 90 - STEEP and last <= 90 + STEEP
            is_flat = all(min(abs(turn), 180 - turn) <= FLAT for turn in (first, last))
            length = LONG_FLAT if is_flat else LONG
            climb = 0.0 if last <= LEVEL else STEEP_CLIMB if is_steep else CLIMB
            together = np.asarray(np.bitwise_or.reduce([ink for _, ink in bow]), np.uint8)
            # A quarter of the time of labelling every pixel, on pictures with so little ink.
            contours, nested = cv2.findContours(together, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_NONE)
            short: list[_Mark] = []
            for contour, (_, _, _, outer) in zip(contours, () if nested is None else nested[0], strict=True):
                left, top, width, height = cv2.boundingRect(contour)
                is_long = height >= climb * PITCH and np.hypot(width, height) >= length * PITCH
                if outer >= 0 or (height < CLIMB * PITCH and not is_long):
                    continue
                part = np.zeros((height, width), np.uint8)
                cv2.drawContours(part, [contour], -1, 1, cv2.FILLED, offset=(-left, -top))
                ys, xs = np.nonzero(part & together[top : top + height, left : left + width])
                pixels = np.column_stack([xs + left, ys + top]) / self._scale + self._corner
                if last > LEVEL and self._crossed(pixels, beyond, HATCHED_MIDDLE) >= 2:
                    short.append(self._mark(left, top, width, height))
                if not is_long:
                    continue
                # A line in the margin leads past the ends of all rows.
                if self._crossed(pixels, -WITHIN * self._height) >= (2 if is_steep else 1) and (
                    is_steep or self._crossed(pixels, beyond) >= 2
                ):
                    yield self._mark(left, top, width, height)
            yield from self._hatching(short)

    def _hatching(self, strokes: Sequence[_Mark]) -> Iterator[_Mark]:
        """Strokes of one direction side by side, each from one row to the next: three are not letters."""
        for first in strokes:
            # Each near the last: letters' stems that lead to the next row stand words apart.
            near, beside = HATCH_GAP * PITCH / self._scale, [first]
            for stroke in sorted(strokes, key=lambda stroke: stroke.left):
                if stroke.left > first.left and stroke.left - beside[-1].left < near and abs(
                    stroke.top + stroke.foot - first.top - first.foot
                ) < 2 * HATCH_SHIFT * PITCH / self._scale:
                    beside.append(stroke)
            if len(beside) >= HATCHES:
                yield _Mark(
                    min(stroke.left for stroke in beside), min(stroke.top for stroke in beside),
                    max(stroke.right for stroke in beside), max(stroke.foot for stroke in beside))

    def _serpentines(self, directions: Sequence[tuple[float, _Mask]]) -> Iterator[_Mark]:
        """Level strokes that go back and forth from row to row."""
        ink = np.bitwise_or.reduce([ink for _, ink in directions])
        joined = np.asarray(cv2.dilate(ink, np.ones((ROUND_TURN, ROUND_TURN), np.uint8)), np.uint8)
        count, labels, stats, _ = cv2.connectedComponentsWithStats(joined, connectivity=8)
        labels = labels * ink
        for label in range(1, count):
            left, top, width, height = (int(value) for value in stats[label, :4])
            inner = labels[top : top + height, left + width // 4 : left + width - width // 4] == label
            if height < SERPENTINE * PITCH or not inner.size:
                continue
            begins = np.diff(inner.astype(np.int8), axis=0, prepend=np.int8(0)) == 1
            if begins.sum(axis=0).mean() >= PASSES:
                yield self._mark(left, top, width, height)

    def _boxes(self) -> Iterator[_Mark]:
        """Paper that a line encloses with some of the rows, but not with all."""
        thick = cv2.dilate(self._ink, np.ones((OPEN_CORNER, OPEN_CORNER), np.uint8))
        paper = np.asarray(cv2.copyMakeBorder(1 - thick, 1, 1, 1, 1, cv2.BORDER_CONSTANT, value=1), np.uint8)
        count, labels, stats, _ = cv2.connectedComponentsWithStats(paper, connectivity=4)
        for label in range(1, count):
            left, top, width, height = (int(value) for value in stats[label, :4])
            if label == labels[0, 0] or height < ENCLOSED * PITCH or width < ENCLOSED_WIDE * PITCH:
                continue
            yield from self._unless_frame(self._mark(left - 1, top - 1, width, height))

    def _unless_frame(self, mark: _Mark) -> Iterator[_Mark]:
        """A box, but not one about everything, which is the paper's own frame."""
        if not all(mark.top < strip.quad[:, 1].mean() < mark.foot for strip in self._strips):
            yield mark

    def _open_boxes(
        self, level: Sequence[tuple[float, _Mask]], slanted: Sequence[tuple[float, _Mask]]
    ) -> Iterator[_Mark]:
        """Three sides of a box: a steep stroke from one long level stroke to another. Letters that touch a
        line part the paper that it encloses."""
        upright = np.bitwise_or.reduce([ink for turn, ink in slanted if abs(turn - 90) <= STEEP])
        _, lines, boxes, _ = cv2.connectedComponentsWithStats(
            np.bitwise_or.reduce([ink for _, ink in level]), connectivity=8)
        count, labels, stats, _ = cv2.connectedComponentsWithStats(upright, connectivity=8)
        near = PITCH // 2
        for label in range(1, count):
            left, top, width, height = (int(value) for value in stats[label, :4])
            if height < ENCLOSED * PITCH:
                continue
            ends: list[tuple[int, int]] = []
            for row in (top, top + height - 1):
                columns = left + np.flatnonzero(labels[row, left : left + width] == label)
                about = lines[max(0, row - near) : row + near, max(0, columns[0] - near) : columns[-1] + near]
                spans = [(int(boxes[line][0]), int(boxes[line][2])) for line in np.unique(about) if line]
                ends += [(begin, begin + wide) for begin, wide in spans if wide >= ENCLOSED_WIDE * PITCH][:1]
            if len(ends) == 2:
                begin, end = min(begin for begin, _ in ends), max(end for _, end in ends)
                yield from self._unless_frame(self._mark(begin, top, end - begin, height))

    def _mark(self, left: int, top: int, width: int, height: int) -> _Mark:
        begin, end = (
            np.array(corner) / self._scale + self._corner
            for corner in ((left, top), (left + width, top + height)))
        return _Mark(float(begin[0]), float(begin[1]), float(end[0]), float(end[1]))

    def _crossed(self, pixels: npt.NDArray[np.float64], room: float, middle: float = MIDDLE) -> int:
        """How many rows' middles a stroke crosses, or comes as near as `middle`, within so many pixels beyond
        their ends; inside, below 0."""
        begins, ends, far = self._middles[:, 0], self._middles[:, 1], middle * PITCH / self._scale
        slopes = (ends[:, 1] - begins[:, 1]) / np.maximum(1.0, ends[:, 0] - begins[:, 0])
        (left, top), (right, foot) = pixels.min(axis=0), pixels.max(axis=0)
        heights = begins[:, 1:] + slopes[:, None] * (np.array((left, right)) - begins[:, :1])
        is_near = (begins[:, 0] - room < right) & (left < ends[:, 0] + room) & (
            heights.min(axis=1) - far < foot) & (top < heights.max(axis=1) + far)
        crossed = 0
        for begin, end, slope in zip(begins[is_near], ends[is_near], slopes[is_near], strict=True):
            inside = pixels[(pixels[:, 0] > begin[0] - room) & (pixels[:, 0] < end[0] + room)]
            middles = begin[1] + slope * (inside[:, 0] - begin[0])
            crossed += bool((np.abs(inside[:, 1] - middles) < far).any())
        return crossed


def _middle_line(strip: RowStrip) -> tuple[tuple[float, float], tuple[float, float]]:
    """Where the middle of a row begins and ends, in pixels of the sheet."""
    begin, end = (strip.quad[0] + strip.quad[3]) / 2, (strip.quad[1] + strip.quad[2]) / 2
    return (float(begin[0]), float(begin[1])), (float(end[0]), float(end[1]))


def _pitch(strips: Sequence[RowStrip]) -> float:
    """Pixels from one row to the next below it, the median, but not far from a row's height."""
    height = float(np.median([strip.height for strip in strips]))
    rows = sorted((float(strip.quad[:, 1].mean()), strip.left, strip.right) for strip in strips)
    steps = [
        min((below - middle for below, first, last in rows[index + 1 :] if first < right and left < last),
            default=0.0)
        for index, (middle, left, right) in enumerate(rows)]
    steps = [step for step in steps if step > 0]
    return min(max(0.6 * height, float(np.median(steps)) if steps else height), 1.6 * height)


def _ink_of(clean: Image) -> _Mask:
    """The writing on an evened sheet, 255, and 0 for all else. On dark ground the light is the writing."""
    dark = np.asarray(255 - cv2.cvtColor(clean, cv2.COLOR_RGB2GRAY), np.uint8)
    counts = byte_counts(dark)
    counts[: max(1, int(percentile_of_counts(counts, 99)))] = 0
    full = percentile_of_counts(counts, 50) if counts.any() else 255.0
    ink = np.asarray(dark > max(LEAST_DARK, DARK * full), np.uint8)
    if ink.mean() > 0.5:
        ink = 1 - ink
    edge = max(2, round(EDGE * max(ink.shape)))
    ink[:edge] = ink[-edge:] = ink[:, :edge] = ink[:, -edge:] = 0
    return ink * np.uint8(255)


def _small(ink: _Mask, scale: float) -> _Mask:
    small = cv2.resize(ink, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    return np.asarray(small > SOLID, np.uint8)


def _line(length: float, degrees: float) -> _Mask:
    """A straight line of a length and direction: 1, and 0 about it."""
    half = length * PITCH / 2
    across, up = np.cos(np.radians(degrees)) * half, np.sin(np.radians(degrees)) * half
    side = 2 * int(np.ceil(max(abs(across), abs(up)))) + 1
    begin, end = (
        (round((side - 1) / 2 + way * across), round((side - 1) / 2 - way * up)) for way in (-1, 1))
    line = np.zeros((side, side), np.uint8)
    cv2.line(line, begin, end, 1)
    return line
