"""Single letters cut from rows that people wrote whole, so that more people's letters can be set down again.

A recogniser's forced alignment states about where each letter of a row lies; the cut itself falls between two
letters where the row has least ink, and no stroke is cut that lies almost wholly on one side.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from training.handwriting.ink import Mask
from training.handwriting.ink_writers import LETTER_X_HEIGHT, InkRecord, InkWriter, joining
from training.handwriting.pen_strokes import PenPoint, Stroke, ink_strokes, smoothed

Floats: TypeAlias = npt.NDArray[np.floating]
"""Log chances of a row's signs: frames x signs, 0 being the blank."""

ReadRow: TypeAlias = Callable[[Mask], Floats]
"""A row's ink, 48 high, to log chances; frames share the width evenly."""

# Heights in pixels: of the picture that is aligned, and of a row's small letters on it.
_HEIGHT, _SMALL = 48, 17.0
# The pen's width in heights of small letters.
_PEN = 0.16
# Letters as high as the small ones, and those that are on the base line.
_LOW, _STANDING = frozenset("aceomnrsuvwxz"), frozenset("abcdehiklmnorstuvwxzABCDEFGHIKLMNOPRSTUVWXYZ")
# How likely the recogniser finds a letter at least where the alignment has it. By hand and low: hands that it
# reads badly are what more letters are wanted of.
_LIKELY = 0.2
# Of a stroke: the share of its length on one side of a cut above which it is left whole.
_WHOLE = 0.8
# Heights and widths, in those of small letters, that a letter may have.
_LOWEST, _HIGHEST, _WIDEST = 0.45, 3.6, 3.0
# How likely it finds a letter, or its other case, at least when that is cut out and drawn alone. Of 10,126
# pieces a fifth was less likely; of 168 of those that were looked at many were a part of a letter or two.
_LEGIBLE = 0.02
# How wide the picture of one letter is, in pixels.
_ALONE = 128
# Samples kept of each letter, as the file of letters has at most.
_SAMPLES = 6


@dataclass(frozen=True, slots=True, eq=False)
class CutLetter:
    """A letter and its strokes in units of LETTER_X_HEIGHT, x from 0, y = 0 on the row's base line."""

    letter: str
    strokes: tuple[Stroke, ...]


def cut_row(
    strokes: Sequence[Stroke], text: str, read: ReadRow, columns: Mapping[str, int]
) -> list[CutLetter]:
    """The letters of one row that could be cut out. `columns`: the number of each sign in what `read` gives;
    a text with other signs gives nothing."""
    words = " ".join(text.split())
    if not words or any(letter not in columns for letter in words):
        return []
    points = np.concatenate(strokes)
    top, bottom = np.percentile(points[:, 1], (3, 97))
    scale = 2.3 * _SMALL / max(bottom - top, 1e-6)
    corner = np.array([points[:, 0].min() - 0.5 * (bottom - top), (top + bottom) / 2 - _HEIGHT / 2 / scale])
    placed = [(stroke - corner) * scale for stroke in strokes]
    width = int(np.concatenate(placed)[:, 0].max() + 0.5 * (bottom - top) * scale)
    mask = np.zeros((_HEIGHT, max(width, _HEIGHT)), np.float32)
    ink_strokes(mask, placed, PenPoint(_PEN * _SMALL, 0.2, 0.0))
    chances = read(mask)
    places = _places(chances, [columns[letter] for letter in words])
    if places is None:
        return []
    frame = mask.shape[1] / len(chances)
    centres = [(place + 0.5) * frame for place in places]
    sure = [
        float(np.exp(chances[place, columns[letter]])) for place, letter in zip(places, words, strict=True)
    ]
    cuts = [_between(mask, left, right) for left, right in pairwise(centres)]
    pieces = _pieces(placed, cuts, len(words))
    return _measured(words, pieces, sure)


def cut_writers(
    records: Iterable[InkRecord], writers: Iterable[InkWriter], read: ReadRow, columns: Mapping[str, int],
    rng: np.random.Generator,
) -> list[InkWriter]:
    """Everybody of the records with the letters of his own rows next to those recorded singly, by name."""
    recorded = {writer.name: writer for writer in writers}
    rows: dict[str, list[InkRecord]] = defaultdict(list)
    for record in records:
        rows[record.writer].append(record)
    people = []
    for name in sorted({*rows, *recorded}):
        cut: dict[str, list[tuple[Stroke, ...]]] = defaultdict(list)
        for record in rows[name]:
            for strokes, text in zip(record.rows, record.row_texts, strict=True):
                for piece in cut_row(strokes, text, read, columns):
                    if legible(piece, read, columns):
                        cut[piece.letter].append(piece.strokes)
        single = recorded[name].letters if name in recorded else {}
        letters = {letter: (*single.get(letter, ()), *_some(cut.get(letter, []), rng))
                   for letter in sorted({*single, *cut})}
        style = recorded[name].style if name in recorded else rows[name][0].style
        people.append(InkWriter(name, style, letters, joining(rows[name], style)))
    return people


def legible(piece: CutLetter, read: ReadRow, columns: Mapping[str, int]) -> bool:
    """True if a letter alone is not quite unlike itself."""
    scale = _SMALL / LETTER_X_HEIGHT
    xs = np.concatenate(piece.strokes)[:, 0] * scale
    place = np.array([(_ALONE - np.ptp(xs)) / 2 - xs.min(), 0.7 * _HEIGHT])
    mask = np.zeros((_HEIGHT, _ALONE), np.float32)
    ink_strokes(mask, [stroke * scale + place for stroke in piece.strokes], PenPoint(_PEN * _SMALL, 0.2, 0.0))
    cases = {piece.letter, piece.letter.lower(), piece.letter.upper()} & columns.keys()
    return bool(np.exp(read(mask)[:, [columns[case] for case in cases]]).max() >= _LEGIBLE)


