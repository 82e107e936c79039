"""A sheet's own hand: the recogniser's output layer fitted to the sheet's sure lines, to read others again.

The lines that pass without a person show how this person makes letters, on this paper with this pen. The
output layer is moved towards them from the layer that read the sheet, the common one or the player's own
(`ocr.engines.hand`), and laid over what the network made of other rows; the network does not run again.
Pure: the same sheet gives the same layer, and nothing is kept from sheet to sheet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ocr.decoding.ctc import line_posteriors, second_opinion_posteriors
from ocr.engines import LEAST_PROB, best_path
from ocr.engines.hand import letter_shares
from ocr.page import Alternative, LayerInput, OutputLayer, Posteriors, ReadLine, Row

LEAST_LETTERS = 30
"""Letters that the sure lines of a sheet must have together: fewer say more of their words than of the
person. By hand."""

WORST = 1.0
"""Nats a letter, on the mean of the sure lines: where they are less likely than this, what passed is not read
well enough to learn from. By hand; on 46 sheets of writers for calibration 0.35 left out three sheets on
which three right lines more pass, and no wrong one."""

STEPS, RATE, MOMENTUM, PULL = 40, 0.01, 0.9, 0.02
"""As for a player's hand (`ocr.engines.hand`). Of 20, 40, 80 and 160 steps, twice the rate and five times the
pull none let more than one line more or less pass on those sheets."""

SURELY_BLANK = 0.99
"""Chance, 0..1, from which a frame that is blank teaches nothing: most frames are, and cost as much."""

LEAST_CHANCE = 1e-3
"""Chance, 0..1, that a letter has somewhere on the sure lines, to take part."""

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class SureLine:
    """A line of which it is certain what it states, letter by letter as its writer wrote it."""

    line: ReadLine
    text: str


@dataclass(frozen=True, slots=True, eq=False)
class _Lesson:
    """One opinion's view of a sure line. `frames`: what its network's last layer was given, all rows' end to
    end. `wanted`: for each frame the chance that it is of each letter, shape (frames, columns of the
    posteriors). `letters`: how many it has."""

    frames: Floats
    wanted: Floats
    letters: int


def learn(lines: Sequence[SureLine]) -> OutputLayer | None:
    """The layer that read the sheet, fitted to its sure lines; None if they are too few, or likely to say
    something else than is thought. A line whose frames were not kept teaches nothing."""
    opinions = [_opinions(line) for line in lines]
    flat = [opinion for of_line in opinions for opinion in of_line]
    if sum(len(of_line[0].columns) for of_line in opinions if of_line) < LEAST_LETTERS:
        return None
    layer, columns = flat[0].rows[0].layer, flat[0].rows[0].columns
    # Two engines with one player's hand hold two copies of its layer.
    if not all(
        row.columns == columns and (row.layer is layer or np.array_equal(row.layer.weights, layer.weights))
        for opinion in flat for row in opinion.rows
    ):
        return None
    losses, shares = letter_shares([opinion.log_probs for opinion in flat], [o.columns for o in flat])
    if not float(losses.sum()) <= WORST * sum(len(opinion.columns) for opinion in flat):
        return None
    lessons = [
        _Lesson(np.concatenate([row.frames for row in opinion.rows]), wanted[opinion.is_row],
                len(opinion.columns))
        for opinion, wanted in zip(flat, shares, strict=True)]
    return _moved(layer, columns, lessons)


def _moved(layer: OutputLayer, columns: tuple[int, ...], lessons: Sequence[_Lesson]) -> OutputLayer:
    """The layer, moved so that each frame of the lessons shows the letters wanted there."""
    frames = np.concatenate([lesson.frames for lesson in lessons])
    wanted = np.concatenate([lesson.wanted for lesson in lessons])
    letters, picked = sum(lesson.letters for lesson in lessons), np.array(columns)
    probs = np.exp(layer.log_probs(frames)[:, picked])
    is_taught = np.minimum(probs[:, 0], wanted[:, 0]) <= SURELY_BLANK
    frames, wanted, probs = frames[is_taught], wanted[is_taught], probs[is_taught]
    # Letters that show nowhere on these lines stay as they are.
    used = np.flatnonzero(np.maximum(probs, wanted).max(axis=0, initial=0.0) > LEAST_CHANCE)
    inputs = np.column_stack([frames, np.ones(len(frames), np.float32)])
    start = np.vstack([layer.weights, layer.bias])[:, picked[used]]
    goal, current, move = wanted[:, used], start.copy(), np.zeros_like(start)
    for _ in range(STEPS):
        chances = inputs @ current
        chances -= chances.max(axis=1, keepdims=True)
        np.exp(chances, out=chances)
        chances /= chances.sum(axis=1, keepdims=True)
        slope = inputs.T @ (chances - goal) / letters + 2 * PULL * (current - start)
        move = MOMENTUM * move - RATE * slope
        current = current + move
    weights, bias = layer.weights.copy(), layer.bias.copy()
    weights[:, picked[used]], bias[picked[used]] = current[:-1], current[-1]
    return OutputLayer(weights, bias)


@dataclass(frozen=True, slots=True, eq=False)
class _Opinion:
    """A sure line by one engine. `rows`: what its network's last layer was given, row by row. `log_probs`: of
    the line; `is_row`: which of its frames are of a row. `columns`: of the letters it states."""

    rows: tuple[LayerInput, ...]
    log_probs: Floats
    is_row: npt.NDArray[np.bool_]
    columns: tuple[int, ...]


def _opinions(sure: SureLine) -> list[_Opinion]:
    """A sure line by each engine; none if what the network made of a row was not kept."""
    rows = sure.line.rows
    firsts = [row.posteriors for row in rows]
    others = [
        next((other.posteriors for other in row.alternatives if other.posteriors), None) for row in rows
    ]
    wholes = [(line_posteriors(sure.line), firsts)]
    if any(others):
        seconds = [other or first for first, other in zip(firsts, others, strict=True)]
        wholes.append((second_opinion_posteriors(sure.line), seconds))
    opinions = [_opinion(whole, parts, sure.text) for whole, parts in wholes]
    return [opinion for opinion in opinions if opinion is not None]


def _opinion(whole: Posteriors | None, parts: Sequence[Posteriors | None], text: str) -> _Opinion | None:
    sources = [part.source for part in parts if part is not None and part.source is not None]
    if whole is None or len(sources) < len(parts):
        return None
    columns = tuple(whole.letters.index(letter) + 1 for letter in text if letter in whole.letters)
    # Between rows is one frame of no row, see `line_posteriors`.
    is_row = np.ones(len(whole.log_probs), np.bool_)
    is_row[np.cumsum([len(source.frames) + 1 for source in sources])[:-1] - 1] = False
    return _Opinion(tuple(sources), whole.log_probs, is_row, columns) if columns else None


def row_by(row: Row, layer: OutputLayer) -> Row:
    """A row as another layer reads it; as it is if what the network made of it was not kept."""
    first = _posteriors_by(row.posteriors, layer)
    if first is None:
        return row
    read, others = best_path(first), [_alternative_by(other, layer) for other in row.alternatives]
    return replace(
        row, text=read.text or row.text, score=round(read.score, 4), posteriors=first,
        alternatives=tuple(sorted(others, key=lambda other: -other.score)),
        inserted=tuple(row_by(word, layer) for word in row.inserted),
    )


def _alternative_by(other: Alternative, layer: OutputLayer) -> Alternative:
    posteriors = _posteriors_by(other.posteriors, layer)
    if posteriors is None:
        return other
    read = best_path(posteriors)
    return replace(other, text=read.text, score=round(read.score, 4), posteriors=posteriors)


def _posteriors_by(posteriors: Posteriors | None, layer: OutputLayer) -> Posteriors | None:
    if posteriors is None or posteriors.source is None:
        return None
    source = posteriors.source
    log_probs = layer.log_probs(source.frames)[:, np.array(source.columns)]
    least = np.float32(np.log(LEAST_PROB))
    return Posteriors(np.maximum(log_probs, least), posteriors.letters, replace(source, layer=layer))
