"""Was a row, or a word of it, crossed out? Decided by what the recogniser saw of it, frame by frame.

The probabilities along the row come from the engine (`ocr.engines.crossing`). Here they become one score for
the row, and stretches of it that end where words do. The weights, `strike.toml`, are fitted on composed
sheets by `training.tuning.fit_strike`; nothing was tuned on the sheets that the product is judged by.

Ink that the recogniser said nothing about: a word blotted out, or two layers of writing that made no
letter.

A network that sees no letter in a muddle is often certain of it, so neither its score nor the cost of a
decoded order shows that a word was passed over. Here only ink and silence count.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ocr.corrections.hairline import find_hairline
from ocr.corrections.strike_marks import EDGE, HEIGHT, Plane, body_rows, soft_ink
from ocr.engines import STRIKE_CLASSES, Recognition
from ocr.page import Image, Posteriors, Strike, StruckWord

SAID = 0.2  # probability, 0..1, of a letter from which a frame states one. By hand; no measurement on record

LEAST = 0.8
"""Row heights, 0..2, of ink without a letter from which a stretch counts. Of 364 live rows on 40 sheets
composed in the calibration fonts five had so much, all of them misread. Photographs: 0.65 or less in 34,642
stretches, more in three."""


def unread_stretches(ink: Plane, posteriors: Posteriors) -> tuple[tuple[float, float, float], ...]:
    """Stretches between one letter and the next: left and right as shares of the crop, and ink in row
    heights.

    The ink is LEAST or more. `ink`: soft ink of the crop that `posteriors` belong to.
    """
    frames, width = len(posteriors.log_probs), ink.shape[1]
    if not frames:
        return ()
    body = body_rows(ink)
    band = ink[max(EDGE, body.start - EDGE) : body.stop + EDGE // 2]
    inked = np.asarray((band > 0.5).any(axis=0), np.bool_)
    letter_frames = np.flatnonzero(posteriors.log_probs[:, 1:].max(axis=1) > np.log(SAID))
    edges = [0, *(int((frame + 0.5) * width / frames) for frame in letter_frames), width]
    widths = [float(inked[left:right].sum()) / HEIGHT for left, right in pairwise(edges)]
    return tuple(
        (round(left / width, 3), round(right / width, 3), ink_width)
        for (left, right), ink_width in zip(pairwise(edges), widths, strict=True)
        if ink_width >= LEAST
    )


Floats: TypeAlias = npt.NDArray[np.float64]

Span: TypeAlias = tuple[float, float]
"""From, to; in frames."""

# Tuning values. A frame is 8 pixels of a row 48 high and stretched by 1.3. "By hand": no measurement on
# record.
BEGINS = 0.5  # probability, 0..1, of being struck from which a frame may be part of a struck word. By hand
GAP = 1  # frames, 0..5: a stretch continues over so short a fall below BEGINS. By hand
BETWEEN_WORDS = 5
"""Pixels, 2..15, of a row 48 high without ink that part words, mostly; a stroke over several words joins
them. By hand."""
SPACE = 0.3  # probability, 0..1, of a space from which the recogniser states that words part. By hand
SNAP = 2.5
"""Frames, 0..6: the end of a stretch moves at most so far to where words part: a letter or so. By hand."""
AT_WORD_END = 1.0  # frames, 0..3, from where words part: the stretch ends there. By hand
QUIETEST = 0.2  # quantile, 0..1, of the frames that the row's summary takes next to the mean. Part of the fit
ODDS_LIMIT = 0.002  # probability, 0..0.1: log odds are taken of ODDS_LIMIT to 1 - ODDS_LIMIT. Part of the fit
LISTED = 0.1
"""Score, 0..1, from which a stretch is listed. By hand. Photographs: 43 stretches, all 0.17 or more."""
BODY_ROOM = 6  # pixels, 0..12, of a row 48 high above and below the body in which ink shows its ends. By hand
BARE = 0.5
"""Soft ink, 0..1, up to which a pixel is bare paper. By hand: paper between the cells of a table looked as
if a word were blacked out."""
UNREAD, MOST_UNREAD = 0.75, 0.94
"""Score, 0..1, of unread ink a row height wide, and the most it gets: it requests a person and proves no
strike. By hand, commit b832694."""
CROSSED, FAINT = 0.81, 0.74
"""Share of a row's gaps, 0..1, in which one straight line shows, from which a fine pen may have crossed it
out, and the score of that: it requests a person and proves no strike. Of 705 live rows on the demo's sheets
and on 40 in the calibration fonts three had so much, each a single word; of 120 rows in those fonts, struck
with a pen of a fifth to four fifths of theirs, 99."""
LIKELY, AGREED, MOST_AGREED = 0.6, 0.2, 0.94
"""From this score of a row, 0..1, the gaps are asked as well. If they agree, what was missing to certainty is
multiplied by the second, and the score is at most the third: two kinds of evidence, but of the same stroke.
Strokes of 3.4 pixels through letters of 8 scored 0.70 to 0.86 and show in every gap (commit 9dca20d).
Photographs: live rows at most 0.19, struck rows 0.9993 or more."""
COVERED = 0.5  # share of an unread stretch, 0..1, that a struck word must cover to explain it. By hand

assert HEIGHT == 48, "BETWEEN_WORDS and BODY_ROOM are for rows 48 high"


@dataclass(frozen=True, slots=True, eq=False)
class StrikeWeights:
    """Logistic weights of `RowFrames.summary` (`row`) and of `StruckStretch.features` (`word`), the constant
    last."""

    row: tuple[float, ...]
    word: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class StruckStretch:
    """Frames of a row that look struck, from `left` to `right` (in frames), mostly of one `kind`.

    `features`: the highest and the mean log odds of being struck; its share of the ink between the gaps
    around it; whether it begins, and ends, at such a gap; log of its length in frames; the recogniser's score
    of the row. A strike covers whole words; joined letters that look like one are mostly a part of theirs.
    """

    left: float
    right: float
    kind: str
    features: tuple[float, ...]


@dataclass(frozen=True, slots=True, eq=False)
class RowFrames:
    """A row by frames.

    `struck_probs`: float64, shape (frames,), 0..1. `kind_probs`: shape (frames, kinds), in the order of
    STRIKE_CLASSES without the first. `word_gaps`: where words part. `score`: the recogniser's, 0..1. `first`
    and `last`: the frames of the first and last ink.
    """

    struck_probs: Floats
    kind_probs: Floats
    word_gaps: tuple[Span, ...]
    score: float
    first: int
    last: int

    @property
    def count(self) -> int:
        """Number of frames."""
        return len(self.struck_probs)

    def summary(self) -> tuple[float, ...]:
        """Features of the row: log odds of the mean frame and of the least struck fifth; the recogniser's
        score."""
        written = self.struck_probs[self.first : self.last + 1]
        return _log_odds(float(written.mean())), _log_odds(float(np.quantile(written, QUIETEST))), self.score


def detect_strike(row: Image, recognition: Recognition) -> Strike:
    """How much a row and its words look crossed out.

    `row`: an evened crop without printed rules, uint8, RGB or grey, some 1.2 row heights high. `recognition`:
    what the engine made of the same crop. Without its `crossing` nothing is struck, but ink that its
    posteriors have nothing about is a stretch of kind "unread" all the same. A row without ink is not struck.
    """
    ink, weights = soft_ink(row), default_weights()
    frames = row_frames(ink, recognition)
    score = 0.0
    words: list[StruckWord] = []
    if frames is not None:
        score = _logistic(weights.row, frames.summary())
        for stretch in struck_stretches(frames):
            word_score = _logistic(weights.word, stretch.features)
            if word_score >= LISTED:
                ends = stretch.left / frames.count, stretch.right / frames.count
                left, right = (round(min(1.0, end), 4) for end in ends)
                words.append(StruckWord(left, right, round(word_score, 3), stretch.kind))
        words += _faint_words(row, ink, words)
        score = _raised_score(score, row, ink)
    unread = unread_stretches(ink, recognition.posteriors) if recognition.posteriors is not None else ()
    for left, right, ink_width in unread:
        silent = StruckWord(left, right, round(min(MOST_UNREAD, UNREAD * ink_width), 3), "unread")
        if not any(_explains(word, silent) for word in words):
            words.append(silent)
    return Strike(round(score, 3), tuple(sorted(words, key=lambda word: word.left)))


def row_frames(ink: Plane, recognition: Recognition) -> RowFrames | None:
    """A row by frames; None without ink or without an engine's `crossing`. `ink`: soft ink of the crop."""
    body = body_rows(ink)
    tall_band = ink[max(0, body.start - BODY_ROOM) : body.stop + BODY_ROOM]
    dark_columns = np.flatnonzero((tall_band > 0.5).any(axis=0))
    if recognition.crossing is None or not len(dark_columns) or not len(recognition.crossing.class_probs):
        return None
    probs = recognition.crossing.class_probs.astype(np.float64)
    count, frames_per_pixel = len(probs), len(probs) / ink.shape[1]
    ends = dark_columns[0], dark_columns[-1]
    first, last = (min(count - 1, int(column * frames_per_pixel)) for column in ends)
    body_columns = np.asarray((ink[body] > 0.5).any(axis=0), np.bool_)
    gaps = _ink_gaps(body_columns, frames_per_pixel) + _read_spaces(recognition.posteriors, count)
    # Class 0 of STRIKE_CLASSES is live writing, which is all that was learnt of paper between two cells too.
    struck_probs = 1.0 - probs[:, 0]
    for left, right in _bare_spans(tall_band):
        struck_probs[int(np.ceil(left * frames_per_pixel)) : int(right * frames_per_pixel)] = 0.0
    return RowFrames(
        struck_probs=struck_probs, kind_probs=probs[:, 1:], word_gaps=tuple(sorted(gaps)),
        score=recognition.score, first=first, last=last,
    )


