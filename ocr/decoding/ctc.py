"""How well a text fits the ink: CTC likelihoods over a row's posteriors.

The grammar proposes whole lines; this says which of them the recogniser saw. It knows letters only, so what
is asked of it decides nothing about the board.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ocr.page import Posteriors, ReadLine

NEVER = -1e9
"""Stands for the logarithm of nought; finite, so that differences stay numbers."""

UNKNOWN_LETTER = -12.0
"""Each frame's price for a letter the network has not got, in natural logarithms."""

LOST_SPACE = -1.5
"""Price of a space of the text that the ink does not show; recognisers drop every tenth or so."""


@dataclass(frozen=True, slots=True)
class WeighedText:
    """A proposed text against the ink.

    `chance`: 0..1, its share among the texts that were weighed together; not calibrated, and blind to what
    was not proposed. `cost`: how much worse it fits than free reading, in nats a frame; on handwriting that
    was read rightly mostly below 0.2.
    """

    text: str
    chance: float
    cost: float


def weigh_texts(line: ReadLine, texts: Sequence[str]) -> tuple[WeighedText, ...]:
    """Proposed texts of a line, the one that fits the ink best first; empty for a line without posteriors."""
    seen = line_posteriors(line)
    if seen is None or not texts:
        return ()
    scores = np.array(text_scores(seen, texts))
    shares = np.exp(scores - np.logaddexp.reduce(scores))
    ceiling, frames = best_path_score(seen), len(seen.log_probs)
    found = [
        WeighedText(text, round(float(share), 4), round((ceiling - float(score)) / frames, 4))
        for text, share, score in zip(texts, shares, scores, strict=True)
    ]
    return tuple(sorted(found, key=lambda weighed: weighed.cost))


def line_posteriors(line: ReadLine) -> Posteriors | None:
    """The posteriors of a line's rows end to end; None where an engine without them read a row."""
    return _end_to_end([row.posteriors for row in line.rows])


def second_opinion_posteriors(line: ReadLine) -> Posteriors | None:
    """The same by a second opinion, the first engine's for rows that have none; None where no row has one."""
    others = [next((a.posteriors for a in row.alternatives if a.posteriors), None) for row in line.rows]
    if not any(others):
        return None
    return _end_to_end([other or row.posteriors for other, row in zip(others, line.rows, strict=True)])


def _end_to_end(parts: Sequence[Posteriors | None]) -> Posteriors | None:
    """Rows' posteriors as one. Between rows stands one frame that is blank or space with equal chance, for
    the sender's line break."""
    letters = parts[0].letters if parts and parts[0] else ""
    if not letters or any(part is None or part.letters != letters for part in parts):
        return None
    between = np.full((1, len(letters) + 1), NEVER, np.float32)
    between[0, [0, letters.index(" ") + 1]] = np.log(0.5)
    stack: list[npt.NDArray[np.float32]] = []
    for part in parts:
        if part is not None:
            stack += [between, part.log_probs] if stack else [part.log_probs]
    return Posteriors(np.concatenate(stack), letters)


def best_path_score(posteriors: Posteriors) -> float:
    """Log chance of the likeliest path, bound by nothing: the ceiling for any text, nearly."""
    return float(posteriors.log_probs.max(axis=1).sum())


def text_scores(
    posteriors: Posteriors, texts: Sequence[str], *, either_case: bool = True
) -> tuple[float, ...]:
    """Log chance of each text, summed over every way to lay it along the frames.

    The better text has the greater score; (free_score - score) / frames is what the text costs a frame. With
    `either_case` a letter counts in whichever case it was seen. A space may be missing in the ink, at a
    price. An empty text asks for blank ink. Cost: a millisecond or so a text.
    """
    if not texts:
        return ()
    longest = max(len(text) for text in texts)
    labels = np.stack([_labels(posteriors, text, longest, either_case=either_case) for text in texts])
    skips = np.stack([_skips(text, longest) for text in texts])
    return forward_scores(posteriors.log_probs[:, 0], labels, skips, [len(text) for text in texts])


def _labels(posteriors: Posteriors, text: str, longest: int, *, either_case: bool) -> npt.NDArray[np.float32]:
    """Letters x frames: the log chance of the text's k-th letter at each frame, padded with NEVER."""
    out = np.full((longest, len(posteriors.log_probs)), NEVER, np.float32)
    for k, letter in enumerate(text):
        forms = {letter, letter.swapcase()} if either_case else {letter}
        columns = [posteriors.letters.find(form) + 1 for form in forms if len(form) == 1]
        known = [column for column in columns if column]
        seen = [posteriors.log_probs[:, column] for column in known]
        out[k] = np.logaddexp.reduce(seen) if seen else UNKNOWN_LETTER
    return out


def _skips(text: str, longest: int) -> npt.NDArray[np.float64]:
    """For each letter: the price of coming to it straight from the one before (row 0) or over a space (1)."""
    out = np.full((2, longest), NEVER)
    for k in range(1, len(text)):
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
    """The forward algorithm (Graves 2006, 4.1), all texts at once: the log chance of each.

    `blank`: its log chance by frame. `labels`: texts x letters x frames, the log chance of each letter.
    `skips`: texts x 2 x letters, the price of coming to a letter straight from the one before (0) and over a
    space before it (1). `gap[:, k]` holds the chance of being in the blank before letter k, `on[:, k]` on
    letter k.
    """
    count, longest, frames = labels.shape
    gap = np.full((count, longest + 1), NEVER)
    on = np.full((count, longest), NEVER)
    gap[:, 0] = blank[0]
    if longest:
        on[:, 0] = labels[:, 0, 0]
    for frame in range(1, frames):
        come = np.logaddexp(on, gap[:, :-1])
        come[:, 1:] = np.logaddexp(come[:, 1:], on[:, :-1] + skips[:, 0, 1:])
        # Over a space: from the letter before it or the blank between them.
        over = np.logaddexp(on[:, :-2], gap[:, 1:-2]) + skips[:, 1, 2:]
        come[:, 2:] = np.logaddexp(come[:, 2:], over)
        gap[:, 1:] = np.logaddexp(gap[:, 1:], on)
        gap += blank[frame]
        on = np.maximum(come + labels[:, :, frame], NEVER)
        gap = np.maximum(gap, NEVER)
    ends = np.arange(count), np.asarray(lengths)
    last = [on[k, length - 1] if length else NEVER for k, length in enumerate(lengths)]
    return tuple(float(score) for score in np.logaddexp(gap[ends], last))
