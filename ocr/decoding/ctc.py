"""CTC likelihoods of whole texts over a row's posteriors, and posteriors of lines from those of their
rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ocr.page import Posteriors, ReadLine

NEVER = -1e9
"""Nats: represents log 0. Finite, so that differences stay numbers."""

UNKNOWN_LETTER = -12.0
"""Nats a frame, -25..-5: the score of a letter that the network does not have. By hand; no measurement on
record."""

# Recognisers drop about every tenth space, which would be -2.3.
LOST_SPACE = -1.5
"""Nats, -5..0: the score of a space in the text that the ink does not show. By hand, more lenient than
counted."""


_RESCALED = 4
"""Frames after which chances are scaled up again: no four take a float64 to 0, whose least is e^-708."""


def line_posteriors(line: ReadLine) -> Posteriors | None:
    """The posteriors of a line's rows end to end; None if an engine without posteriors read a row."""
    return _end_to_end([row.posteriors for row in line.rows])


def second_opinion_posteriors(line: ReadLine) -> Posteriors | None:
    """The same from the second opinion, and from the first for rows without one; None if no row has one."""
    others = [next((a.posteriors for a in row.alternatives if a.posteriors), None) for row in line.rows]
    if not any(others):
        return None
    return _end_to_end([other or row.posteriors for other, row in zip(others, line.rows, strict=True)])


def look_posteriors(line: ReadLine) -> tuple[Posteriors, ...]:
    """The posteriors of a line by each look at its rows; empty if a row's ink was not stored."""
    by_row = [() if row.looks is None else row.looks.posteriors() for row in line.rows]
    wholes = [_end_to_end(parts) for parts in zip(*by_row, strict=False)] if by_row else []
    return tuple(whole for whole in wholes if whole is not None)


def _end_to_end(parts: Sequence[Posteriors | None]) -> Posteriors | None:
    """The posteriors of several rows as one; None if one is missing or has other letters."""
    letters = parts[0].letters if parts and parts[0] else ""
    if not letters or any(part is None or part.letters != letters for part in parts):
        return None
    # Between rows one frame that is blank or space with equal probability: the sender broke a line, or a
    # word.
    between = np.full((1, len(letters) + 1), NEVER, np.float32)
    between[0, [0, letters.index(" ") + 1]] = np.log(0.5)
    stack: list[npt.NDArray[np.float32]] = []
    for part in parts:
        if part is not None:
            stack += [between, part.log_probs] if stack else [part.log_probs]
    return Posteriors(np.concatenate(stack), letters)


@dataclass(frozen=True, slots=True)
class FreeWord:
    """A word or a sign of free reading, and its frames; `end` is the first after it."""

    text: str
    begin: int
    end: int


def free_words(posteriors: Posteriors) -> list[FreeWord]:
    """The words and signs of the likeliest path of any letters, with their frames. A frame shows where a
    letter is, and not how far its ink goes."""
    words: list[FreeWord] = []
    last, is_open = 0, False
    for frame, symbol in enumerate(posteriors.log_probs.argmax(axis=1).tolist()):
        letter = posteriors.letters[symbol - 1] if symbol and symbol != last else ""
        last = symbol
        if letter.isspace():
            is_open = False
        elif letter and is_open and letter.isalnum() and words[-1].text.isalnum():
            words[-1] = FreeWord(words[-1].text + letter, words[-1].begin, frame + 1)
        elif letter:
            words.append(FreeWord(letter, frame, frame + 1))
            is_open = True
    return words


def best_path_score(posteriors: Posteriors) -> float:
    """Log probability of the likeliest path of any letters: nearly the ceiling for any text."""
    return float(posteriors.log_probs.max(axis=1).sum())


def text_scores(
    posteriors: Posteriors, texts: Sequence[str], *, either_case: bool = True
) -> tuple[float, ...]:
    """Log probability of each text in nats, summed over every way to align it with the frames.

    (best_path_score - score) / frames is what the text costs a frame. With `either_case` a letter counts in
    whichever case it was seen. A space may be missing in the ink, at LOST_SPACE. An empty text requires blank
    ink. About a millisecond a text.
    """
    if not texts:
        return ()
    letters = sorted(set("".join(texts)))
    labels = [_label(posteriors, letter, either_case=either_case) for letter in letters]
    ink = np.column_stack([posteriors.log_probs[:, 0], *labels])
    column = {letter: number for number, letter in enumerate(letters, 1)}
    columns = [np.array([column[letter] for letter in text], dtype=np.int64) for text in texts]
    return forward_scores(ink, columns, [_skips(text) for text in texts])


