"""How decoded texts lie on the ink: their log chances, and the best alignment frame by frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ocr.decoding.ctc import NEVER, forward_scores
from ocr.decoding.decoder import Decoder, Text, best_path_sums
from ocr.decoding.transitions import Floats, Numbers
from ocr.page import Posteriors

Origins: TypeAlias = npt.NDArray[np.int8]
Starts: TypeAlias = npt.NDArray[np.bool_]

STRETCH = 8
"""Frames of the stretch in which a text fits worst: two or three letters. By hand."""

MOST_LOST = 14.0
"""Nats a frame, the most that a letter counts which the recogniser is sure is another: odds of a million to
one. By hand."""

EXTRA_LETTERS = 2
"""Letters that free reading must show beyond a word's own for the ink next to it to count. By hand."""


@dataclass(frozen=True, slots=True)
class WordFit:
    """How one word of a text lies on the ink.

    `loss`: nats, 0 or more, by which it fits worse than free reading. `loss_beside`: the same on the ink
    between it and its neighbours. `letters_shown`: letters that free reading shows from the one neighbour to
    the other. `letters`: letters of the word. `start`, `end`: its frames, `end` being the first after it.
    """

    loss: float
    loss_beside: float
    letters_shown: int
    letters: int
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class ShownLetter:
    """A letter or other sign of free reading, and the frame where it begins."""

    frame: int
    sign: str


@dataclass(frozen=True, slots=True)
class ShownWords:
    """What free reading shows in the place of some words of a text: its letters and figures without spaces,
    and `loss`, nats, 0 or more, by which the words fit worse than it as the recogniser itself states."""

    letters: str
    loss: float



def word_misfit(words: Sequence[WordFit]) -> float:
    """Nats lost a letter on neighbouring words, 0 or more; high for a name that no list has."""
    # "Atlantis" was read as "Hants" and passed, since it holds all of its letters but the first. So the ink
    # next to a word counts if it shows letters that the word does not have.
    letters_shown, letters = sum(word.letters_shown for word in words), sum(word.letters for word in words)
    loss = sum(word.loss for word in words)
    if words and letters_shown >= letters + EXTRA_LETTERS:
        loss += max(word.loss_beside for word in words)
    return loss / (1 + max(1, min(letters_shown, letters)))


@dataclass(frozen=True, slots=True)
class Alignment:
    """How one text lies on the ink.

    `text`: what was written, in the ink's own case, signs and spaces. Costs are in nats, 0 or more, against
    reading each frame freely. `cost`: the mean a frame. `worst`: the largest sum over STRETCH frames. `haze`:
    the mean a frame of -log p of the recogniser's best letter. `words`: the fit of each word. `shown`: free
    reading of the whole line, letter by letter. `face_losses`: by frame the nats by which the text fits worse
    than free reading without a price for misread letters, at most MOST_LOST.
    """

    text: str
    cost: float
    # A dropped tail is cheap on the mean and dear where it lies.
    worst: float
    haze: float
    words: tuple[WordFit, ...] = ()
    shown: tuple[ShownLetter, ...] = ()
    face_losses: Floats = field(default_factory=lambda: np.zeros(0), compare=False, repr=False)

    def shown_in(self, first: int, end: int) -> ShownWords:
        """What free reading shows in the place of words `first` to `end` - 1: from the word before them to
        the word after them."""
        begin = self.words[first - 1].end if first else 0
        finish = self.words[end].start if end < len(self.words) else len(self.face_losses)
        letters = "".join(
            letter.sign for letter in self.shown if begin <= letter.frame < finish and letter.sign.isalnum()
        )
        return ShownWords(letters, float(self.face_losses[begin:finish].sum()))


def score_texts(decoder: Decoder, posteriors: Posteriors, texts: Sequence[Text]) -> tuple[float, ...]:
    """Log chance of each text in nats, summed over all alignments, less its price; empty without frames."""
    if not texts or not len(posteriors.log_probs):
        return ()
    ink = decoder.sign_scores(posteriors)
    places = [decoder.letter_columns(text.symbols) for text in texts]
    scores = forward_scores(ink, [columns for columns, _ in places], [skips for _, skips in places])
    return tuple(score - text.price for score, text in zip(scores, texts, strict=True))


def best_free_path(decoder: Decoder, posteriors: Posteriors) -> tuple[float, int]:
    """Log chance in nats of the likeliest path outside any grammar, and how many letters it shows. There is
    at least one frame."""
    chance, letters = best_path_sums(decoder.sign_scores(posteriors))
    return float(chance[-1]), int(letters[-1])


def align(decoder: Decoder, posteriors: Posteriors, text: Text) -> Alignment:
    """The best alignment of a text with the frames. Neither is empty. Source: Viterbi; Graves et al. 2006."""
    ink = decoder.sign_scores(posteriors)
    columns, skips = decoder.letter_columns(text.symbols)
    path = _best_path(ink, columns, skips)
    path_columns = np.where(path >= 0, columns[np.maximum(path, 0)], 0)
    face = decoder.face_scores(posteriors)
    face_losses = face.max(axis=1) - face[np.arange(len(face)), path_columns]
    lost = ink.max(axis=1) - ink[np.arange(len(ink)), path_columns]
    window = np.convolve(lost, np.ones(min(STRETCH, len(lost))), mode="valid")
    return Alignment(
        text=_as_inked(decoder, posteriors, text, path), cost=float(lost.mean()), worst=float(window.max()),
        haze=float(-ink.max(axis=1).mean()),
        words=_words(decoder, text, path, lost, letter_begins(decoder, ink)),
        shown=shown_letters(decoder, face), face_losses=np.minimum(face_losses, MOST_LOST),
    )


