"""Words inserted above a row, and the row as its writer corrected it.

A small row close above a longer one, within its width, is not a separate line: it belongs into the row
below, in place of a word crossed out there, or at the gap above which it is. Nothing is decided here: the row
keeps its text, and the corrected reading is next to it. Whether the corrections are clear enough to accept
automatically is decided by features (`decoding.confidence`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ocr.decoding.review_gate import CUT_OUT
from ocr.engines import best_path
from ocr.image.geometry import CROP_MARGIN
from ocr.layout.wrap import as_line
from ocr.page import Box, Posteriors, ReadLine, Row, StruckWord

Frames: TypeAlias = tuple[int, int]
"""First frame, and the one past the last."""

# Tuning values. "By hand": no measurement on record.
# An inserted row and its host, the row it is inserted into.
CLOSE = 0.75
"""Median row heights, 0..1: its middle is less far above its host's middle. Photographs: 0.76 or more from a
row to the next."""
SMALL = 0.85
"""Heights of its host, 0..1: it is at most so high. Photographs: an inserted word 0.58, other rows so near
1.06 or more."""
SHORT = 0.6
"""Lengths of its host, 0..1: it is at most so long. Photographs: an inserted word 0.17, other rows so near
4.4 or more."""
NEARER = 0.75
"""0..1: the distance to its host is at most this share of that to the row above it. The last row of an order
that its sender broke is as far from the row it continues as from the next order (commit e1c48a1). By hand."""
LITTLE = 0.7
"""Heights of its host, 0..1: a row at most so high is smaller than the rest of any order, and need only be
nearer to its host. By hand, commit 33cc080."""
OVERHANG = (1.0, 1.5)
"""Median row heights, 0..3, by which it may begin before its host and end after it. By hand."""
# Corrections on frames of the row's posteriors; a frame is 8 pixels of a row 48 high and stretched by 1.3.
BESIDE = 0.12
"""Share of the row's width, 0..1: a struck word so near is what the inserted words replace. By hand."""
AT_END = 0.05
"""Share of the crop's width, 0..1: a stretch that begins or ends so near its end goes to the end. By hand."""
CARET = 3  # frames, 1..8, that a caret takes. By hand
CARET_STRETCH = 1.5  # carets, 1..3: what looks struck and is no longer may be the caret. By hand
GAP_PULL = 0.5
"""Nats a frame, 0..2: so much less likely a gap may be for each frame that it is nearer. By hand."""
BLANK_PENALTY = 3.0  # nats, 0..10, by which a blank is a less likely gap than a space. By hand
SPACE_PROB = 0.55  # probability, 0..1, of a space in the frames put between parts, against a blank. By hand
UNSEEN = -12.0  # log probability of any other sign in those frames, as `ctc.UNKNOWN_LETTER`


def attach_insertions(rows: Sequence[Row]) -> tuple[Row, ...]:
    """The rows in their order. Inserted rows leave the list and go to `inserted` of their hosts."""
    hosts = insertion_hosts([row.box for row in rows])
    return tuple(
        replace(row, inserted=_from_left(*row.inserted, *_guests(rows, hosts, index)))
        if index in hosts
        else row
        for index, row in enumerate(rows)
        if hosts[index] is None
    )


def _guests(rows: Sequence[Row], hosts: Sequence[int | None], host: int) -> list[Row]:
    return [row for row, own_host in zip(rows, hosts, strict=True) if own_host == host]


def _from_left(*rows: Row) -> tuple[Row, ...]:
    return tuple(sorted(rows, key=lambda row: row.left))


def insertion_hosts(boxes: Sequence[Box]) -> tuple[int | None, ...]:
    """For each row, given by its box, the index of the row it is inserted into; None for a row by itself."""
    if len(boxes) < 2:
        return (None,) * len(boxes)
    row_height = float(np.median([box.height for box in boxes]))
    hosts = [_host(index, boxes, row_height) for index in range(len(boxes))]
    # What is inserted into a row that is itself inserted stays a row, as does that one's host.
    return tuple(None if host is not None and hosts[host] is not None else host for host in hosts)


def corrected_lines(line: ReadLine) -> tuple[ReadLine, ...]:
    """The line as its corrections have it; none if there are none to apply.

    Where words were inserted it may come twice: with them in place of the struck words below them, and over a
    caret.
    """
    lines = []
    for at_caret in (False, True):
        rows = [corrected_row(row, at_caret=at_caret) for row in line.rows]
        if any(row is not None for row in rows):
            lines.append(as_line([new or old for new, old in zip(rows, line.rows, strict=True)]))
    return tuple(lines)


