"""A person writing with letters that were recorded from a pen: real shapes, each sample as it was made."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from training.handwriting.ink import Extent, Mask
from training.handwriting.ink_writers import LETTER_X_HEIGHT, InkWriter
from training.handwriting.pen_strokes import PenPoint, Stroke, ink_strokes
from training.handwriting.writer import Habits, RowWriter

# Strokes of signs and figures that some were not asked to write, in heights of small letters, y up; own
# drawings.
_SIGNS: dict[str, tuple[tuple[tuple[float, float], ...], ...]] = {
    "-": (((0.0, 0.48), (0.35, 0.5), (0.7, 0.5)),),
    "/": (((0.0, -0.25), (0.3, 0.6), (0.6, 1.6)),),
    ">": (((0.0, 0.85), (0.3, 0.65), (0.5, 0.48), (0.3, 0.32), (0.0, 0.1)),),
    ".": (((0.0, 0.02), (0.05, 0.0)),),
    ",": (((0.06, 0.08), (0.08, -0.05), (0.0, -0.3)),),
    ":": (((0.02, 0.7), (0.05, 0.68)), ((0.0, 0.08), (0.03, 0.05))),
    ";": (((0.06, 0.7), (0.09, 0.68)), ((0.06, 0.08), (0.08, -0.05), (0.0, -0.3))),
    "'": (((0.06, 1.75), (0.04, 1.55), (0.0, 1.38)),),
    '"': (((0.04, 1.75), (0.0, 1.4)), ((0.26, 1.77), (0.22, 1.42))),
    "(": (((0.35, 1.8), (0.1, 1.3), (0.02, 0.7), (0.1, 0.1), (0.35, -0.4)),),
    ")": (((0.0, 1.8), (0.25, 1.3), (0.33, 0.7), (0.25, 0.1), (0.0, -0.4)),),
    "!": (((0.02, 1.7), (0.0, 1.1), (0.0, 0.45)), ((0.0, 0.05), (0.03, 0.02))),
    "=": (((0.0, 0.65), (0.35, 0.68), (0.7, 0.66)), ((0.02, 0.3), (0.35, 0.32), (0.7, 0.3))),
    "&": (((1.0, 0.0), (0.6, 0.5), (0.25, 1.0), (0.25, 1.35), (0.45, 1.5), (0.63, 1.3), (0.5, 0.98),
           (0.15, 0.6), (0.03, 0.25), (0.2, 0.0), (0.55, 0.02), (0.8, 0.3), (0.95, 0.65)),),
}  # fmt: skip

_FIGURES: dict[str, tuple[tuple[tuple[float, float], ...], ...]] = {
    "0": (((0.45, 1.4), (0.1, 1.1), (0.02, 0.6), (0.2, 0.05), (0.55, 0.1), (0.75, 0.7), (0.6, 1.3),
           (0.4, 1.42)),),
    "1": (((0.0, 1.1), (0.22, 1.42), (0.22, 0.7), (0.2, 0.0)),),
    "2": (((0.02, 1.1), (0.25, 1.4), (0.6, 1.3), (0.62, 0.95), (0.3, 0.45), (0.0, 0.03), (0.4, 0.05),
           (0.8, 0.02)),),
    "3": (((0.05, 1.25), (0.35, 1.42), (0.6, 1.2), (0.5, 0.85), (0.25, 0.75), (0.55, 0.65), (0.65, 0.3),
           (0.35, 0.0), (0.0, 0.12)),),
    "4": (((0.45, 1.4), (0.2, 0.9), (0.02, 0.5), (0.4, 0.48), (0.8, 0.5)), ((0.58, 0.85), (0.55, 0.4),
           (0.53, -0.05))),
    "5": (((0.15, 1.38), (0.1, 0.85), (0.4, 0.9), (0.62, 0.55), (0.4, 0.08), (0.0, 0.05)),
          ((0.15, 1.38), (0.4, 1.4), (0.65, 1.4))),
    "6": (((0.55, 1.42), (0.2, 1.0), (0.03, 0.45), (0.2, 0.03), (0.5, 0.1), (0.6, 0.4), (0.35, 0.62),
           (0.1, 0.45)),),
    "7": (((0.0, 1.35), (0.35, 1.36), (0.68, 1.38), (0.45, 0.75), (0.25, 0.0)),),
    "8": (((0.55, 1.25), (0.3, 1.4), (0.1, 1.15), (0.35, 0.75), (0.6, 0.35), (0.35, 0.0), (0.08, 0.3),
           (0.3, 0.72), (0.58, 1.1), (0.5, 1.3)),),
    "9": (((0.58, 1.15), (0.35, 1.4), (0.08, 1.15), (0.2, 0.85), (0.5, 0.95), (0.6, 1.25), (0.55, 0.6),
           (0.45, 0.0)),),
}  # fmt: skip
_SIGNS |= _FIGURES

SIGNS = frozenset(_SIGNS)
"""What everybody can write, whether recorded or not."""

# The gap between two letters' ink, in heights of small letters, before a person's own habit is added.
_GAP = 0.24
# A font's space has room at its letters' sides, recorded strokes have none. Of 101 writers who hold nothing
# out the median gap between words is 2.1 small letters, of one in ten below 1.1; with the gap of fonts it was
# 0.7 to 1.2 here, and words ran into each other that no one writes so.
_WORD_GAP = 2.0
# A joining stroke bridges at most so much, and begins and ends so far from the base line; same unit, y down.
_BRIDGE, _LOW, _HIGH = 0.95, 0.35, -1.15
# Random bends: points of the grid that a sample is warped by, and how far they move for one unit of `bend`.
_BEND = 0.5


@dataclass(slots=True)
class InkScrivener(RowWriter):
    """Writes with one person's recorded letters. `height`: of small letters, in pixels of the mask.

    The samples are the person's; habits widen them: slant, width, spacing, how fast and how firmly the pen
    went (`stray` and `bend` as elsewhere; `vague` and `drawn` are not used, the letters are real)."""

    writer: InkWriter
    height: float
    habits: Habits
    rng: np.random.Generator
    pressure: float

    @property
    def x_height(self) -> float:
        """See RowWriter."""
        return self.height

    def measure(self, text: str) -> float:
        """See RowWriter."""
        return sum(self._width(letter) + (_GAP + self.habits.gap) * self.height for letter in text)

    def _width(self, letter: str) -> float:
        samples = self.writer.samples(letter)
        if samples:
            units = max(float(np.ptp(np.concatenate(sample)[:, 0])) for sample in samples) / LETTER_X_HEIGHT
        else:
            units = max(x for stroke in _SIGNS.get(letter, (((0.5, 0.0),),)) for x, _ in stroke)
        return units * self.height * self.habits.width

    def _word(
        self, mask: Mask, text: str, start: tuple[float, float], slope: float, scale: float
    ) -> tuple[Extent, float]:
        habits, rng = self.habits, self.rng
        x, base = start
        extent: Extent | None = None
        leave: Stroke | None = None
        # A hand that joins most letters now and then lifts the pen, and the other way round.
        joining = float(np.clip(self.writer.joining + rng.normal(0, 0.1), 0, 1))
        for index, letter in enumerate(text):
            if len(text) > 5 and index and rng.random() < habits.lapse:
                continue
            flat = scale * (1 - habits.fade * index / max(len(text), 6))
            strokes = self._sample(letter, (scale, flat))
            points = np.concatenate(strokes)
            joins = letter.islower() and index > 0 and text[index - 1].islower() and rng.random() < joining
            gap = _GAP + habits.gap + float(rng.normal(0, 0.5 * habits.stray))
            x += (0.5 if joins else 1.0) * gap * self.height * scale if index else 0.0
            place = np.array([x - points[:, 0].min(), base + slope * (x - start[0])])
            placed = [stroke + place for stroke in strokes]
            if joins and leave is not None:
                placed = self._joined(leave, placed, base)
            fell = ink_strokes(mask, placed, self._pen(scale))
            if fell is not None:
                extent = fell if extent is None else extent.joined_with(fell)
            leave = max(placed, key=len)
            x += float(np.ptp(points[:, 0]))
        return extent or Extent(x, base, x, base), x + _GAP * self.height * scale

    def _pen(self, scale: float) -> PenPoint:
        habits = self.habits
        width = habits.pen_px * (0.9 if scale < 1 else 1.0) * float(self.rng.normal(1, 0.04))
        return PenPoint(max(1.0, width), self.pressure, min(1.0, habits.contrast / 2))

    def _sample(self, letter: str, scale: tuple[float, float]) -> list[Stroke]:
        """One of the person's samples of a letter, or a sign, in pixels about its base line's left end."""
        habits, rng, height = self.habits, self.rng, self.height
        samples = self.writer.samples(letter)
        if samples:
            strokes = [stroke / LETTER_X_HEIGHT for stroke in samples[int(rng.integers(len(samples)))]]
        else:
            strokes = [np.array(stroke) * (1, -1) for stroke in _SIGNS[letter]]
            strokes = [stroke + rng.normal(0, 0.03, stroke.shape) for stroke in strokes]
        turn = float(rng.normal(0, 0.35 * habits.stray))
        grow = 1 + 0.5 * habits.stray * float(rng.normal())
        lean = habits.slant + float(rng.normal(0, 0.35 * habits.stray))
        spin = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
        shape = np.array([[scale[0] * grow * habits.width, -lean * scale[1]], [0.0, scale[1] * grow]])
        up = np.array([0.0, 0.3 * habits.stray * float(rng.normal())])
        return [((_bent(stroke, habits.bend, rng) @ shape.T) @ spin.T + up) * height for stroke in strokes]

    def _joined(self, leave: Stroke, placed: list[Stroke], base: float) -> list[Stroke]:
        """A letter's strokes with the one that leads over from the letter before, where people make one."""
        (ax, ay), (bx, by) = leave[-1], placed[0][0]
        heights = ((ay - base) / self.height, (by - base) / self.height)
        if not 0 < bx - ax < _BRIDGE * self.height or not all(_HIGH < y < _LOW for y in heights):
            return placed
        dip = np.array([(ax + bx) / 2, max(ay, by) + float(self.rng.uniform(0, 0.1)) * self.height])
        t = np.linspace(0, 1, 7)[1:-1, None]
        bridge = (1 - t) ** 2 * leave[-1] + 2 * t * (1 - t) * dip + t**2 * placed[0][0]
        return [np.vstack([leave[-1:], bridge, placed[0]]), *placed[1:]]


def recorded_habits(habits: Habits) -> Habits:
    """Habits made for a font, less what a person's own letters bring along: their slant, width and shape."""
    return replace(
        habits, slant=0.5 * habits.slant, width=1 + 0.6 * (habits.width - 1), stray=0.6 * habits.stray,
        bend=0.35 * habits.bend, gap=1.5 * habits.gap, word_gap=_WORD_GAP * habits.word_gap, vague=0.0,
        drawn=0.0,
    )


def _bent(stroke: Stroke, bend: float, rng: np.random.Generator) -> Stroke:
    """A stroke swayed a little along its course, as no two are the same."""
    knots = np.linspace(0, 1, 4)
    along = np.linspace(0, 1, len(stroke))
    sway = np.column_stack([np.interp(along, knots, rng.normal(0, _BEND * bend, 4)) for _ in range(2)])
    return stroke + sway
