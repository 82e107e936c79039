"""Rows that a mark over several rows crosses out: an X, a slash, two strokes, a box, a serpentine, hatching.

    evened sheet -> ink -> strokes by their direction -> marks over rows -> rows between a mark's ends

What is crossed out row by row is found by `strike`. Here only strokes count that lead from one row to
another, weighed by their length, their bend and how tight the hand is, level strokes that go back and forth,
and paper that a line encloses with the rows on it. Such a mark proves nothing: its rows wait, and only a
person takes them as struck (INK-09).
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from ocr.image.illumination import byte_counts, percentile_of_counts
from ocr.layout.lines import RowStrip
from ocr.page import Image

# Lengths are distances from row to row unless said. What weighs a stroke is fitted (`crossed_blocks.toml`, by
# training.tuning.fit_marks); the values here were chosen by hand on sheets with and without marks, which
# training/README.md lists ("Blocks crossed out").
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
LONG = 1.2
"""Length of a stroke that is weighed, at least."""
NEAR = 0.4
"""Distance to the middle of a row at which a stroke leads to it, at most."""
TRUSTED = -2.0
"""The weighed evidence from which a stroke is a mark. By hand, on cross-fitted sheets: `fit_marks` prints
what it misses."""
WITHIN = 0.2
"""Row heights from the ends of a row inside which a stroke crosses one at least: a line in the margin does
not."""
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

EVIDENCE = ("length", "above", "below", "bend", "row_height", "pen", "through", "through_next")
"""What weighs a stroke over rows. `length`: its logarithm. `above`, `below`: how far it reaches beyond the
middle of each of its rows, the least, -.2 to .6. `bend`: how far off a bow it is at most, pixels of the copy
up to 4. `row_height`: how tight the hand is. `pen`: the logarithm of its width over the pen's. `through`,
`through_next`: how far beyond the middle of a row it reaches on both sides, for the rows where that is most,
-.2 to 1.2 and to .6."""

_Mask = npt.NDArray[np.uint8]
_Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark over rows: left, top, right and foot in pixels of the sheet."""

    left: float
    top: float
    right: float
    foot: float


@dataclass(frozen=True, slots=True)
class Stroke:
    """A stroke that leads from row to row, by pen or by letters that touch. `evidence`: as in `EVIDENCE`."""

    mark: Mark
    evidence: _Floats


@dataclass(frozen=True, slots=True)
class MarkWeights:
    """What each part of the evidence counts, and the constant."""

    bias: float
    weights: _Floats

    def weigh(self, stroke: Stroke) -> float:
        """How likely a stroke is a mark, as log odds among strokes as they were fitted on."""
        return self.bias + float(stroke.evidence @ self.weights)


def crossed_rows(clean: Image, strips: Sequence[RowStrip]) -> tuple[bool, ...]:
    """For each row of an evened sheet, RGB, whether a mark over several rows may cross it out."""
    if len(strips) < 2:
        return (False,) * len(strips)
    search, weights = MarkSearch(clean, strips), default_weights()
    strokes = (stroke.mark for stroke in search.strokes() if weights.weigh(stroke) > TRUSTED)
    under = rows_under((*strokes, *search.enclosing()), strips)
    return tuple(bool(row.any()) for row in under.T)


def rows_under(marks: Sequence[Mark], strips: Sequence[RowStrip]) -> npt.NDArray[np.bool_]:
    """Whether each row (across) lies between the ends of each mark (down); one line of False for no marks."""
    pitch = _pitch(strips)
    return np.array(
        [[_is_between(strip, mark, pitch) for strip in strips] for mark in marks] or [[False] * len(strips)])


@cache
def default_weights() -> MarkWeights:
    """The weights of `crossed_blocks.toml`. Raises ValueError if one is missing there."""
    path = Path(__file__).with_name("crossed_blocks.toml")
    table = tomllib.loads(path.read_text(encoding="utf-8")).get("weights", {})
    if table.keys() != {"bias", *EVIDENCE}:
        raise ValueError(f"{path} must have these weights: bias, {', '.join(EVIDENCE)}")
    return MarkWeights(table["bias"], np.array([table[name] for name in EVIDENCE]))


def _is_between(strip: RowStrip, mark: Mark, pitch: float) -> bool:
    """True if a row lies between the ends of a mark."""
    (left, top), (right, foot) = _middle_line(strip)
    middle = (top + foot) / 2
    return (mark.top - BEYOND * pitch < middle < mark.foot + BEYOND * pitch
            and mark.left < right + BESIDE * pitch and left - BESIDE * pitch < mark.right)


