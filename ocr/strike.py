"""Judge from a row's ink whether it, or a word of it, was crossed out.

Along the row, every STEP pixels, a small network of one hidden layer sees what `ocr.strike_marks` measured in a narrow,
a middling and a wide window, and says which of CLASSES the writing there is. Its coefficients, `strike.toml`, are
fitted on composed sheets by `ocr.train.fit_strike`; nothing was tuned on the sheets that the product is judged by.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ocr.page import Image, Posteriors, Strike, StruckWord
from ocr.strike_marks import HEIGHT, MEASURES, Plane, marks, soft_ink
from ocr.unread import unread

CLASSES = ("live", "single", "double", "wave", "zigzag", "cross", "black")
"""Live writing (underlined or not), then the ways to cross out: one level stroke, several, a wavy line, a zigzag or
scribble, an X or slashes, and ink until nothing shows."""

WINDOWS = (40, 72, 160)
"""Widths in pixels of rows 48 high: a letter or two, a short word, some words."""

SITE = 8
"""Pixels from one judgement to the next."""

BEGINS = 0.5
"""Chance of being struck from which a site may be part of a struck word."""

LISTED = 0.1
"""Score from which a stretch is listed."""

BETWEEN_WORDS = 5
"""Pixels without ink that part words, mostly; a stroke over several words makes one of them."""

GAP = 2
"""Sites: a stretch goes on over so short a fall below BEGINS."""

USUAL_LEGIBLE = 0.95
"""Stands for the recogniser's score where none is given."""

UNREAD, MOST_UNREAD = 0.75, 0.94
"""Score of unread ink a row height wide, and the most it may have: it asks for a look, and proves no strike."""

Floats: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Layers:
    """The network: inputs less `mean` over `spread`, through `inward` and tanh, through `outward` to CLASSES."""

    mean: Floats
    spread: Floats
    inward: Floats
    inward_constant: Floats
    outward: Floats
    outward_constant: Floats

    def chances(self, inputs: Floats) -> Floats:
        """Sites x CLASSES, each row summing to 1."""
        hidden = np.tanh((inputs - self.mean) / self.spread @ self.inward + self.inward_constant)
        return softmax(hidden @ self.outward + self.outward_constant)


@dataclass(frozen=True, slots=True, eq=False)
class Judge:
    """The network for sites, and the weights, constant last, of `summary` for the row and of `Stretch` for words."""

    layers: Layers
    row: tuple[float, ...]
    word: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Stretch:
    """Sites in a row that look struck, from column `left` to `right`, mostly by way of `kind`.

    `features`: how struck at best and on average (log odds), the share it is of the ink between the gaps around it,
    whether it begins and ends at such a gap, its length (logarithm of row heights), and the row's legibility. A
    strike takes in whole words; joined letters that look like one are mostly a part of theirs.
    """

    left: int
    right: int
    kind: str
    features: tuple[float, ...]


def strike(row: Image, legible: float = USUAL_LEGIBLE, posteriors: Posteriors | None = None) -> Strike:
    """How much a row and its words look crossed out.

    `row`: an evened crop without printed rules, grey or RGB, some 1.2 row heights high. `legible`: the recogniser's
    score of the row, 0..1; a scribble costs legibility. `posteriors`: the recogniser's of the same crop, where known;
    ink that it said nothing about is a stretch of kind "unread". A row without ink is not struck.
    """
    ruling = judge()
    ink = soft_ink(row)
    seen = marks(ink)
    chances, middles = _along(seen, ruling.layers)
    if not len(middles):
        return Strike()
    score = _chance(ruling.row, _summary(chances, legible))
    wide, words = seen.shape[1], []
    for stretch in stretches(seen, ruling.layers, legible):
        struck = _chance(ruling.word, stretch.features)
        if struck >= LISTED:
            left, right = round(stretch.left / wide, 3), round(stretch.right / wide, 3)
            words.append(StruckWord(left, right, round(struck, 3), stretch.kind))
    for left, right, high in unread(ink, posteriors) if posteriors is not None else ():
        words.append(StruckWord(left, right, round(min(MOST_UNREAD, UNREAD * high), 3), "unread"))
    return Strike(round(score, 3), tuple(sorted(words, key=lambda word: word.left)))


