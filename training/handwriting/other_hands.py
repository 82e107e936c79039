"""Hands that no one had: a person's letters filled up with another's or with an A and F of our own
drawing, and all of them bent a little, so that a recogniser sees more hands than were recorded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from training.handwriting import unit_letters
from training.handwriting.ink_writers import LETTER_X_HEIGHT, InkWriter
from training.handwriting.pen_strokes import Stroke

# Of rows: those in which half of the letters are another person's though the first has them too; those bent.
_MIXED, _BENT = 0.25, 0.75
# Of rows with an A or an F: those in which it is one of our own forms. 44 people wrote these letters singly,
# most of them one form of each, and all that distinguishes an army from a fleet may hang on it.
_DRAWN = 0.3
# Height of such a letter where the person has none of his own, in heights of small letters.
_CAPITAL = 1.6
# How loosely it is drawn, 0..1.
_LOOSE = (0.1, 0.9)
# How far hands are bent: the spread of the logarithm of width and of what is above and below the small
# letters, of the lean, and of a grid's points in heights of small letters.
_WIDTH, _REACH, _LEAN, _GRID = 0.10, 0.15, 0.07, 0.06


def other_hand(
    writer: InkWriter, others: Sequence[InkWriter], text: str, signs: frozenset[str], rng: np.random.Generator
) -> InkWriter | None:
    """A hand that can write `text` with what anybody makes of `signs`; None where a letter is no one's.

    Letters that `writer` has not are one other person's as far as that one has them."""
    wanted = sorted(set(text) - {" "})
    mixed = rng.random() < _MIXED
    letters: dict[str, tuple[tuple[Stroke, ...], ...]] = {}
    for letter in wanted:
        samples = writer.samples(letter)
        if samples and not (mixed and rng.random() < 0.5):
            letters[letter] = samples
    missing = [letter for letter in wanted
               if letter not in letters and (letter not in signs or writer.samples(letter))]
    for index in rng.permutation(len(others)):
        if not missing:
            break
        donor = others[int(index)]
        letters |= {letter: donor.samples(letter) for letter in missing if donor.samples(letter)}
        missing = [letter for letter in missing if letter not in letters]
    if missing:
        return None
    hand = replace(writer, letters=letters | _drawn(letters, rng))
    return bent(hand, rng) if rng.random() < _BENT else hand


def _drawn(
    letters: Mapping[str, tuple[tuple[Stroke, ...], ...]], rng: np.random.Generator
) -> dict[str, tuple[tuple[Stroke, ...], ...]]:
    """The unit letters among `letters` that this hand makes as we draw them, in one form and two samples."""
    drawn: dict[str, tuple[tuple[Stroke, ...], ...]] = {}
    for letter in sorted(unit_letters.FORMS.keys() & letters.keys()):
        if rng.random() >= _DRAWN:
            continue
        forms = list(unit_letters.FORMS[letter])
        form = forms[int(rng.integers(len(forms)))]
        points = np.concatenate(letters[letter][0]) if letters[letter] else np.zeros((1, 2))
        height = max(float(-points[:, 1].min()), 0.8 * _CAPITAL * LETTER_X_HEIGHT)
        drawn[letter] = tuple(
            unit_letters.strokes(letter, form, height, float(rng.uniform(*_LOOSE)), rng) for _ in range(2)
        )
    return drawn


def bent(writer: InkWriter, rng: np.random.Generator) -> InkWriter:
    """The same letters of a hand that is wider or narrower, leans and reaches otherwise, and shapes each
    letter a little differently, the same way each time."""
    width, above, below = np.exp(rng.normal(0, (_WIDTH, _REACH, _REACH)))
    lean = float(rng.normal(0, _LEAN))
    letters: Mapping[str, tuple[tuple[Stroke, ...], ...]] = {
        letter: tuple(tuple(_shaped(sample, (width, above, below), lean, rng)) for sample in samples)
        for letter, samples in writer.letters.items()
    }
    return replace(writer, letters=letters)


def _shaped(
    sample: Sequence[Stroke], scales: tuple[float, float, float], lean: float, rng: np.random.Generator
) -> list[Stroke]:
    width, above, below = scales
    points = np.concatenate(sample)
    low, size = points.min(axis=0), np.maximum(np.ptp(points, axis=0), 0.3 * LETTER_X_HEIGHT)
    grid = rng.normal(0, _GRID * LETTER_X_HEIGHT, (3, 3, 2))
    strokes = []
    for stroke in sample:
        # In cells of the grid, whose nine points are moved.
        places = np.clip((stroke - low) / size, 0, 1) * 2
        cell = np.minimum(places.astype(int), 1)
        part = places - cell
        (i, j), (u, v) = cell.T, part.T[..., None]
        moved = stroke + ((1 - u) * (1 - v) * grid[i, j] + u * (1 - v) * grid[i + 1, j]
                          + (1 - u) * v * grid[i, j + 1] + u * v * grid[i + 1, j + 1])
        x, y = moved.T
        top = -LETTER_X_HEIGHT
        y = np.where(y < top, top + (y - top) * above, np.where(y > 0, y * below, y))
        strokes.append(np.stack([x * width - lean * y, y], axis=1))
    return strokes