def _some(samples: list[tuple[Stroke, ...]], rng: np.random.Generator) -> list[tuple[Stroke, ...]]:
    chosen = rng.permutation(len(samples))[:_SAMPLES]
    return [samples[int(index)] for index in sorted(chosen)]


def _places(chances: Floats, signs: Sequence[int]) -> list[int] | None:
    """The frame at which each sign of a text is likeliest on the likeliest path, None where none has room."""
    labels = [0]
    for sign in signs:
        labels += [sign, 0]
    count, length = len(labels), len(chances)
    best = np.full((length, count), -np.inf)
    back = np.zeros((length, count), np.int8)
    of_label = chances[:, labels]
    best[0, :2] = of_label[0, :2]
    may_skip = np.array([k >= 2 and labels[k] != 0 and labels[k] != labels[k - 2] for k in range(count)])
    for t in range(1, length):
        next_label = np.concatenate([[-np.inf], best[t - 1, :-1]])
        skipped_blank = np.concatenate([[-np.inf] * 2, best[t - 1, :-2]])[:count]
        options = np.stack([best[t - 1], next_label, np.where(may_skip, skipped_blank, -np.inf)])
        back[t] = options.argmax(axis=0)
        best[t] = options.max(axis=0) + of_label[t]
    state = count - 1 if best[-1, -1] >= best[-1, -2] else count - 2
    if not np.isfinite(best[-1, state]):
        return None
    frames: dict[int, list[int]] = defaultdict(list)
    for t in range(length - 1, -1, -1):
        frames[state].append(t)
        state -= int(back[t, state])
    return [max(frames[2 * k + 1], key=lambda t: chances[t, signs[k]]) for k in range(len(signs))]


def _between(mask: Mask, left: float, right: float) -> float:
    """Where two neighbours are parted: the column with least ink, the nearer the middle the better."""
    middle, reach = (left + right) / 2, max(1.0, 0.32 * (right - left))
    columns = np.arange(max(0, int(middle - reach)), min(mask.shape[1], int(middle + reach) + 1))
    if not len(columns):
        return middle
    ink = mask[:, columns].sum(axis=0) + 1.5 * np.abs(columns + 0.5 - middle) / reach
    return float(columns[int(ink.argmin())] + 0.5)


def _pieces(placed: Sequence[Stroke], cuts: Sequence[float], count: int) -> list[list[Stroke]]:
    """The strokes of each letter."""
    pieces: list[list[Stroke]] = [[] for _ in range(count)]
    edges = np.array(cuts)
    for stroke in placed:
        fine = smoothed(stroke, 2)
        owner = np.searchsorted(edges, fine[:, 0])
        if len(fine) < 2:
            pieces[int(owner[0])].append(fine)
            continue
        lengths = np.hypot(*np.diff(fine, axis=0).T) + 1e-9
        shares = np.bincount(owner[1:], lengths, minlength=count) / lengths.sum()
        if shares.max() >= _WHOLE:
            pieces[int(shares.argmax())].append(fine)
            continue
        starts = np.flatnonzero(np.diff(owner)) + 1
        for part in np.split(np.arange(len(fine)), starts):
            if len(part) >= 2:
                pieces[int(owner[part[0]])].append(fine[part])
    return pieces


def _measured(words: str, pieces: Sequence[Sequence[Stroke]], sure: Sequence[float]) -> list[CutLetter]:
    """The pieces that look like a letter, in units of the row's small letters on its base line."""
    boxes = [(np.concatenate(piece).min(axis=0), np.concatenate(piece).max(axis=0)) if piece else None
             for piece in pieces]
    known = [(letter, box) for letter, box in zip(words, boxes, strict=True) if box is not None]
    low = [box for letter, box in known if letter in _LOW]
    standing = [box for letter, box in known if letter in _STANDING]
    if len(low) < 3 or len(standing) < 4:
        return []
    small = float(np.median([box[1][1] - box[0][1] for box in low]))
    x, y = np.array([((box[0][0] + box[1][0]) / 2, box[1][1]) for box in standing]).T
    slope, base = _line(x, y)
    letters = []
    for letter, piece, box, chance in zip(words, pieces, boxes, sure, strict=True):
        if box is None or letter == " " or chance < _LIKELY:
            continue
        width, height = (box[1] - box[0]) / small
        if letter.isalpha() and not (_LOWEST <= height <= _HIGHEST and width <= _WIDEST):
            continue
        origin = np.array([box[0][0], base + slope * (box[0][0] + box[1][0]) / 2])
        letters.append(CutLetter(letter, tuple((s - origin) * (LETTER_X_HEIGHT / small) for s in piece)))
    return letters


def _line(x: Floats, y: Floats) -> tuple[float, float]:
    """Slope and height at 0 of the base line: least squares, then again without what lies far off."""
    keep = np.ones(len(x), bool)
    slope = base = 0.0
    for _ in range(3):
        if keep.sum() < 3 or np.ptp(x[keep]) < 1:
            return 0.0, float(np.median(y))
        slope, base = (float(value) for value in np.polyfit(x[keep], y[keep], 1))
        off = np.abs(y - base - slope * x)
        keep = off <= max(2.0 * float(np.median(off)), 0.5)
    return slope, base


