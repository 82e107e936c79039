"""Judge whether a row, or a word of it, was crossed out, by what the recogniser saw of it frame by frame.

The chances along the row come from the engine (`ocr.engines.crossing`); here they are made one score for the
row, and stretches of it, cut where words part. The few weights, `strike.toml`, are fitted on composed sheets
by `training.tuning.fit_strike`; nothing was tuned on the sheets that the product is judged by.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ocr.corrections.hairline import crossed_gaps
from ocr.corrections.strike_marks import HEIGHT, Plane, body_rows, soft_ink
from ocr.corrections.unread_ink import unread_stretches
from ocr.engines import STRIKE_CLASSES, Recognition
from ocr.page import Image, Posteriors, Strike, StruckWord

BEGINS = 0.5
"""Chance of being struck from which a frame may be part of a struck word."""

LISTED = 0.1
"""Score from which a stretch is listed."""

GAP = 1
"""Frames: a stretch goes on over so short a fall below BEGINS."""

BETWEEN_WORDS = 5
"""Pixels without ink, in rows HEIGHT high, that part words, mostly; a stroke over several words makes one of
them."""

SPACE = 0.3
"""Chance of a space from which the recogniser says that words part."""

SNAP = 2.5
"""Frames that the end of a stretch is moved at most to lie where words part: a letter or so."""

UNREAD, MOST_UNREAD = 0.75, 0.94
"""Score of unread ink a row height wide, and the most it may have: it asks for a look, and proves no
strike."""

CROSSED, FAINT = 0.81, 0.74
"""Share of a row's gaps that one straight line shows in, from which it looks crossed out by a fine pen, and
the score of that: it asks for a look, and proves no strike. Of 705 live rows on the demo's sheets and on 40
in the fonts for calibration three had so much, each a single word; of 120 rows in those fonts, struck with a
pen of a fifth to four fifths of theirs, 99."""

LIKELY, AGREED, MOST_AGREED = 0.6, 0.2, 0.94
"""From this score of a row the gaps are asked as well; where they say the same, what was missing to certainty
counts for so much, and the score is at most so high: two kinds of evidence, but of the same stroke."""

Floats: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class StrikeWeights:
    """Of `Seen.summary` for the row and of `Stretch.features` for words, the constant last."""

    row: tuple[float, ...]
    word: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class StruckStretch:
    """Frames in a row that look struck, from `left` to `right`, places in frames, mostly by way of `kind`.

    `features`: how struck at best and on average (log odds), the share it is of the ink between the gaps
    around it, whether it begins and ends at such a gap, its length (logarithm of frames), and the row's
    legibility. A strike takes in whole words; joined letters that look like one are mostly a part of theirs.
    """

    left: float
    right: float
    kind: str
    features: tuple[float, ...]


@dataclass(frozen=True, slots=True, eq=False)
class RowFrames:
    """A row by frames: how struck each is (0..1) and by what kind (frames x kinds), whether a word's ink is
    there, which of them part words, and the recogniser's score of the row. `first` and `last` are the frames
    of its first and last ink."""

    struck_probs: Floats
    kind_probs: Floats
    inked: npt.NDArray[np.bool_]
    word_gaps: tuple[tuple[float, float], ...]
    score: float
    first: int
    last: int

    def summary(self) -> tuple[float, ...]:
        """What the row's own score is made of: how struck its frames are on average, the least struck fifth
        (both as log odds), and the recogniser's score."""
        within = self.struck_probs[self.first : self.last + 1]
        return _odds(float(within.mean())), _odds(float(np.quantile(within, 0.2))), self.score


