"""Columns so close that their rows were found as one: parted where lines begin (INK-11).

    rows -> words and where they stand -> a margin within the rows -> rows parted at it

The beginnings of lines are below each other, and words go over no margin. As in `columns`, nothing is known
here of orders: a line of the second column begins with a word that a line of the first begins with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise

import numpy as np

from ocr.decoding.ctc import free_words
from ocr.engines import Recognition
from ocr.image.geometry import CROP_MARGIN
from ocr.layout.columns import LEAST_BEGINNINGS, MARGIN_SHARE, is_same_word, letter_of_joined
from ocr.layout.lines import RowStrip

# Tuning values, in heights of the median row unless said. By hand, on sheets composed for calibration in
# columns 6 to 18 mm apart (seed 7001).
NEAR = 0.6
"""Distance to the margin, at most, of a word that begins at it."""
LEAN = 0.15
"""How far the margin leans, at most, to the right for each pixel down."""
ROOM = 0.5
"""How far beyond the frames of two words the gap between them is looked for."""
WIDER = 2.0
"""Times the median gap between words that the median gap at the margin has, at least: the rows of a column
are of unequal length. Sheets without columns 1.0 at most, with columns 3.4 or more."""
WORD = 3
"""Letters of the word before a beginning, at least, in half of the rows: the second column of a table that
has "S A Kent" in it begins with the "S"."""


@dataclass(frozen=True, slots=True)
class PlacedWord:
    """A word of a row, and x of its ends on the level sheet, in pixels."""

    text: str
    left: float
    right: float


@dataclass(frozen=True, slots=True)
class _Margin:
    """A line down the sheet: x where y is 0, and how far it leans."""

    x: float
    lean: float

    def at(self, strip: RowStrip) -> float:
        """Where the line is, as x, at the height of a row."""
        return self.x + self.lean * strip.middle


def placed_words(strip: RowStrip, recognition: Recognition) -> tuple[PlacedWord, ...]:
    """The words and signs that the recogniser reads freely in a row, each with its place; empty without
    posteriors."""
    posteriors = recognition.posteriors
    if posteriors is None or not len(posteriors.log_probs):
        return ()
    margin = CROP_MARGIN[0] * strip.height
    step = (strip.right - strip.left + 2 * margin) / len(posteriors.log_probs)
    begin = strip.left - margin
    return tuple(
        PlacedWord(word.text, begin + word.begin * step, begin + word.end * step)
        for word in free_words(posteriors))


def parted_columns(
    strips: Sequence[RowStrip], rows: Sequence[Sequence[PlacedWord]],
    gap: Callable[[RowStrip, float, float], float],
) -> tuple[RowStrip, ...]:
    """The rows from the top, those that hold two columns parted and the left column first; as they are where
    there is no second column. `rows`: the words of each; `gap`: x of the middle of the widest gap in a row's
    ink between two x."""
    order = sorted(range(len(strips)), key=lambda index: strips[index].middle)
    # Rows that are next to each other are in columns already.
    if order != list(range(len(strips))) or len(strips) < LEAST_BEGINNINGS:
        return tuple(strips)
    height = float(np.median([strip.height for strip in strips]))
    best: tuple[int, _Margin, range] | None = None
    for margin in _margins(strips, rows, height):
        block, count = _block(margin, strips, rows, height)
        if block and (best is None or count > best[0]):
            best = count, margin, block
    if best is None:
        return tuple(strips)
    _, margin, block = best
    left, right = [], []
    for index in block:
        first, second = _cut(strips[index], rows[index], margin, height, gap)
        left += [first] if first else []
        right += [second] if second else []
    return (*strips[: block.start], *left, *right, *strips[block.stop :])


def _margins(
    strips: Sequence[RowStrip], rows: Sequence[Sequence[PlacedWord]], height: float
) -> Iterator[_Margin]:
    """Lines through the beginnings of two lines that are within a row."""
    places = [
        (word.left, strip.middle) for strip, words in zip(strips, rows, strict=True) for word in words[1:]
        if _begins_line(word, rows)]
    for (x, y), (other_x, other_y) in combinations(places, 2):
        lean = (other_x - x) / (other_y - y) if other_y - y > height / 2 else np.inf
        if abs(lean) <= LEAN:
            yield _Margin(x - lean * y, lean)


def _begins_line(word: PlacedWord, rows: Sequence[Sequence[PlacedWord]]) -> bool:
    """True if a row begins with this word."""
    return word.text.isalnum() and any(
        is_same_word(letter_of_joined(word.text), letter_of_joined(words[0].text)) for words in rows if words)


def _block(
    margin: _Margin, strips: Sequence[RowStrip], rows: Sequence[Sequence[PlacedWord]], height: float
) -> tuple[range, int]:
    """The rows that are on both sides of a margin, and how many lines begin at it; empty if too few do."""
    begins, right_of = [], []
    for index, (strip, words) in enumerate(zip(strips, rows, strict=True)):
        x = margin.at(strip)
        behind = [word for word in words if word.left > x - NEAR * height]
        if any(word.left <= x - NEAR * height and word.right > x + NEAR * height for word in words):
            behind = []
            right_of.append((index, True))
        elif behind:
            right_of.append((index, False))
        if behind and abs(behind[0].left - x) <= NEAR * height and _begins_line(behind[0], rows):
            begins.append(index)
    crossed = [index for index, is_crossed in right_of if is_crossed]
    best: tuple[range, int] = range(0), 0
    for top, foot in zip([-1, *crossed], [*crossed, len(strips)], strict=True):
        inside = [index for index in begins if top < index < foot]
        if not inside:
            continue
        beside = [index for index, _ in right_of if inside[0] <= index < foot]
        before = [
            max((word for word in rows[index]
                 if word.text.isalnum() and word.left <= margin.at(strips[index]) - NEAR * height),
                key=lambda word: word.right, default=None) for index in inside]
        are_words = 2 * sum(word is None or len(word.text) >= WORD for word in before) >= len(before)
        block = range(inside[0], foot)
        if (len(inside) >= max(LEAST_BEGINNINGS, MARGIN_SHARE * len(beside)) and are_words
                and len(inside) > best[1] and _is_wide(margin, block, strips, rows, height)):
            best = block, len(inside)
    return best


def _is_wide(
    margin: _Margin, block: range, strips: Sequence[RowStrip], rows: Sequence[Sequence[PlacedWord]],
    height: float,
) -> bool:
    """True if the gaps at a margin are wider than those between words."""
    at_margin: list[float] = []
    others: list[float] = []
    for index, words in enumerate(rows):
        edge = margin.at(strips[index]) - NEAR * height
        for word, after in pairwise(words):
            is_at = index in block and word.left <= edge < after.left
            (at_margin if is_at else others).append(after.left - word.right)
    if not at_margin:
        return False
    return not others or float(np.median(at_margin)) >= WIDER * float(np.median(others))


def _cut(
    strip: RowStrip, words: Sequence[PlacedWord], margin: _Margin, height: float,
    gap: Callable[[RowStrip, float, float], float],
) -> tuple[RowStrip | None, RowStrip | None]:
    """A row left and right of a margin; None for a side on which it has no word."""
    x = margin.at(strip)
    left = [word for word in words if word.left <= x - NEAR * height]
    right = [word for word in words if word.left > x - NEAR * height]
    if not right:
        return strip, None
    if not left:
        return None, strip
    # A recogniser shows where a letter is, and not how far its ink goes.
    room = ROOM * height
    cut = gap(strip, max(word.right for word in left) - room, min(word.left for word in right) + room)
    share = np.float32(np.clip((cut - strip.left) / max(1.0, strip.right - strip.left), 0.0, 1.0))
    top = strip.quad[0] + (strip.quad[1] - strip.quad[0]) * share
    foot = strip.quad[3] + (strip.quad[2] - strip.quad[3]) * share
    return (
        replace(strip, quad=np.array([strip.quad[0], top, foot, strip.quad[3]], np.float32), right=cut),
        replace(strip, quad=np.array([top, strip.quad[1], strip.quad[2], foot], np.float32), left=cut))
