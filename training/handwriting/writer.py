"""A person writing: a font bent into one hand by habits that stay, and by chance that differs at every
letter."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from enum import StrEnum

import cv2
import numpy as np
import numpy.typing as npt

from training.handwriting import unit_letters
from training.handwriting.glyph_outlines import FINE, Face, Glyph
from training.handwriting.ink import Extent, InkMark, InkWord, Mask, around, draw_strokes, wrap_words
from training.handwriting.strike import cross_out

# Letters that a careless pen makes alike.
_LIKE = {
    "a": "ou", "b": "h", "c": "e", "d": "a", "e": "c", "f": "t", "g": "y", "h": "b", "i": "l", "l": "i",
    "m": "n", "n": "u", "o": "a", "p": "y", "r": "v", "s": "r", "t": "l", "u": "n", "v": "r", "w": "u",
    "y": "g", "z": "s", "A": "H", "C": "E", "S": "J", "L": "C", "D": "O", "B": "R", "R": "B", "M": "N",
    "N": "M", "W": "N", "F": "T", "P": "F", "K": "R",
}
# How much more a vague letter is bent than others, and how many such come out as a letter like it.
_VAGUE, _MISTAKEN = 2.2, 0.35
# Letters of the shortest word in which one may come out as another: in a shorter one no one could tell
# what was meant, and a reader that took it as it is written would be called wrong.
_CARE = 5

# How much of a font's stroke may be taken off at each side, as a share, and how many pixels may be put on.
_THINNER, _FATTER = 0.28, 3.0

# What of a word a stroke through it is laid by: so far above and below the base line, in small letters.
_TALLEST, _DEEPEST = 1.7, 0.3

# How often a person keeps to one form of a drawn letter, and how high it is, in small letters of a face.
_FAITHFUL, _CAPITAL = 0.7, 1.55


class Nib(StrEnum):
    """Pens, by how they lay a stroke."""

    BALLPOINT = "ballpoint"
    FOUNTAIN = "fountain"
    PENCIL = "pencil"
    FELT = "felt"


@dataclass(frozen=True, slots=True)
class Habits:
    """One person's hand. Lengths are in heights of small letters unless said otherwise.

    `pen_px` and `contrast` (how much thicker down strokes are) in pixels of the sheet; `slant` is a shear;
    `width` scales sideways; `tall` and `deep` scale what rises above and hangs below the small letters;
    `gap`, `word_gap` are added; `stray` is the chance part of size, place and lean; `bend` that of shape;
    `wander` of the base line; `fade` is how much flatter the end of a word is than its beginning (0..1);
    `join` the chance of a stroke between small letters; `vague` that a letter is badly bent or comes out as
    another; `lapse` that one is left out of a long word; `drawn` that an A or F standing alone is made of
    strokes (`unit_letters`) and not the font's.
    """

    pen_px: float
    contrast: float
    slant: float
    width: float
    tall: float
    deep: float
    gap: float
    word_gap: float
    stray: float
    bend: float
    wander: float
    fade: float
    join: float
    vague: float
    lapse: float
    strike: str
    drawn: float = 0.0


class RowWriter(ABC):
    """Writes rows of words on a mask with one set of habits and one source of chance; the letters are the
    sub-class's."""

    __slots__ = ()
    habits: Habits
    rng: np.random.Generator

    @property
    @abstractmethod
    def x_height(self) -> float:
        """Height of the small letters in pixels."""

    @property
    def space(self) -> float:
        """The gap between words in pixels."""
        return self.habits.word_gap * self.x_height

    @abstractmethod
    def measure(self, text: str) -> float:
        """Width of a word in pixels, without chance."""

    @abstractmethod
    def _word(
        self, mask: Mask, text: str, start: tuple[float, float], slope: float, scale: float
    ) -> tuple[Extent, float]:
        """Write a word from `start` on the base line; where its ink fell, and where the pen went on from."""

    def wrap(
        self, words: tuple[InkWord, ...], width: float, indent: float
    ) -> tuple[tuple[InkWord, ...], ...]:
        """Words by rows, each within `width`; rows after the first are `indent` shorter."""
        # The last word of a row needs no gap after it.
        room = width + self.space
        return wrap_words(words, lambda text: self.measure(text) + self.space, room, indent)

    def row(
        self, mask: Mask, words: tuple[InkWord, ...], x: float, y: float, slope: float, *, struck: bool
    ) -> Extent:
        """Write a row from (x, y) on the base line, `slope` pixels down for each pixel right; where its ink
        fell."""
        start, swing = x, self._swing()
        extents: list[Extent] = []
        last: Extent | None = None
        for word in words:
            base = y + slope * (x - start) + swing(x)
            if word.mark is InkMark.INSERTED:
                extents.append(self._insert(mask, word.text, x, base, last))
                continue
            extent, end = self._word(mask, word.text, (x, base), slope, 1.0)
            extents.append(extent)
            # A word put in next is over this one if it is crossed out, and has its own caret if not.
            last = extent if word.mark is InkMark.CROSSED else None
            if last is not None:
                self._cross(mask, self._letters(extent, base))
            # At least 0.7 of the usual gap, or two words would be read as one.
            x = end + self.space * max(0.7, float(self.rng.normal(1.0, 0.10 + self.habits.stray)))
        row_extent = around(extents)
        if struck:
            middle = y + slope * ((row_extent.left + row_extent.right) / 2 - start)
            self._cross(mask, self._letters(row_extent, middle))
        return row_extent

    def _letters(self, extent: Extent, base: float) -> Extent:
        """An extent no higher and deeper than letters: a stroke goes through them, and one tail far below the
        base line makes it no underline."""
        x_height = self.x_height
        top = max(extent.top, base - _TALLEST * x_height)
        bottom = min(extent.bottom, base + _DEEPEST * x_height)
        return Extent(extent.left, top, extent.right, bottom) if bottom > top else extent

    def _cross(self, mask: Mask, extent: Extent) -> None:
        cross_out(mask, extent, self.habits.strike, max(2.0, self.habits.pen_px), self.rng)

    def _swing(self) -> _Swing:
        x_height, rng = self.x_height, self.rng
        return _Swing(
            self.habits.wander * x_height * float(rng.uniform(0.4, 1.4)), float(rng.uniform(0, 2 * np.pi)),
            float(rng.uniform(14, 40)) * x_height,
        )

    def _insert(self, mask: Mask, text: str, x: float, base: float, above: Extent | None) -> Extent:
        """A word put in small above the row: over what was crossed out just before it, else over a caret."""
        x_height, scale = self.x_height, 0.75
        width = self.measure(text) * scale
        if above is not None:
            left = (above.left + above.right - width) / 2
            foot = min(above.top + 0.35 * x_height, base - 1.35 * x_height)
            return self._word(mask, text, (left, foot), 0.0, scale)[0]
        middle = x - self.space / 2
        caret = np.array([[-0.35, 0.5], [0.0, -0.15], [0.4, 0.55]]) * x_height + np.array([middle, base])
        draw_strokes(mask, [(caret, max(2, round(self.habits.pen_px)))])
        return self._word(mask, text, (middle - width / 2, base - 1.45 * x_height), 0.0, scale)[0]


