"""Words put in above a row, and the row as its writer corrected it.

A small row close above a longer one, within its width, is no line of its own: it belongs into the row below,
in place of a word crossed out there or at the gap it stands over. Nothing is decided here: the row keeps what
it said, and the corrected reading stands beside it. Whether the corrections are plain enough to go without a
look is for the features to say.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from ocr.decoding.confidence import CUT_OUT
from ocr.engines.ppocr import best_path
from ocr.image.geometry import CROP_MARGIN
from ocr.layout.wrap import as_line
from ocr.page import Box, Posteriors, ReadLine, Row, StruckWord

CLOSE = 0.75
"""A row put in lies less than this many middling row heights above its host's middle; the next line lies 0.9
and more."""

SMALL = 0.85
"""... is at most this high against its host, and"""

SHORT = 0.6
"""at most this long."""

NEARER = 0.75
"""... and nearer to its host than to the row over it, by this factor: the last row of an order that its
sender broke lies as far from the row it goes on from as from the next order."""

LITTLE = 0.7
"""A row at most this high against its host is written smaller than an order's rest, and need only be
nearer."""

BESIDE = 0.12
"""A struck word this near, as a share of its row's width, is what the words put in replace."""

AT_END = 0.05
"""A stretch that begins or ends this near the crop's end, as a share of its width, goes to the end."""

CARET = 3
"""Frames that a caret takes."""


def attach_insertions(rows: Sequence[Row]) -> tuple[Row, ...]:
    """The rows in their order; those put in above another are no more in the list but in its `inserted`."""
    hosts = insertion_hosts([row.box for row in rows])
    return tuple(
        replace(
            row,
            inserted=tuple(
                sorted((*row.inserted, *(rows[j] for j, host in enumerate(hosts) if host == k)), key=_left)
            ),
        )
        if k in hosts
        else row
        for k, row in enumerate(rows)
        if hosts[k] is None
    )


def insertion_hosts(boxes: Sequence[Box]) -> tuple[int | None, ...]:
    """For each row, by its box, the number of the row that it is put into; None for a row by itself."""
    if len(boxes) < 2:
        return (None,) * len(boxes)
    usual = float(np.median([box.height for box in boxes]))
    hosts = [_host(k, boxes, usual) for k in range(len(boxes))]
    # What is put into a row that is itself put in goes to no one: both stay rows.
    return tuple(None if host is not None and hosts[host] is not None else host for host in hosts)


def corrected_lines(line: ReadLine) -> tuple[ReadLine, ...]:
    """The line as its corrections have it; none for a line without any that can be applied. Where words were
    put in, it may be said twice: with them in place of the struck words beneath them, and with them over a
    caret."""
    found = []
    for caret in (False, True):
        rows = [corrected_row(row, caret=caret) for row in line.rows]
        if any(row is not None for row in rows):
            found.append(as_line([new or old for new, old in zip(rows, line.rows, strict=True)]))
    return tuple(found)


def line_without_struck_words(line: ReadLine) -> ReadLine | None:
    """The line without its struck words, where words put in are left out too: what rises above a struck word
    may only look like one. None where nothing is struck, or nothing put in."""
    if not any(row.inserted for row in line.rows):
        return None
    found = [corrected_row(replace(row, inserted=())) for row in line.rows]
    if all(row is None for row in found):
        return None
    return as_line([new or replace(old, inserted=()) for new, old in zip(found, line.rows, strict=True)])


def corrected_row(row: Row, *, caret: bool = False) -> Row | None:
    """The row without its struck words and with what was put in, text and posteriors alike; with `caret`,
    what was put in goes where its middle stands, in place of the mark that is there.

    None where there is nothing to correct, where no posteriors are known, and where nothing would be left.
    """
    seen = row.posteriors
    out = [word for word in row.strike.words if word.score >= CUT_OUT and word.kind != "faint"]
    added = [
        one for one in row.inserted if one.posteriors and seen and one.posteriors.letters == seen.letters
    ]
    if seen is None or not (out or added) or (caret and not added):
        return None
    frames = len(seen.log_probs)
    marks = [_caret(row, one, frames) for one in added] if caret else []
    cuts = [
        _cut(seen, word) for word in out if not any(_is_caret(word, mark, frames) for mark in marks)
    ] + marks
    places = [mark[0] for mark in marks] if caret else [_goes_to(row, one, out, seen) for one in added]
    return _said(row, seen, cuts, list(zip(places, added, strict=True)))


def _said(
    row: Row, seen: Posteriors, cuts: Sequence[tuple[int, int]], added: Sequence[tuple[int, Row]]
) -> Row | None:
    """The row without the frames of `cuts`, each of which leaves a gap, and with each row of `added` before a
    frame."""
    kept = np.ones(len(seen.log_probs), np.bool_)
    for begin, end in cuts:
        kept[begin:end] = False
    places = sorted(
        [*((begin, -1) for begin, _ in cuts), *((place, k) for k, (place, _) in enumerate(added))]
    )
    gap, parts, start = _space(seen), [], 0
    for place, k in places:
        new = added[k][1].posteriors if k >= 0 else None
        parts += [seen.log_probs[start:place][kept[start:place]], gap]
        parts += [new.log_probs, gap] if new is not None else []
        start = place
    parts.append(seen.log_probs[start:][kept[start:]])
    whole = Posteriors(np.concatenate(parts), seen.letters)
    if not len(whole.log_probs):
        return None
    said = best_path(whole)
    return replace(row, text=said.text, posteriors=whole, inserted=(), alternatives=()) if said.text else None


