"""How decoded texts lie on the ink: their chances, and the best one frame by frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ocr.decoding.ctc import NEVER, forward_scores
from ocr.decoding.decoder import Decoder, Text, best_path_sums
from ocr.decoding.transitions import Floats, Numbers
from ocr.page import Posteriors

Ways: TypeAlias = npt.NDArray[np.int8]
Starts: TypeAlias = npt.NDArray[np.bool_]

STRETCH = 8
"""Frames of the stretch that is looked for where a text fits worst: two or three letters."""


@dataclass(frozen=True, slots=True)
class WordFit:
    """How one word of a text lies on the ink. `lost`: nats by which it fits worse than free reading there,
    `beside`: nats lost on the ink between it and its neighbours. `shown`: letters that free reading shows
    from the one neighbour to the other; `letters`: those of the word."""

    loss: float
    loss_beside: float
    letters_shown: int
    letters: int



MORE = 2
"""Letters by which a word that no list has may be longer than the name it is read as."""


def word_misfit(words: Sequence[WordFit]) -> float:
    """Nats lost a letter on words that stand together: much for a name that is rather another, one that no
    list has. What is lost beside them counts too where letters are seen there that they do not have:
    "Atlantis" holds all of "Hants" but its first."""
    shown, letters = sum(word.letters_shown for word in words), sum(word.letters for word in words)
    beside = max((word.loss_beside for word in words), default=0.0) if shown >= letters + MORE else 0.0
    return (sum(word.loss for word in words) + beside) / (1 + max(1, min(shown, letters)))


@dataclass(frozen=True, slots=True)
class Alignment:
    """How one text lies on the ink.

    `text`: what was written, in the ink's own case, signs and spaces. `cost`: nats a frame by which it fits
    worse than free reading. `worst`: nats lost in the worst stretch of STRETCH frames. `haze`: nats a frame
    by which the recogniser's own best letter falls short of certainty. `words`: the same word by word.
    """

    text: str
    cost: float
    worst: float
    haze: float
    words: tuple[WordFit, ...] = ()


def score_texts(decoder: Decoder, posteriors: Posteriors, texts: Sequence[Text]) -> tuple[float, ...]:
    """Log chance of each text, summed over all ways to lay it along the frames, less its price."""
    if not texts or not len(posteriors.log_probs):
        return ()
    ink = decoder.sign_scores(posteriors)
    lengths = [len(text.symbols) for text in texts]
    labels = np.full((len(texts), max(lengths), len(ink)), NEVER)
    skips = np.full((len(texts), 2, max(lengths)), NEVER)
    for n, text in enumerate(texts):
        columns, prices = decoder.letter_columns(text.symbols)
        labels[n, : lengths[n]] = ink[:, columns].T
        skips[n, :, : lengths[n]] = prices
    found = forward_scores(ink[:, 0], labels, skips, lengths)
    return tuple(score - text.price for score, text in zip(found, texts, strict=True))


def best_free_path(decoder: Decoder, posteriors: Posteriors) -> tuple[float, int]:
    """The log chance of the likeliest path, bound by nothing, and how many letters it shows. There are
    frames."""
    chance, letters = best_path_sums(decoder.sign_scores(posteriors))
    return float(chance[-1]), int(letters[-1])


def align(decoder: Decoder, posteriors: Posteriors, text: Text) -> Alignment:
    """Lay a text along the frames as well as it goes. The text is not empty, and neither are the frames."""
    ink = decoder.sign_scores(posteriors)
    columns, skips = decoder.letter_columns(text.symbols)
    path = _best_path(ink, columns, skips)
    shown = np.where(path >= 0, columns[np.maximum(path, 0)], 0)
    lost = ink.max(axis=1) - ink[np.arange(len(ink)), shown]
    window = np.convolve(lost, np.ones(min(STRETCH, len(lost))), mode="valid")
    return Alignment(
        text=_as_inked(decoder, posteriors, text, path), cost=float(lost.mean()), worst=float(window.max()),
        haze=float(-ink.max(axis=1).mean()),
        words=_words(decoder, text, path, lost, letter_begins(decoder, ink)),
    )


def letter_begins(decoder: Decoder, ink: Floats) -> Starts:
    """By frame: does free reading begin a letter there? A space is none."""
    best = ink.argmax(axis=1)
    begun: Starts = (
        (best != 0) & (best != decoder.space_column) & np.concatenate(([True], best[1:] != best[:-1]))
    )
    return begun


def _words(decoder: Decoder, text: Text, path: Numbers, lost: Floats, shown: Starts) -> tuple[WordFit, ...]:
    """Each word of a text that the path lays on some frame."""
    spans: list[tuple[int, int, int]] = []
    for first, end in _bounds([decoder.symbol_text(symbol) == " " for symbol in text.symbols]):
        on = np.flatnonzero((path >= first) & (path < end))
        letters = sum(decoder.symbol_text(symbol)[-1].isalnum() for symbol in text.symbols[first:end])
        if len(on):
            spans.append((int(on[0]), int(on[-1]) + 1, letters))
    before = [0, *(end for _, end, _ in spans)]
    after = [*(start for start, _, _ in spans[1:]), len(path)]
    return tuple(
        WordFit(
            loss=float(lost[start:end].sum()),
            loss_beside=float(lost[low:start].sum() + lost[end:high].sum()),
            letters_shown=int(shown[low:high].sum()),
            letters=letters,
        )
        for (start, end, letters), low, high in zip(spans, before, after, strict=False)
    )


def _bounds(blank: Sequence[bool]) -> list[tuple[int, int]]:
    """Where the runs of what is not blank begin and end."""
    edges = [
        at for at, (one, other) in enumerate(zip([True, *blank], [*blank, True], strict=True)) if one != other
    ]
    return list(zip(edges[::2], edges[1::2], strict=True))


def _best_path(ink: Floats, columns: Numbers, skips: Floats) -> Numbers:
    """For each frame the number of the letter that lies on it, -1 for blank (Viterbi)."""
    frames, size = len(ink), len(columns)
    # From where a letter's frame was come to: the letter itself, the blank before it, the letter before,
    # and, over a space, the letter before that or the blank after it.
    from_on, from_gap = np.zeros((frames, size), np.int8), np.zeros((frames, size + 1), np.int8)
    on, gap = np.full(size, NEVER), np.full(size + 1, NEVER)
    gap[0], on[0] = ink[0, 0], ink[0, columns[0]]
    for frame in range(1, frames):
        ways = np.full((5, size), NEVER)
        ways[0], ways[1] = on, gap[:-1]
        ways[2, 1:] = on[:-1] + skips[0, 1:]
        ways[3, 2:] = on[:-2] + skips[1, 2:]
        ways[4, 2:] = gap[1:-2] + skips[1, 2:]
        from_on[frame] = ways.argmax(axis=0)
        stay = np.append(NEVER, on)
        from_gap[frame] = stay > gap
        gap = np.maximum(gap, stay) + ink[frame, 0]
        on = ways.max(axis=0) + ink[frame, columns]
    return _walk_back(from_on, from_gap, in_gap=bool(gap[size] > on[size - 1]))


def _walk_back(from_on: Ways, from_gap: Ways, *, in_gap: bool) -> Numbers:
    frames, size = from_on.shape
    path = np.full(frames, -1)
    at = size if in_gap else size - 1
    for frame in range(frames - 1, -1, -1):
        if in_gap:
            if from_gap[frame, at]:
                in_gap, at = False, at - 1
            continue
        path[frame] = at
        way = int(from_on[frame, at])
        if way in {1, 4}:
            in_gap, at = True, at if way == 1 else at - 1
        elif way in {2, 3}:
            at -= way - 1
    return path


def _as_inked(decoder: Decoder, posteriors: Posteriors, text: Text, path: Numbers) -> str:
    """The text with each letter in the form that the ink shows, and the ticks that count as nothing; spaces
    only between words, and beside signs where the ink shows them."""
    out: list[str] = []
    seen = 0
    for n, symbol in enumerate(text.symbols):
        frames = np.flatnonzero(path == n)
        written = decoder.symbol_text(symbol)
        if len(frames):
            out.append(_ticks(decoder, posteriors, seen, int(frames[0])))
            seen = int(frames[-1]) + 1
        if written == " ":
            after = decoder.symbol_text(text.symbols[n + 1]) if n + 1 < len(text.symbols) else ""
            if not len(frames) and not (text.text[n - 1 : n].isalnum() and after[-1:].isalnum()):
                continue
        elif len(frames) and len(written) == 1:
            forms = decoder.symbol_columns(posteriors.letters, symbol)
            if len(forms):
                best = int(posteriors.log_probs[frames][:, forms].max(axis=0).argmax())
                written = posteriors.letters[int(forms[best]) - 1]
        out.append(written)
    return "".join(out)


def _ticks(decoder: Decoder, posteriors: Posteriors, first: int, end: int) -> str:
    """A tick that the ink shows between two letters, on the frames [first, end)."""
    passed = decoder.ignored_columns(posteriors.letters)
    if end <= first or len(passed) < 2:
        return ""
    part = posteriors.log_probs[first:end][:, passed]
    best = np.unravel_index(int(part[:, 1:].argmax()), part[:, 1:].shape)
    return (
        posteriors.letters[int(passed[1 + best[1]]) - 1]
        if part[best[0], 1 + best[1]] > part[best[0], 0]
        else ""
    )