def line_without_struck_words(line: ReadLine) -> ReadLine | None:
    """The line without its struck words and without inserted words: what rises above a struck word may look
    like one.

    None if nothing is struck, or nothing inserted.
    """
    if not any(row.inserted for row in line.rows):
        return None
    rows = [corrected_row(replace(row, inserted=())) for row in line.rows]
    if all(row is None for row in rows):
        return None
    return as_line([new or replace(old, inserted=()) for new, old in zip(rows, line.rows, strict=True)])


def corrected_row(row: Row, *, at_caret: bool = False) -> Row | None:
    """The row without its struck words and with what was inserted, text and posteriors alike.

    With `at_caret` inserted words go where their middle is, in place of the mark there. None if there is
    nothing to correct, if no posteriors are known, or if nothing would be left.
    """
    posteriors = row.posteriors
    struck = [word for word in row.strike.words if word.score >= CUT_OUT and word.kind != "faint"]
    inserted = [
        word
        for word in row.inserted
        if word.posteriors and posteriors and word.posteriors.letters == posteriors.letters
    ]
    if posteriors is None or not (struck or inserted) or (at_caret and not inserted):
        return None
    count = len(posteriors.log_probs)
    carets = [_caret_frames(row, word, count) for word in inserted] if at_caret else []
    cuts = [
        _word_frames(posteriors, word)
        for word in struck
        if not any(_may_be_caret(word, caret, count) for caret in carets)
    ] + carets
    targets = (
        [caret[0] for caret in carets] if at_caret
        else [_target_frame(row, word, struck, posteriors) for word in inserted]
    )
    return _reread(row, posteriors, cuts, list(zip(targets, inserted, strict=True)))


def _reread(
    row: Row, posteriors: Posteriors, cuts: Sequence[Frames], inserted: Sequence[tuple[int, Row]]
) -> Row | None:
    """The row without the frames of `cuts`, each of which leaves a gap, and with `inserted` rows before a
    frame."""
    is_kept = np.ones(len(posteriors.log_probs), np.bool_)
    for begin, end in cuts:
        is_kept[begin:end] = False
    # (frame, index of the inserted row or -1 for a cut), from the left.
    joints = [(begin, -1) for begin, _ in cuts] + [
        (frame, index) for index, (frame, _) in enumerate(inserted)
    ]
    gap = _gap_frames(posteriors)
    parts: list[npt.NDArray[np.float32]] = []
    start = 0
    for frame, index in sorted(joints):
        new = inserted[index][1].posteriors if index >= 0 else None
        parts += [posteriors.log_probs[start:frame][is_kept[start:frame]], gap]
        parts += [new.log_probs, gap] if new is not None else []
        start = frame
    parts.append(posteriors.log_probs[start:][is_kept[start:]])
    joined = Posteriors(np.concatenate(parts), posteriors.letters)
    if not len(joined.log_probs):
        return None
    text = best_path(joined).text
    return replace(row, text=text, posteriors=joined, inserted=(), alternatives=()) if text else None


def is_over_struck_word(inserted: Row, row: Row) -> bool:
    """True if an inserted row is above a word of `row` that was crossed out."""
    width = max(row.right - row.left, 1e-6)
    left, right = (inserted.left - row.left) / width, (inserted.right - row.left) / width
    return any(
        word.score >= CUT_OUT and word.kind != "faint" and word.left < right and word.right > left
        for word in row.strike.words
    )


def _host(index: int, boxes: Sequence[Box], row_height: float) -> int | None:
    """The row that row `index` is inserted into."""
    box = boxes[index]
    hosts, distances_above = [], []
    for k, other in enumerate(boxes):
        place = _place_over(box, other)
        is_beside = place.right < 0.0 or place.left > other.width
        if k == index or place.above == 0.0:
            continue
        if place.above < 0.0 and not is_beside:
            distances_above.append(-place.above)
        if box.height > SMALL * other.height or box.width > SHORT * other.width:
            continue
        before, after = OVERHANG[0] * row_height, OVERHANG[1] * row_height
        is_within = place.left > -before and place.right < other.width + after
        if is_within and 0.0 < place.above < CLOSE * row_height:
            hosts.append((place.above, k))
    if not hosts:
        return None
    above, host = min(hosts)
    nearer = 1.0 if box.height <= LITTLE * boxes[host].height else NEARER
    return None if distances_above and above > nearer * min(distances_above) else host