class MarkSearch:
    """The search for marks on one sheet. `_ink`: the ink at and about its rows in a copy, 1 and 0; `_scale`:
    pixels of the copy for one of the sheet; `_corner`: where the copy begins on the sheet."""

    def __init__(self, clean: Image, strips: Sequence[RowStrip]) -> None:
        """`clean`: the evened sheet, RGB. `strips`: its rows, at least one."""
        self._strips = strips
        self._height = float(np.median([strip.height for strip in strips]))
        self._pitch = _pitch(strips)
        self._scale = PITCH / self._pitch
        corners = np.concatenate([strip.quad for strip in strips])
        self._corner = np.maximum(0, corners.min(axis=0) - self._pitch).astype(int)
        right, foot = (corners.max(axis=0) + self._pitch).astype(int)
        left, top = (int(side) for side in self._corner)
        self._ink = _small(_ink_of(clean)[top:foot, left:right], self._scale)
        self._middles = np.array([_middle_line(strip) for strip in strips])
        begin, end = self._middles.mean(axis=0)
        self._slope = float(np.degrees(np.arctan2(begin[1] - end[1], end[0] - begin[0])))

    def enclosing(self) -> Iterator[Mark]:
        """The serpentines and boxes, some of them several times."""
        yield from self._serpentines(self._level)
        yield from self._boxes()
        yield from self._open_boxes(self._level, self._slanted)

    def strokes(self) -> Iterator[Stroke]:
        """The strokes from row to row, each a bow from one direction to another near it; most of them several
        times, and in a tight hand most of them letters that touch."""
        directions = [*self._level, *self._slanted]
        for first, _ in directions:
            bow = [ink for turn, ink in directions if first <= turn <= first + BOW]
            together = np.asarray(np.bitwise_or.reduce(bow), np.uint8)
            # A quarter of the time of labelling every pixel, on pictures with so little ink.
            contours, nested = cv2.findContours(together, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_NONE)
            for contour, (_, _, _, outer) in zip(contours, () if nested is None else nested[0], strict=True):
                left, top, width, height = cv2.boundingRect(contour)
                if outer >= 0 or np.hypot(width, height) < LONG * PITCH:
                    continue
                part = np.zeros((height, width), np.uint8)
                cv2.drawContours(part, [contour], -1, 1, cv2.FILLED, offset=(-left, -top))
                ys, xs = np.nonzero(part & together[top : top + height, left : left + width])
                evidence = self._evidence(np.column_stack([xs + left, ys + top]).astype(float))
                if evidence is not None:
                    yield Stroke(self._mark(left, top, width, height), evidence)

    @cached_property
    def _level(self) -> list[tuple[float, _Mask]]:
        return self._straight(np.arange(-LEVEL, LEVEL + 1, TURN_LEVEL), STRAIGHT_LEVEL)

    @cached_property
    def _slanted(self) -> list[tuple[float, _Mask]]:
        return self._straight(np.arange(LEVEL + 1, 181 - LEVEL, TURN), STRAIGHT)

    def _straight(self, degrees: _Floats, length: float) -> list[tuple[float, _Mask]]:
        """By direction, in degrees from the rows, the ink that is straight for a length."""
        lines = ((float(turn), _line(length, float(turn) + self._slope)) for turn in degrees)
        return [
            (turn, np.asarray(cv2.morphologyEx(self._ink, cv2.MORPH_OPEN, line), np.uint8))
            for turn, line in lines]

    def _evidence(self, pixels: _Floats) -> _Floats | None:
        """See `EVIDENCE`, of a stroke's pixels (x, y) in the copy; None for one that leads to no other row or
        is inside none."""
        on_sheet = pixels / self._scale + self._corner
        reaches = self._reaches(on_sheet, self._pitch / 2)
        if (len(self._reaches(on_sheet, SHORT_ROW * self._pitch)) < 2
                or not self._reaches(on_sheet, -WITHIN * self._height)):
            return None
        shape, (above, below) = _shape(pixels), np.clip(np.min(reaches, axis=0), -0.2, 0.6)
        return np.array([
            np.log(shape.length / PITCH), above, below, min(4.0, shape.bend), self._height / self._pitch,
            np.log(shape.width / self._pen), *self._through(reaches)])

    @staticmethod
    def _through(reaches: Sequence[tuple[float, float]]) -> tuple[float, float]:
        """The last two parts of `EVIDENCE`."""
        first, second, *_ = (*sorted(map(min, reaches), reverse=True), 0.0, 0.0)
        return float(np.clip(first, -0.2, 1.2)), float(np.clip(second, -0.2, 0.6))

    def _reaches(self, pixels: _Floats, room: float) -> list[tuple[float, float]]:
        """How far a stroke reaches above and below the middle of each row that it leads to within so many
        pixels of the sheet beyond the row's ends; inside them, below 0."""
        begins, ends = self._middles[:, 0], self._middles[:, 1]
        slopes = (ends[:, 1] - begins[:, 1]) / np.maximum(1.0, ends[:, 0] - begins[:, 0])
        (left, top), (right, foot), far = pixels.min(axis=0), pixels.max(axis=0), NEAR * self._pitch
        heights = begins[:, 1:] + slopes[:, None] * (np.array((left, right)) - begins[:, :1])
        is_near = (begins[:, 0] - room < right) & (left < ends[:, 0] + room) & (
            heights.min(axis=1) - far < foot) & (top < heights.max(axis=1) + far)
        reaches = []
        for begin, end, slope in zip(begins[is_near], ends[is_near], slopes[is_near], strict=True):
            inside = pixels[(pixels[:, 0] > begin[0] - room) & (pixels[:, 0] < end[0] + room)]
            off = inside[:, 1] - begin[1] - slope * (inside[:, 0] - begin[0])
            if len(off) and np.abs(off).min() < far:
                reaches.append((-float(off.min()) / self._pitch, float(off.max()) / self._pitch))
        return reaches

    @cached_property
    def _pen(self) -> float:
        """The mean width of the ink, pixels of the copy."""
        edge = self._ink - cv2.erode(self._ink, np.ones((3, 3), np.uint8))
        return max(0.5, 2 * float(self._ink.sum()) / max(1.0, float(edge.sum())))

    def _serpentines(self, directions: Sequence[tuple[float, _Mask]]) -> Iterator[Mark]:
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

    def _boxes(self) -> Iterator[Mark]:
        """Paper that a line encloses with some of the rows, but not with all."""
        thick = cv2.dilate(self._ink, np.ones((OPEN_CORNER, OPEN_CORNER), np.uint8))
        paper = np.asarray(cv2.copyMakeBorder(1 - thick, 1, 1, 1, 1, cv2.BORDER_CONSTANT, value=1), np.uint8)
        count, labels, stats, _ = cv2.connectedComponentsWithStats(paper, connectivity=4)
        for label in range(1, count):
            left, top, width, height = (int(value) for value in stats[label, :4])
            if label == labels[0, 0] or height < ENCLOSED * PITCH or width < ENCLOSED_WIDE * PITCH:
                continue
            yield from self._unless_frame(self._mark(left - 1, top - 1, width, height))

    def _unless_frame(self, mark: Mark) -> Iterator[Mark]:
        """A box, but not one about everything, which is the paper's own frame."""
        if not all(mark.top < strip.quad[:, 1].mean() < mark.foot for strip in self._strips):
            yield mark

    def _open_boxes(
        self, level: Sequence[tuple[float, _Mask]], slanted: Sequence[tuple[float, _Mask]]
    ) -> Iterator[Mark]:
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

    def _mark(self, left: int, top: int, width: int, height: int) -> Mark:
        begin, end = (
            np.array(corner) / self._scale + self._corner
            for corner in ((left, top), (left + width, top + height)))
        return Mark(float(begin[0]), float(begin[1]), float(end[0]), float(end[1]))


@dataclass(frozen=True, slots=True)
class _Shape:
    """A stroke's length, direction, width and how far off a bow it is at most; pixels, and degrees up from
    the right."""

    length: float
    degrees: float
    width: float
    bend: float


def _shape(pixels: _Floats) -> _Shape:
    """The shape of a stroke of pixels (x, y)."""
    centred = pixels - pixels.mean(axis=0)
    _, axes = np.linalg.eigh(np.cov(centred.T))
    along, across = centred @ axes[:, 1], centred @ axes[:, 0]
    # Its middle in steps of three pixels, next to the parabola through them.
    steps = ((along - along.min()) / 3).astype(int)
    counts = np.bincount(steps)
    places = np.flatnonzero(counts)
    middles = np.bincount(steps, across)[places] / counts[places]
    bow = np.polyval(np.polyfit(places, middles, 2), places) if len(places) > 3 else middles
    return _Shape(
        float(np.ptp(along)), float(np.degrees(np.arctan2(-axes[1, 1], axes[0, 1]))),
        float(np.median(counts[places])) / 3, float(np.abs(middles - bow).max()))


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