def sites(seen: Plane) -> tuple[Floats, npt.NDArray[np.intp]]:
    """What the network sees: the mean of each measure in each window (sites x inputs), and the sites' columns."""
    wide = seen.shape[1]
    total = np.zeros((len(seen), wide + 1))
    np.cumsum(seen, axis=1, out=total[:, 1:])
    middles = np.arange(SITE // 2, wide, SITE)
    parts = []
    for window in WINDOWS:
        a, b = np.clip(middles - window // 2, 0, wide), np.clip(middles + window // 2, 0, wide)
        parts.append((total[:, b] - total[:, a]) / (b - a))
    return np.concatenate(parts).T, middles


def summary(seen: Plane, layers: Layers, legible: float) -> tuple[float, ...]:
    """What the row's own score is made of: how struck its sites are on average, the least struck fifth (both as log
    odds), and the recogniser's score."""
    return _summary(_along(seen, layers)[0], legible)


def softmax(values: Floats) -> Floats:
    """Rows of numbers as rows of chances."""
    powers = np.exp(values - values.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


@cache
def judge() -> Judge:
    """The judge that `strike.toml` holds. Raises ValueError when that file does not fit this module."""
    path = Path(__file__).with_name("strike.toml")
    return from_toml(tomllib.loads(path.read_text(encoding="utf-8")), str(path))


def from_toml(document: dict[str, Any], name: str) -> Judge:
    """A judge from the tables of a TOML file; `name` is for the message of the ValueError."""
    if tuple(document["classes"]) != CLASSES or tuple(document["measures"]) != MEASURES:
        raise ValueError(f"{name}: its classes or measures are not those of ocr.strike; fit it anew")
    table = document["network"]
    layers = Layers(*(np.array(table[part]) for part in Layers.__slots__))
    inputs, hidden = len(MEASURES) * len(WINDOWS), len(layers.inward_constant)
    if layers.inward.shape != (inputs, hidden) or layers.outward.shape != (hidden, len(CLASSES)):
        raise ValueError(f"{name}: the network's tables do not fit each other; fit it anew")
    return Judge(layers, tuple(document["row"]["weights"]), tuple(document["word"]["weights"]))


def _along(seen: Plane, layers: Layers) -> tuple[Floats, npt.NDArray[np.intp]]:
    """Chances at the sites between the row's first and last ink, and their columns."""
    inked = np.flatnonzero(seen[MEASURES.index("white")] < 0.5)
    inputs, middles = sites(seen)
    within = (middles >= inked[0]) & (middles <= inked[-1]) if len(inked) else np.zeros(len(middles), np.bool_)
    return layers.chances(inputs[within]), middles[within]


def _summary(chances: Floats, legible: float) -> tuple[float, ...]:
    struck = 1.0 - chances[:, 0] if len(chances) else np.zeros(1)
    return _odds(float(struck.mean())), _odds(float(np.quantile(struck, 0.2))), legible


def _odds(chance: float) -> float:
    held = min(max(chance, 0.002), 0.998)
    return float(np.log(held / (1.0 - held)))


def _chance(weights: tuple[float, ...], features: tuple[float, ...]) -> float:
    return float(1.0 / (1.0 + np.exp(-np.dot(weights, [*features, 1.0]))))


def stretches(seen: Plane, layers: Layers, legible: float) -> tuple[Stretch, ...]:
    """What may be struck words, from the left."""
    chances, middles = _along(seen, layers)
    struck = 1.0 - chances[:, 0]
    ends = np.concatenate((struck[:1], struck, struck[-1:])) if len(struck) else struck
    smooth = (ends[:-2] + struck + ends[2:]) / 3 if len(struck) else struck
    inked = _filled(seen[MEASURES.index("white")] < 0.5)
    found = []
    for part in _parts(struck >= BEGINS):
        left, right = int(middles[part[0]]) - SITE // 2, int(middles[part[-1]]) + SITE // 2
        mean = float(struck[part[0] : part[-1] + 1].mean())
        share, begins, stops = _place(inked, left, min(right, len(inked)))
        features = (
            _odds(float(smooth[part].max())), _odds(mean), share, float(begins), float(stops),
            float(np.log((right - left) / HEIGHT)), legible,
        )
        kind = CLASSES[1 + int(chances[part, 1:].sum(axis=0).argmax())]
        found.append(Stretch(max(0, left), min(right, seen.shape[1]), kind, features))
    return tuple(found)


def _parts(flags: npt.NDArray[np.bool_]) -> list[npt.NDArray[np.intp]]:
    """Places of the flags that are set, parted where more than GAP in a row are not."""
    hit = np.flatnonzero(flags)
    return [part for part in np.split(hit, np.flatnonzero(np.diff(hit) > GAP) + 1) if len(part)]


def _filled(inked: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Columns that belong to a word: with ink, or in a gap shorter than BETWEEN_WORDS."""
    at = np.flatnonzero(inked)
    out = inked.copy()
    for a, b in pairwise(at):
        if b - a <= BETWEEN_WORDS:
            out[a:b] = True
    return out


def _place(words: npt.NDArray[np.bool_], left: int, right: int) -> tuple[float, bool, bool]:
    """The share of the words touched that a stretch takes in; whether it begins, and ends, where a word does."""
    inside = np.flatnonzero(words[left:right])
    if not len(inside):
        return 1.0, True, True
    first, last = left + int(inside[0]), left + int(inside[-1])
    before, after = np.flatnonzero(~words[:first]), np.flatnonzero(~words[last:])
    start = int(before[-1]) + 1 if len(before) else 0
    end = last + int(after[0]) if len(after) else len(words)
    whole = max(1, int(words[start:end].sum()))
    slack = SITE + SITE // 2
    return len(inside) / whole, first - start <= slack, end - 1 - last <= slack


assert HEIGHT == 48, "WINDOWS and SITE are for rows 48 high"