def _bare_spans(band: Plane) -> list[Span]:
    """Columns of bare paper, from and to, as wide as a row is high: no stroke leads over them."""
    bare = np.flatnonzero((band <= BARE).all(axis=0))
    return [(float(run[0]), float(run[-1]) + 1.0) for run in _split(bare, 1) if len(run) >= HEIGHT]


def struck_stretches(frames: RowFrames) -> tuple[StruckStretch, ...]:
    """What may be struck words, from the left."""
    struck = frames.struck_probs
    smooth = np.convolve(np.pad(struck, 1, mode="edge"), np.ones(3) / 3, mode="valid")
    flags = struck >= BEGINS
    flags[: frames.first], flags[frames.last + 1 :] = False, False
    stretches = []
    for run in _runs(flags):
        start, end = int(run[0]), int(run[-1]) + 1
        left, right = _ends(frames, start, end)
        share, begins_at_gap, ends_at_gap = _word_share(frames, left, right)
        features = (
            _log_odds(float(smooth[start:end].max())), _log_odds(float(struck[start:end].mean())), share,
            float(begins_at_gap), float(ends_at_gap), float(np.log(end - start)), frames.score,
        )
        kind = STRIKE_CLASSES[1 + int(frames.kind_probs[run].sum(axis=0).argmax())]
        stretches.append(StruckStretch(left, right, kind, features))
    return tuple(stretches)