def _label(posteriors: Posteriors, letter: str, *, either_case: bool) -> npt.NDArray[np.float32]:
    """Log probability of a letter by frame: float32, shape (frames,)."""
    forms = {letter, letter.swapcase()} if either_case else {letter}
    columns = [posteriors.letters.find(form) + 1 for form in forms if len(form) == 1]
    scores = [posteriors.log_probs[:, column] for column in columns if column]
    if not scores:
        return np.full(len(posteriors.log_probs), UNKNOWN_LETTER, np.float32)
    return np.asarray(np.logaddexp.reduce(scores), np.float32)


def _skips(text: str) -> npt.NDArray[np.float64]:
    """Score of coming to each letter straight from the one before (row 0) or over a space (row 1): shape (2,
    letters)."""
    out = np.full((2, len(text)), NEVER)
    for k in range(1, len(text)):
        # CTC needs a blank between two equal letters.
        if text[k].casefold() != text[k - 1].casefold():
            out[0, k] = 0.0
        if text[k - 1] == " " and k > 1:
            out[1, k] = LOST_SPACE
    return out


def forward_scores(
    ink: npt.NDArray[np.floating[Any]],
    columns: Sequence[npt.NDArray[np.int64]],
    skips: Sequence[npt.NDArray[np.float64]],
) -> tuple[float, ...]:
    """The forward algorithm (Graves 2006, section 4.1) for all texts at once: the log probability of each.

    `ink`: shape (frames, columns), log probabilities, the blank's first. `columns`: by text the column of
    each letter, from 1 on. `skips`: by text shape (2, letters), see `_skips`.
    """
    # Texts are end to end, each with a place for the blank after its last letter, where no letter is.
    lengths = np.array([len(text) for text in columns], dtype=np.int64)
    ends = np.cumsum(lengths + 1)
    starts, size = ends - lengths - 1, int(ends[-1])
    is_letter = np.ones(size, np.bool_)
    is_letter[ends - 1] = False
    column = np.full(size, ink.shape[1])
    column[is_letter] = np.concatenate(columns)
    from_letter, over_space = np.zeros(size), np.zeros(size)
    with np.errstate(divide="ignore", invalid="ignore"):
        from_letter[is_letter], over_space[is_letter] = np.exp(np.concatenate(skips, axis=1))
        # In plain numbers, divided by each text's greatest every few frames: the same as sums of logarithms
        # to 1e-12 nats, in a quarter of the time.
        chances = np.column_stack([np.exp(ink.astype(np.float64)), np.zeros(len(ink))])
        # gap[k] is the chance of being in the blank before place k, on[k] of being on its letter.
        gap, on, letter, moved = np.zeros(size), np.zeros(size), np.zeros(size), np.zeros(size - 1)
        gap[starts], on[starts] = chances[0, 0], chances[0, column[starts]]
        # Few places come after a space, so these are reached one by one.
        spaced = np.flatnonzero(over_space)
        before_space, at_space, lost = spaced - 2, spaced - 1, over_space[spaced]
        scale = np.zeros(len(columns))
        for frame in range(1, len(ink)):
            into = on + gap
            np.multiply(on[:-1], from_letter[1:], out=moved)
            into[1:] += moved
            # Over a space: from the letter before it or the blank between them.
            into[spaced] += (on.take(before_space) + gap.take(at_space)) * lost
            gap[1:] += on[:-1]
            gap *= chances[frame, 0]
            np.take(chances[frame], column, out=letter, mode="clip")
            np.multiply(into, letter, out=on)
            if frame % _RESCALED == 0:
                most = np.maximum(np.maximum.reduceat(gap, starts), np.maximum.reduceat(on, starts))
                most[most <= 0.0] = 1.0
                by_place = np.repeat(most, lengths + 1)
                gap /= by_place
                on /= by_place
                scale += np.log(most)
        on_last = np.where(lengths > 0, on[np.maximum(ends - 2, 0)], 0.0)
        scores = np.log(gap[ends - 1] + on_last) + scale
    return tuple(max(float(score), NEVER) for score in scores)
