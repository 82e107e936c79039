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
"""Nats: stands for log 0. Finite, so that differences stay numbers."""

UNKNOWN_LETTER = -12.0
"""Nats a frame, -25..-5: the score of a letter that the network does not have. By hand; no measurement on
record."""

# Recognisers drop about every tenth space, which would be -2.3.
LOST_SPACE = -1.5
"""Nats, -5..0: the score of a space in the text that the ink does not show. By hand, more lenient than
counted."""


_RESCALED = 4
"""Frames after which chances are scaled up again: no four take a float64 to 0, whose least is e^-708."""


@dataclass(frozen=True, slots=True)
class WeighedText:
    """A proposed text compared with the ink.

    `chance`: 0..1, its share of the probability of all texts compared with it; not calibrated, and blind to
    what was not proposed. `cost`: how much worse it fits than the best free path, in nats a frame; mostly
    below 0.2 on handwriting that was read correctly.
    """

    text: str
    chance: float
    cost: float


def weigh_texts(line: ReadLine, texts: Sequence[str]) -> tuple[WeighedText, ...]:
    """Proposed texts of a line, the best fit first; empty for a line without posteriors."""
    posteriors = line_posteriors(line)
    if posteriors is None or not texts:
        return ()
    scores = np.array(text_scores(posteriors, texts))
    shares = np.exp(scores - np.logaddexp.reduce(scores))
    ceiling, frames = best_path_score(posteriors), len(posteriors.log_probs)
    weighed = [
        WeighedText(text, round(float(share), 4), round((ceiling - float(score)) / frames, 4))
        for text, share, score in zip(texts, shares, scores, strict=True)
    ]
    return tuple(sorted(weighed, key=lambda entry: entry.cost))


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
    """The posteriors of a line by each look at its rows; empty if a row's ink was not kept."""
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
    longest = max(len(text) for text in texts)
    labels = np.stack([_labels(posteriors, text, longest, either_case=either_case) for text in texts])
    skips = np.stack([_skips(text, longest) for text in texts])
    return forward_scores(posteriors.log_probs[:, 0], labels, skips, [len(text) for text in texts])


def _labels(posteriors: Posteriors, text: str, longest: int, *, either_case: bool) -> npt.NDArray[np.float32]:
    """Log probability of the text's letters by frame: float32, shape (longest, frames), padded with NEVER."""
    out = np.full((longest, len(posteriors.log_probs)), NEVER, np.float32)
    for k, letter in enumerate(text):
        forms = {letter, letter.swapcase()} if either_case else {letter}
        columns = [posteriors.letters.find(form) + 1 for form in forms if len(form) == 1]
        scores = [posteriors.log_probs[:, column] for column in columns if column]
        out[k] = np.logaddexp.reduce(scores) if scores else UNKNOWN_LETTER
    return out


def _skips(text: str, longest: int) -> npt.NDArray[np.float64]:
    """Score of coming to each letter straight from the one before (row 0) or over a space (row 1): shape (2,
    longest)."""
    out = np.full((2, longest), NEVER)
    for k in range(1, len(text)):
        # CTC needs a blank between two equal letters.
        if text[k].casefold() != text[k - 1].casefold():
            out[0, k] = 0.0
        if text[k - 1] == " " and k > 1:
            out[1, k] = LOST_SPACE
    return out


def forward_scores(
    blank: npt.NDArray[np.floating[Any]],
    labels: npt.NDArray[np.floating[Any]],
    skips: npt.NDArray[np.float64],
    lengths: Sequence[int],
) -> tuple[float, ...]:
    """The forward algorithm (Graves 2006, section 4.1) for all texts at once: the log probability of each.

    `blank`: shape (frames,), log probability of the blank. `labels`: shape (texts, letters, frames), log
    probability of each letter. `skips`: shape (texts, 2, letters), see `_skips`. `lengths`: letters of each
    text.
    """
    count, longest, frames = labels.shape
    last = np.asarray(lengths, dtype=np.int64)
    # In plain numbers, divided by each text's greatest every few frames: the same as sums of logarithms to
    # 1e-12 nats, in a quarter of the time.
    blank_chance = np.exp(np.asarray(blank, dtype=np.float64))
    chances = np.exp(np.moveaxis(labels, 2, 0).astype(np.float64))
    from_letter, over_space = np.exp(skips[:, 0, 1:]), np.exp(skips[:, 1, 2:])
    # gap[:, k] is the chance of being in the blank before letter k, on[:, k] of being on letter k.
    gap, on = np.zeros((count, longest + 1)), np.zeros((count, longest))
    gap[:, 0] = blank_chance[0]
    if longest:
        on[:, 0] = chances[0, :, 0]
    scale = np.zeros(count)
    with np.errstate(divide="ignore", invalid="ignore"):
        for frame in range(1, frames):
            into = on + gap[:, :-1]
            into[:, 1:] += on[:, :-1] * from_letter
            # Over a space: from the letter before it or the blank between them.
            into[:, 2:] += (on[:, :-2] + gap[:, 1:-2]) * over_space
            gap[:, 1:] += on
            gap *= blank_chance[frame]
            on = into * chances[frame]
            if frame % _RESCALED == 0:
                most = np.maximum(gap.max(axis=1), on.max(axis=1, initial=0.0))
                most[most <= 0.0] = 1.0
                gap /= most[:, None]
                on /= most[:, None]
                scale += np.log(most)
        texts = np.arange(count)
        on_last = np.where(last > 0, on[texts, np.maximum(last, 1) - 1] if longest else 0.0, 0.0)
        scores = np.log(gap[texts, last] + on_last) + scale
    return tuple(max(float(score), NEVER) for score in scores)