@cache
def default_weights() -> StrikeWeights:
    """The weights of `strike.toml`. Raises ValueError if that file does not fit this module."""
    path = Path(__file__).with_name("strike.toml")
    return weights_from_toml(tomllib.loads(path.read_text(encoding="utf-8")), str(path))


def weights_from_toml(document: dict[str, Any], name: str) -> StrikeWeights:
    """Weights from the tables of a TOML file. Raises ValueError, which names the file by `name`."""
    if tuple(document["classes"]) != STRIKE_CLASSES:
        raise ValueError(f"{name}: its classes are not those of ocr.engines; fit it again")
    weights = StrikeWeights(tuple(document["row"]["weights"]), tuple(document["word"]["weights"]))
    # Three features and seven, each with a constant.
    if (len(weights.row), len(weights.word)) != (4, 8):
        raise ValueError(f"{name}: its weights do not fit ocr.corrections.strike; fit it again")
    return weights


def _ink_gaps(body_columns: npt.NDArray[np.bool_], frames_per_pixel: float) -> list[Span]:
    """Where ink parts. The paper before the first ink and after the last are gaps too."""
    columns = np.concatenate(
        ([-BETWEEN_WORDS - 1], np.flatnonzero(body_columns), [len(body_columns) + BETWEEN_WORDS])
    )
    wide = np.flatnonzero(np.diff(columns) > BETWEEN_WORDS)
    return [
        ((float(columns[k]) + 1) * frames_per_pixel, float(columns[k + 1]) * frames_per_pixel) for k in wide
    ]