@dataclass(slots=True)
class Scrivener(RowWriter):
    """Writes with the letters of a font."""

    face: Face
    habits: Habits
    rng: np.random.Generator
    _ways: dict[str, npt.NDArray[np.float64]] = field(default_factory=dict, init=False, repr=False)
    _forms: dict[str, str] = field(default_factory=dict, init=False, repr=False)

    @property
    def x_height(self) -> float:
        """See RowWriter."""
        return self.face.x_height

    def measure(self, text: str) -> float:
        """See RowWriter."""
        per_letter = self.habits.gap * self.face.x_height
        advances = sum(self.face.advance(text, index) for index in range(len(text)))
        return advances * self.habits.width + per_letter * len(text)

    def _word(
        self, mask: Mask, text: str, start: tuple[float, float], slope: float, scale: float
    ) -> tuple[Extent, float]:
        x, base = start
        # "A" and "F" as words of their own: within a word they are the font's.
        may_draw = text in unit_letters.FORMS and scale == 1.0 and self.habits.drawn > 0
        if may_draw and self.rng.random() < self.habits.drawn:
            return self._kind(mask, text, start)
        extent: Extent | None = None
        leave: tuple[float, float] | None = None
        for index, letter in enumerate(text):
            if len(text) > 5 and index and self.rng.random() < self.habits.lapse:
                continue
            flat = scale * (1 - self.habits.fade * index / max(len(text), 6))
            formed = self._formed(letter, sure=len(text) < _CARE)
            fell, enter, exit_point = self._letter(mask, formed, x, base + slope * (x - start[0]),
                (scale, flat))
            if leave and enter and letter.islower() and text[index - 1].isalpha():
                self._join(mask, leave, enter)
            leave = exit_point
            extent = fell if extent is None else extent.joined_with(fell)
            gap = self.habits.gap + float(self.rng.normal(0, 0.35 * self.habits.stray))
            x += scale * (self.face.advance(text, index) * self.habits.width + gap * self.face.x_height)
        return extent or Extent(x, base, x, base), x

    def _kind(self, mask: Mask, letter: str, start: tuple[float, float]) -> tuple[Extent, float]:
        """An A or F for a unit, of the form this person has for it, three times in ten of another."""
        habits, rng, forms = self.habits, self.rng, list(unit_letters.FORMS[letter])
        usual = self._forms.setdefault(letter, str(rng.choice(forms)))
        form = usual if rng.random() < _FAITHFUL else str(rng.choice(forms))
        height = _CAPITAL * self.face.x_height * habits.tall * float(rng.normal(1, 0.07))
        draught = unit_letters.Draught(
            start[0], start[1] + float(rng.normal(0, 0.06)) * height, height, self._stroke(),
            habits.slant + float(rng.normal(0, 0.05)),
            min(1.0, 6 * habits.stray),
        )
        extent = unit_letters.draw(mask, letter, form, draught, rng)
        return extent, extent.right + habits.gap * self.face.x_height

    def _stroke(self) -> float:
        """Pixels wide a stroke comes out: the pen's, as far as the font bears it."""
        font = self.face.stroke
        return font + 2 * float(np.clip((self.habits.pen_px - font) / 2, -_THINNER * font, _FATTER))

    def _join(self, mask: Mask, leave: tuple[float, float], enter: tuple[float, float]) -> None:
        x_height = self.face.x_height
        gap = enter[0] - leave[0]
        if self.rng.random() >= self.habits.join or not -0.2 * x_height < gap < 0.8 * x_height:
            return
        dip = ((leave[0] + enter[0]) / 2, max(leave[1], enter[1]) + self.rng.uniform(0, 0.12) * x_height)
        along = np.linspace(0, 1, 8)[:, None]
        a, b, c = (np.array(point) for point in (leave, dip, enter))
        path = (1 - along) ** 2 * a + 2 * along * (1 - along) * b + along**2 * c
        left, top = np.floor(path.min(axis=0)).astype(int) - 8
        right, bottom = np.ceil(path.max(axis=0)).astype(int) + 8
        left, top = max(left, 0), max(top, 0)
        part = mask[top:bottom, left:right]
        if part.size:
            draw_strokes(part, [(path - np.array([left, top]), max(1, round(0.8 * self.habits.pen_px)))])

    def _way(self, letter: str) -> npt.NDArray[np.float64]:
        """How this person forms this letter: size, width, lean, height of base, and a bend, the same each
        time."""
        if letter not in self._ways:
            self._ways[letter] = self.rng.normal(0, 1, 4 + 24)
        return self._ways[letter]

    def _formed(self, letter: str, *, sure: bool) -> tuple[str, float]:
        """The letter that the pen makes of this one, and how many times more it is bent than usual. `sure`:
        it is never another letter."""
        rng = self.rng
        if letter not in _LIKE or rng.random() >= self.habits.vague:
            return letter, 1.0
        if sure or rng.random() >= _MISTAKEN:
            return letter, _VAGUE
        # Another letter whole: shapes mixed half and half vanished where strokes are thin, which no pen does.
        return _LIKE[letter][int(rng.integers(len(_LIKE[letter])))], _VAGUE

    def _letter(
        self, mask: Mask, formed: tuple[str, float], x: float, base: float, scale: tuple[float, float]
    ) -> tuple[Extent, tuple[float, float] | None, tuple[float, float] | None]:
        """Write a letter; where its ink fell, where a stroke would enter it and where one would leave it."""
        habits, rng = self.habits, self.rng
        letter, looseness = formed
        glyph = self.face.glyph(letter)
        if not glyph.inked:
            return Extent(x, base, x, base), None, None
        own_shape, chance_shape = self._way(letter), rng.normal(0, 1, 4 + 24)
        # About half of a letter's shape is its writer's, the same each time; the rest is chance.
        mix = habits.stray * (0.9 * own_shape + 0.75 * chance_shape)
        grow, stretch = 1 + 0.5 * mix[0], 1 + 0.45 * mix[1]
        lean, up = habits.slant + 0.35 * mix[2], 0.3 * mix[3] * self.face.x_height
        reach = looseness * habits.bend * self.face.x_height * FINE
        bend = reach * (0.55 * own_shape[4:] + 0.6 * chance_shape[4:]).reshape(2, 3, 4)
        shape = (scale[0] * grow * stretch, scale[1] * grow, lean)
        return _stamp(self, mask, glyph, (x, base - up), shape, bend)