def detect_strike(row: Image, said: Recognition) -> Strike:
    """How much a row and its words look crossed out.

    `row`: an evened crop without printed rules, grey or RGB, some 1.2 row heights high. `said`: what the
    engine made of the same crop. Without its `crossing` nothing is struck; ink that its posteriors say
    nothing about is a stretch of kind "unread" in any case. A row without ink is not struck.
    """
    ink, ruling = soft_ink(row), default_weights()
    seen = row_frames(ink, said)
    score, words = 0.0, []
    if seen is not None:
        score = _chance(ruling.row, seen.summary())
        for stretch in struck_stretches(seen):
            struck = _chance(ruling.word, stretch.features)
            if struck >= LISTED:
                left, right = (
                    round(min(1.0, place / len(seen.struck_probs)), 4)
                    for place in (stretch.left, stretch.right)
                )
                words.append(StruckWord(left, right, round(struck, 3), stretch.kind))
        words += _faint(row, ink, words)
        score = _agreed(score, row, ink)
    for left, right, high in unread_stretches(ink, said.posteriors) if said.posteriors is not None else ():
        silent = StruckWord(left, right, round(min(MOST_UNREAD, UNREAD * high), 3), "unread")
        if not any(_covers(word, silent) for word in words):
            words.append(silent)
    return Strike(round(score, 3), tuple(sorted(words, key=lambda word: word.left)))


def row_frames(ink: Plane, said: Recognition) -> RowFrames | None:
    """A row by frames; None without ink or without an engine's `crossing`. `ink`: soft ink of the crop."""
    body = body_rows(ink)
    dark = np.flatnonzero((ink[max(0, body.start - 6) : body.stop + 6] > 0.5).any(axis=0))
    if said.crossing is None or not len(dark) or not len(said.crossing.class_probs):
        return None
    chances = said.crossing.class_probs.astype(np.float64)
    frames, scale = len(chances), len(chances) / ink.shape[1]
    first, last = (min(frames - 1, int(at * scale)) for at in (dark[0], dark[-1]))
    words = np.asarray((ink[body] > 0.5).any(axis=0), np.bool_)
    gaps = _gaps(words, scale) + _spaces(said.posteriors, frames)
    inked = np.zeros(frames, np.bool_)
    inked[np.minimum(frames - 1, (np.flatnonzero(words) * scale).astype(np.intp))] = True
    return RowFrames(1.0 - chances[:, 0], chances[:, 1:], inked, tuple(sorted(gaps)), said.score, first, last)


def struck_stretches(seen: RowFrames) -> tuple[StruckStretch, ...]:
    """What may be struck words, from the left."""
    struck = seen.struck_probs
    smooth = np.convolve(np.pad(struck, 1, mode="edge"), np.ones(3) / 3, mode="valid")
    flags = struck >= BEGINS
    flags[: seen.first], flags[seen.last + 1 :] = False, False
    found = []
    for part in _runs(flags):
        a, b = int(part[0]), int(part[-1]) + 1
        left, right = _edges(seen, a, b)
        share, begins, stops = _place(seen, left, right)
        features = (
            _odds(float(smooth[a:b].max())), _odds(float(struck[a:b].mean())), share, float(begins),
            float(stops),
            float(np.log(b - a)), seen.score,
        )
        kind = STRIKE_CLASSES[1 + int(seen.kind_probs[part].sum(axis=0).argmax())]
        found.append(StruckStretch(left, right, kind, features))
    return tuple(found)


@cache
def default_weights() -> StrikeWeights:
    """What `strike.toml` holds. Raises ValueError when that file does not fit this module."""
    path = Path(__file__).with_name("strike.toml")
    return weights_from_toml(tomllib.loads(path.read_text(encoding="utf-8")), str(path))


def weights_from_toml(document: dict[str, Any], name: str) -> StrikeWeights:
    """Weights from the tables of a TOML file; `name` is for the message of the ValueError."""
    if tuple(document["classes"]) != STRIKE_CLASSES:
        raise ValueError(f"{name}: its classes are not those of ocr.engines; fit it anew")
    found = StrikeWeights(tuple(document["row"]["weights"]), tuple(document["word"]["weights"]))
    if (len(found.row), len(found.word)) != (4, 8):
        raise ValueError(f"{name}: its weights do not fit ocr.corrections.strike; fit it anew")
    return found


def _gaps(words: npt.NDArray[np.bool_], scale: float) -> list[tuple[float, float]]:
    """Where ink parts, (from, to) in frames; the paper before the first ink and behind the last are gaps
    too."""
    at = np.concatenate(([-BETWEEN_WORDS - 1], np.flatnonzero(words), [len(words) + BETWEEN_WORDS]))
    wide = np.flatnonzero(np.diff(at) > BETWEEN_WORDS)
    return [((float(at[k]) + 1) * scale, float(at[k + 1]) * scale) for k in wide]