def is_over_struck_word(one: Row, row: Row) -> bool:
    """Whether a row stands over a word of another that was crossed out."""
    wide = max(row.right - row.left, 1e-6)
    left, right = (one.left - row.left) / wide, (one.right - row.left) / wide
    return any(
        word.score >= CUT_OUT and word.kind != "faint" and word.left < right and word.right > left
        for word in row.strike.words
    )


def _host(at: int, boxes: Sequence[Box], usual: float) -> int | None:
    """The row that row `at` is put into."""
    box = boxes[at]
    under, over = [], []
    for k, other in enumerate(boxes):
        left, right, above = _against(box, other)
        beside = right < 0.0 or left > other.width
        if k == at or above == 0.0:
            continue
        if above < 0.0 and not beside:
            over.append(-above)
        if box.height > SMALL * other.height or box.width > SHORT * other.width:
            continue
        if 0.0 < above < CLOSE * usual and left > -usual and right < other.width + 1.5 * usual:
            under.append((above, k))
    if not under:
        return None
    above, host = min(under)
    nearer = 1.0 if box.height <= LITTLE * boxes[host].height else NEARER
    return None if over and above > nearer * min(over) else host


def _against(box: Box, below: Box) -> tuple[float, float, float]:
    """Where `box` begins and ends along `below`, and how far its middle is above that of `below`; pixels."""
    corners, other = np.array(below.corners), np.array(box.corners)
    along = (corners[1] - corners[0]) / max(below.width, 1.0)
    across = (corners[3] - corners[0]) / max(below.height, 1.0)
    xs = (other - corners[0]) @ along
    up = (corners.mean(axis=0) - other.mean(axis=0)) @ across
    return float(xs.min()), float(xs.max()), float(up)


def _left(row: Row) -> float:
    return row.left


def _goes_to(row: Row, one: Row, out: Sequence[StruckWord], seen: Posteriors) -> int:
    """The frame before which the words put in belong."""
    a, b = _along(row, one)
    near = [(max(word.left - b, a - word.right, 0.0), word) for word in out]
    if near and min(distance for distance, _ in near) <= BESIDE:
        return _cut(seen, min(near, key=lambda pair: pair[0])[1])[0]
    return _gap_near(seen, (a + b) / 2 * len(seen.log_probs))


def _along(row: Row, one: Row) -> tuple[float, float]:
    """From where to where a word stands that was put in, as shares of the row's crop."""
    left, right, _ = _against(one.box, row.box)
    margin = CROP_MARGIN[0] * row.box.height
    whole = row.box.width + 2 * margin
    return (left + margin) / whole, (right + margin) / whole


def _caret(row: Row, one: Row, frames: int) -> tuple[int, int]:
    """The frames of the caret under the middle of a word put in, if there is one."""
    middle = sum(_along(row, one)) / 2 * frames
    return max(0, round(middle - CARET / 2)), min(frames, round(middle + CARET / 2))


def _is_caret(word: StruckWord, mark: tuple[int, int], frames: int) -> bool:
    """Whether what looks like a struck word is no wider than a caret, and lies there."""
    return (
        (word.right - word.left) * frames <= 1.5 * CARET
        and word.left * frames < mark[1]
        and word.right * frames > mark[0]
    )


def _cut(seen: Posteriors, word: StruckWord) -> tuple[int, int]:
    """The frames of a struck word, from gap to gap."""
    frames = len(seen.log_probs)
    begin = 0 if word.left < AT_END else _gap_near(seen, word.left * frames)
    end = frames if word.right > 1.0 - AT_END else _gap_near(seen, word.right * frames) + 1
    return begin, max(begin, end)


def _gap_near(seen: Posteriors, place: float) -> int:
    """The frame near a place that is most likely between words, or before the first or after the last; half a
    nat is given for each frame nearer."""
    column = seen.letters.index(" ") + 1 if " " in seen.letters else 0
    gaps = np.maximum(seen.log_probs[:, column], seen.log_probs[:, 0] - 3.0)
    best = seen.log_probs.argmax(axis=1)
    said = np.flatnonzero((best != 0) & (best != column))
    if len(said):
        gaps[: said[0]] = gaps[said[-1] + 1 :] = 0.0
    return int((gaps - 0.5 * np.abs(np.arange(len(gaps)) - place)).argmax())


def _space(seen: Posteriors) -> npt.NDArray[np.float32]:
    """Frames that may say a space, or nothing: beside words put in one is often seen already, and at a row's
    end there is none."""
    frames = np.full((2, seen.log_probs.shape[1]), -12.0, np.float32)
    frames[:, 0] = 0.0
    if " " in seen.letters:
        frames[0, [0, seen.letters.index(" ") + 1]] = math.log(0.45), math.log(0.55)
    return frames