def shown_letters(decoder: Decoder, ink: Floats) -> tuple[ShownLetter, ...]:
    """Free reading of sign scores: the likeliest sign of each frame, repeats and blanks taken out."""
    best = ink.argmax(axis=1).tolist()
    pairs = zip([0, *best], best, strict=False)
    return tuple(
        ShownLetter(frame, decoder.sign_of(column))
        for frame, (before, column) in enumerate(pairs)
        if column and column != before
    )


def letter_begins(decoder: Decoder, ink: Floats) -> Starts:
    """By frame: True if free reading begins a letter there. A space is not a letter."""
    best = ink.argmax(axis=1)
    begun: Starts = (
        (best != 0) & (best != decoder.space_column) & np.concatenate(([True], best[1:] != best[:-1]))
    )
    return begun


def _words(decoder: Decoder, text: Text, path: Numbers, lost: Floats, begun: Starts) -> tuple[WordFit, ...]:
    """The fit of each word of a text."""
    spans: list[tuple[int, int, int]] = []
    for first, end in _bounds([decoder.symbol_text(symbol) == " " for symbol in text.symbols]):
        frames = np.flatnonzero((path >= first) & (path < end))
        letters = sum(decoder.symbol_text(symbol)[-1].isalnum() for symbol in text.symbols[first:end])
        # A word without a frame keeps its place among the words: a lost dash must not shift the names.
        end_before = spans[-1][1] if spans else 0
        spans.append((int(frames[0]), int(frames[-1]) + 1, letters) if len(frames)
                     else (end_before, end_before, letters))
    before = [0, *(end for _, end, _ in spans)]
    after = [*(start for start, _, _ in spans[1:]), len(path)]
    return tuple(
        WordFit(
            loss=float(lost[start:end].sum()),
            loss_beside=float(lost[low:start].sum() + lost[end:high].sum()),
            letters_shown=int(begun[low:high].sum()),
            letters=letters,
            start=start,
            end=end,
        )
        for (start, end, letters), low, high in zip(spans, before, after, strict=False)
    )


def _bounds(blank: Sequence[bool]) -> list[tuple[int, int]]:
    """First index and end of each run without blanks."""
    pairs = zip([True, *blank], [*blank, True], strict=True)
    edges = [index for index, (before, after) in enumerate(pairs) if before != after]
    return list(zip(edges[::2], edges[1::2], strict=True))


def _best_path(ink: Floats, columns: Numbers, skips: Floats) -> Numbers:
    """By frame the index of the letter that lies on it, -1 for blank. Source: Viterbi's algorithm."""
    frames, size = len(ink), len(columns)
    # Origins of a letter's frame, by number: 0 the letter itself, 1 the blank before it, 2 the letter before;
    # over a space that the ink lacks, 3 the letter before that space, 4 the blank after that letter.
    from_on, from_gap = np.zeros((frames, size), np.int8), np.zeros((frames, size + 1), np.int8)
    on, gap = np.full(size, NEVER), np.full(size + 1, NEVER)
    gap[0], on[0] = ink[0, 0], ink[0, columns[0]]
    for frame in range(1, frames):
        origins = np.full((5, size), NEVER)
        origins[0], origins[1] = on, gap[:-1]
        origins[2, 1:] = on[:-1] + skips[0, 1:]
        origins[3, 2:] = on[:-2] + skips[1, 2:]
        origins[4, 2:] = gap[1:-2] + skips[1, 2:]
        from_on[frame] = origins.argmax(axis=0)
        stay = np.append(NEVER, on)
        from_gap[frame] = stay > gap
        gap = np.maximum(gap, stay) + ink[frame, 0]
        on = origins.max(axis=0) + ink[frame, columns]
    return _walk_back(from_on, from_gap, in_gap=bool(gap[size] > on[size - 1]))


def _walk_back(from_on: Origins, from_gap: Origins, *, in_gap: bool) -> Numbers:
    """The path of `_best_path` from its last frame to its first."""
    frames, size = from_on.shape
    path = np.full(frames, -1)
    position = size if in_gap else size - 1
    for frame in range(frames - 1, -1, -1):
        if in_gap:
            if from_gap[frame, position]:
                in_gap, position = False, position - 1
            continue
        path[frame] = position
        origin = int(from_on[frame, position])
        if origin in {1, 4}:
            in_gap, position = True, position if origin == 1 else position - 1
        elif origin in {2, 3}:
            position -= origin - 1
    return path


def _as_inked(decoder: Decoder, posteriors: Posteriors, text: Text, path: Numbers) -> str:
    """The text with each letter in the form that the ink shows, and with the ticks that count as nothing.
    Spaces are between words, and next to signs where the ink shows them."""
    out: list[str] = []
    end_of_last = 0
    for n, symbol in enumerate(text.symbols):
        frames = np.flatnonzero(path == n)
        written = decoder.symbol_text(symbol)
        if len(frames):
            out.append(_ticks(decoder, posteriors, end_of_last, int(frames[0])))
            end_of_last = int(frames[-1]) + 1
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