def _read_spaces(posteriors: Posteriors | None, count: int) -> list[Span]:
    """Where the recogniser reads a space."""
    if posteriors is None or " " not in posteriors.letters or len(posteriors.log_probs) != count:
        return []
    column = posteriors.letters.index(" ") + 1
    spaces = np.flatnonzero(posteriors.log_probs[:, column] > np.log(SPACE))
    return [(float(run[0]), float(run[-1]) + 1.0) for run in _split(spaces, 1)]


def _runs(flags: npt.NDArray[np.bool_]) -> list[npt.NDArray[np.intp]]:
    """Indices of the flags that are set, parted where more than GAP in a row are not."""
    return _split(np.flatnonzero(flags), GAP + 1)


def _split(indices: npt.NDArray[np.intp], most_apart: int) -> list[npt.NDArray[np.intp]]:
    parts = np.split(indices, np.flatnonzero(np.diff(indices) > most_apart) + 1)
    return [part for part in parts if len(part)]


def _ends(frames: RowFrames, start: int, end: int) -> Span:
    """Where a run of struck frames begins and ends.

    Between frames where the probability passes BEGINS, then at the nearest place within SNAP where words
    part.
    """
    probs = frames.struck_probs
    left = start - _crossing_point(probs[start - 1], probs[start]) + 0.5 if start else 0.0
    right = end + _crossing_point(probs[end], probs[end - 1]) - 0.5 if end < len(probs) else float(end)
    word_starts = [gap_end for _, gap_end in frames.word_gaps if abs(gap_end - left) <= SNAP]
    word_ends = [gap_start for gap_start, _ in frames.word_gaps if abs(gap_start - right) <= SNAP]
    snapped = (
        min(word_starts, key=lambda x: abs(x - left), default=left),
        min(word_ends, key=lambda x: abs(x - right), default=right),
    )
    return snapped if snapped[1] > snapped[0] else (left, right)


def _crossing_point(live: float, struck: float) -> float:
    """How far from a struck frame's middle towards its live neighbour's the probability falls to BEGINS;
    0..1."""
    # Before the first ink a frame may look more struck than the first frame with ink.
    return float(np.clip((struck - BEGINS) / max(struck - live, 1e-6), 0.0, 1.0))


def _word_share(frames: RowFrames, left: float, right: float) -> tuple[float, bool, bool]:
    """The share of the words touched that a stretch covers; whether it begins, and ends, where a word
    does."""
    begins_at_gap = any(abs(gap_end - left) < AT_WORD_END for _, gap_end in frames.word_gaps)
    ends_at_gap = any(abs(gap_start - right) < AT_WORD_END for gap_start, _ in frames.word_gaps)
    start = max((gap_end for _, gap_end in frames.word_gaps if gap_end <= left + AT_WORD_END), default=0.0)
    end = min(
        (gap_start for gap_start, _ in frames.word_gaps if gap_start >= right - AT_WORD_END),
        default=float(frames.count),
    )
    return min(1.0, (right - left) / max(1.0, end - start)), begins_at_gap, ends_at_gap


def _faint_words(row: Image, ink: Plane, words: Sequence[StruckWord]) -> list[StruckWord]:
    """The stretch that a fine pen may have crossed out, if nothing else looks struck."""
    if any(word.score >= FAINT for word in words):
        return []
    hairline = find_hairline(row, ink)
    if hairline.gap_share < CROSSED:
        return []
    return [StruckWord(round(hairline.left, 4), round(hairline.right, 4), FAINT, "faint")]


def _raised_score(score: float, row: Image, ink: Plane) -> float:
    """A row's score, raised if it looks crossed out and the gaps between its letters say so too."""
    if not LIKELY <= score < MOST_AGREED or find_hairline(row, ink).gap_share < CROSSED:
        return score
    return min(MOST_AGREED, 1.0 - AGREED * (1.0 - score))


def _explains(word: StruckWord, silent: StruckWord) -> bool:
    """True if a struck word states already, and as surely, why most of a stretch was not read."""
    shared = min(word.right, silent.right) - max(word.left, silent.left)
    return word.score >= silent.score and shared > COVERED * (silent.right - silent.left)


def _log_odds(probability: float) -> float:
    bounded = min(max(probability, ODDS_LIMIT), 1 - ODDS_LIMIT)
    return float(np.log(bounded / (1.0 - bounded)))


def _logistic(weights: tuple[float, ...], features: tuple[float, ...]) -> float:
    return float(1.0 / (1.0 + np.exp(-np.dot(weights, [*features, 1.0]))))