def _spaces(posteriors: Posteriors | None, frames: int) -> list[tuple[float, float]]:
    """Where the recogniser says a space, (from, to) in frames."""
    if posteriors is None or " " not in posteriors.letters or len(posteriors.log_probs) != frames:
        return []
    said = np.flatnonzero(posteriors.log_probs[:, posteriors.letters.index(" ") + 1] > np.log(SPACE))
    return [(float(run[0]), float(run[-1]) + 1.0) for run in _split(said, 1)]


def _runs(flags: npt.NDArray[np.bool_]) -> list[npt.NDArray[np.intp]]:
    """Places of the flags that are set, parted where more than GAP in a row are not."""
    return _split(np.flatnonzero(flags), GAP + 1)


def _split(places: npt.NDArray[np.intp], apart: int) -> list[npt.NDArray[np.intp]]:
    return [part for part in np.split(places, np.flatnonzero(np.diff(places) > apart) + 1) if len(part)]


def _edges(seen: RowFrames, a: int, b: int) -> tuple[float, float]:
    """Where a run of struck frames begins and ends: between frames where its chance passes BEGINS, then at
    the nearest place within SNAP where words part."""
    left = a - _passed(seen.struck_probs[a - 1], seen.struck_probs[a]) + 0.5 if a else 0.0
    right = (
        b + _passed(seen.struck_probs[b], seen.struck_probs[b - 1]) - 0.5
        if b < len(seen.struck_probs)
        else float(b)
    )
    starts = [end for _, end in seen.word_gaps if abs(end - left) <= SNAP]
    stops = [begin for begin, _ in seen.word_gaps if abs(begin - right) <= SNAP]
    snapped = (
        min(starts, key=lambda x: abs(x - left), default=left),
        min(stops, key=lambda x: abs(x - right), default=right),
    )
    return snapped if snapped[1] > snapped[0] else (left, right)


def _passed(outside: float, inside: float) -> float:
    """How far from the middle of a struck frame, towards that of its live neighbour, the chance falls to
    BEGINS; 0..1."""
    return float((inside - BEGINS) / max(inside - outside, 1e-6))


def _place(seen: RowFrames, left: float, right: float) -> tuple[float, bool, bool]:
    """The share of the words touched that a stretch takes in; whether it begins, and ends, where a word
    does."""
    begins = any(abs(end - left) < 1.0 for _, end in seen.word_gaps)
    stops = any(abs(begin - right) < 1.0 for begin, _ in seen.word_gaps)
    start = max((end for _, end in seen.word_gaps if end <= left + 1.0), default=0.0)
    end = min(
        (begin for begin, _ in seen.word_gaps if begin >= right - 1.0), default=float(len(seen.struck_probs))
    )
    return min(1.0, (right - left) / max(1.0, end - start)), begins, stops


def _faint(row: Image, ink: Plane, words: Sequence[StruckWord]) -> list[StruckWord]:
    """The stretch of a row that a fine pen may have crossed out, where nothing was seen to be."""
    if any(word.score >= FAINT for word in words):
        return []
    share, left, right = crossed_gaps(row, ink)
    return [StruckWord(round(left, 4), round(right, 4), FAINT, "faint")] if share >= CROSSED else []


def _agreed(score: float, row: Image, ink: Plane) -> float:
    """A row's score, raised where it looks crossed out and the gaps between its letters say so too."""
    if not LIKELY <= score < MOST_AGREED or crossed_gaps(row, ink)[0] < CROSSED:
        return score
    return min(MOST_AGREED, 1.0 - AGREED * (1.0 - score))


def _covers(word: StruckWord, silent: StruckWord) -> bool:
    """Whether a struck word says already, and as surely, why most of a stretch was not read."""
    shared = min(word.right, silent.right) - max(word.left, silent.left)
    return word.score >= silent.score and shared > 0.5 * (silent.right - silent.left)


def _odds(chance: float) -> float:
    held = min(max(chance, 0.002), 0.998)
    return float(np.log(held / (1.0 - held)))


def _chance(given: tuple[float, ...], features: tuple[float, ...]) -> float:
    return float(1.0 / (1.0 + np.exp(-np.dot(given, [*features, 1.0]))))


assert HEIGHT == 48, "BETWEEN_WORDS is for rows 48 high"