@dataclass(frozen=True, slots=True)
class _Swing:
    amplitude: float
    start: float
    length: float

    def __call__(self, x: float) -> float:
        turn = self.start + 2 * np.pi * x / self.length
        return self.amplitude * float(np.sin(turn) + 0.4 * np.sin(2.7 * turn + self.start))


def _stamp(
    scrivener: Scrivener,
    mask: Mask,
    glyph: Glyph,
    pen_point: tuple[float, float],
    shape: tuple[float, float, float],
    bend: npt.NDArray[np.float64],
) -> tuple[Extent, tuple[float, float] | None, tuple[float, float] | None]:
    habits, x_height = scrivener.habits, scrivener.face.x_height
    across, upright, lean = shape
    across *= habits.width
    rows, columns = (side / FINE for side in glyph.edge.shape)
    rise, drop = glyph.origin[1] / FINE, rows - glyph.origin[1] / FINE
    most = upright * max(habits.tall, habits.deep, 1.0)
    lean_reach = abs(lean) * most * max(rise, drop)
    left = int(pen_point[0] - (glyph.origin[0] / FINE) * across - lean_reach - 3)
    right = int(pen_point[0] + (columns - glyph.origin[0] / FINE) * across + lean_reach + 4)
    top, bottom = int(pen_point[1] - rise * most - 3), int(pen_point[1] + drop * most + 4)
    left, top = max(left, 0), max(top, 0)
    right, bottom = min(right, mask.shape[1]), min(bottom, mask.shape[0])
    if right - left < 2 or bottom - top < 2:
        return Extent(pen_point[0], pen_point[1], pen_point[0], pen_point[1]), None, None
    ys, xs = np.mgrid[top:bottom, left:right].astype(np.float32)
    height = (pen_point[1] - ys) / upright
    over = np.clip(height - x_height, 0, None)
    under = np.clip(-height, 0, None)
    # Only what rises above or hangs below the small letters is stretched, by `tall` and by `deep`.
    source = np.clip(height, 0, x_height) + over / habits.tall - under / habits.deep
    gx = ((xs - pen_point[0]) / across - lean * (pen_point[1] - ys) / across) * FINE + glyph.origin[0]
    gy = -source * FINE + glyph.origin[1]
    size = (right - left, bottom - top)
    gx += cv2.resize(bend[0].astype(np.float32), size, interpolation=cv2.INTER_CUBIC)
    gy += cv2.resize(bend[1].astype(np.float32), size, interpolation=cv2.INTER_CUBIC)
    # Beyond the glyph's own grid is bare paper: 20 pixels from any stroke.
    edge = cv2.remap(
        glyph.edge, gx.astype(np.float32), gy.astype(np.float32), cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_CONSTANT, borderValue=(-20.0,),
    )
    ink = _inked(np.asarray(edge, np.float32), scrivener)
    part = mask[top:bottom, left:right]
    np.maximum(part, ink, out=part)
    return _ends(ink, (left, top), pen_point[1], x_height)