class _Place(NamedTuple):
    """Where a box begins and ends along another, and how far its middle is above the other's; pixels."""

    left: float
    right: float
    above: float


def _place_over(box: Box, below: Box) -> _Place:
    # Plain numbers: NumPy takes five times as long for four corners, and every two rows of a page are asked.
    (x0, y0), (x1, y1), _, (x3, y3) = below.corners
    width, height = max(below.width, 1.0), max(below.height, 1.0)
    xs = [((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / width for x, y in box.corners]
    (middle_x, middle_y), (below_x, below_y) = _middle(box), _middle(below)
    above = ((below_x - middle_x) * (x3 - x0) + (below_y - middle_y) * (y3 - y0)) / height
    return _Place(min(xs), max(xs), above)


def _middle(box: Box) -> tuple[float, float]:
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = box.corners
    return (x0 + x1 + x2 + x3) / 4, (y0 + y1 + y2 + y3) / 4


def _target_frame(row: Row, inserted: Row, struck: Sequence[StruckWord], posteriors: Posteriors) -> int:
    """The frame before which inserted words belong: that of the nearest struck word, or the nearest gap."""
    left, right = _crop_span(row, inserted)
    distances = [(max(word.left - right, left - word.right, 0.0), word) for word in struck]
    if distances and min(distance for distance, _ in distances) <= BESIDE:
        return _word_frames(posteriors, min(distances, key=lambda pair: pair[0])[1])[0]
    return _nearest_gap(posteriors, (left + right) / 2 * len(posteriors.log_probs))


def _crop_span(row: Row, inserted: Row) -> tuple[float, float]:
    """Left and right of an inserted word as shares of the row's crop."""
    place = _place_over(inserted.box, row.box)
    margin = CROP_MARGIN[0] * row.box.height
    crop_width = row.box.width + 2 * margin
    return (place.left + margin) / crop_width, (place.right + margin) / crop_width


def _caret_frames(row: Row, inserted: Row, count: int) -> Frames:
    """The frames of the caret under the middle of an inserted word, if there is one."""
    middle = sum(_crop_span(row, inserted)) / 2 * count
    return max(0, round(middle - CARET / 2)), min(count, round(middle + CARET / 2))


def _may_be_caret(word: StruckWord, caret: Frames, count: int) -> bool:
    """True if what looks like a struck word is hardly wider than a caret, and is at its place."""
    return (
        (word.right - word.left) * count <= CARET_STRETCH * CARET
        and word.left * count < caret[1]
        and word.right * count > caret[0]
    )


def _word_frames(posteriors: Posteriors, word: StruckWord) -> Frames:
    """The frames of a struck word, from gap to gap."""
    count = len(posteriors.log_probs)
    begin = 0 if word.left < AT_END else _nearest_gap(posteriors, word.left * count)
    end = count if word.right > 1.0 - AT_END else _nearest_gap(posteriors, word.right * count) + 1
    return begin, max(begin, end)


def _nearest_gap(posteriors: Posteriors, target: float) -> int:
    """The frame near `target` that is most likely between words, or before the first or after the last."""
    column = posteriors.letters.index(" ") + 1 if " " in posteriors.letters else 0
    gaps = np.maximum(posteriors.log_probs[:, column], posteriors.log_probs[:, 0] - BLANK_PENALTY)
    best = posteriors.log_probs.argmax(axis=1)
    letter_frames = np.flatnonzero((best != 0) & (best != column))
    if len(letter_frames):
        gaps[: letter_frames[0]] = gaps[letter_frames[-1] + 1 :] = 0.0
    return int((gaps - GAP_PULL * np.abs(np.arange(len(gaps)) - target)).argmax())


def _gap_frames(posteriors: Posteriors) -> npt.NDArray[np.float32]:
    """Two frames that may say a space, or nothing: float32, shape (2, 1 + letters).

    Next to inserted words a space is often seen already, and at a row's end there is none.
    """
    frames = np.full((2, posteriors.log_probs.shape[1]), UNSEEN, np.float32)
    frames[:, 0] = 0.0
    if " " in posteriors.letters:
        frames[0, [0, posteriors.letters.index(" ") + 1]] = math.log(1 - SPACE_PROB), math.log(SPACE_PROB)
    return frames