def _inked(edge: npt.NDArray[np.float32], scrivener: Scrivener) -> npt.NDArray[np.float32]:
    """The pen's width instead of the font's; thinner never than the font can bear."""
    habits, stroke = scrivener.habits, scrivener.face.stroke
    fatter = (habits.pen_px * float(scrivener.rng.normal(1, 0.07)) - stroke) / 2
    fatter = float(np.clip(fatter, -_THINNER * stroke, _FATTER))
    if habits.contrast > 0:
        # Sobel's kernel sums to 8. The slope of a distance is 1 across an upright stroke and 0 across a level
        # one, so that upright strokes come out thicker, as from a broad nib.
        slope_x = cv2.Sobel(edge, cv2.CV_32F, 1, 0, ksize=3) / 8
        edge = edge + np.float32(habits.contrast) * (
            np.abs(np.asarray(slope_x, np.float32)) - np.float32(0.5)
        )
    return np.asarray(np.clip(edge + fatter + 0.5, 0, 1), np.float32)


def _ends(
    ink: npt.NDArray[np.float32], corner: tuple[int, int], base: float, x_height: float
) -> tuple[Extent, tuple[float, float] | None, tuple[float, float] | None]:
    ys, xs = np.nonzero(ink > 0.3)
    if len(xs) == 0:
        return Extent(corner[0], base, corner[0], base), None, None
    ys, xs = ys + corner[1], xs + corner[0]
    extent = Extent(float(xs.min()), float(ys.min()), float(xs.max()), float(ys.max()))
    # A joining stroke leaves at the right of a letter's lower part and enters at its left, further up.
    lower_part = (ys > base - 0.6 * x_height) & (ys < base + 0.15 * x_height)
    small_part = (ys > base - 1.05 * x_height) & (ys < base + 0.1 * x_height)
    if not lower_part.any() or not small_part.any():
        return extent, None, None
    out, into = np.argmax(np.where(lower_part, xs, -1)), np.argmin(np.where(small_part, xs, 1 << 30))
    return extent, (float(xs[into]), float(ys[into])), (float(xs[out]), float(ys[out]))
