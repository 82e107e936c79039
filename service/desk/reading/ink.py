"""A reading and its ink: how much of the line it covers, and the writer's own capitals."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from statistics import median

from service.desk.reading.shape import size

LEAST_COVERED = 0.6
"""Share of a line's length below which a reading leaves too much ink unexplained to be called sure. By hand:
of 290 right readings of the demo's sheets and of 19 sheets of the sample one covered 0.70 and all others 0.84
or more; a name hidden by a smear was read as one letter with 0.49."""
_LETTERS, _LINES = 8, 3
"""Letters of a line, and such lines of a page, from which the width of its writer's letters is taken."""

Line = tuple[str, Sequence[Sequence[float]]]
"""The machine's own reading of a line, and its box, four corners in pixels of the page."""


def letter_width(lines: Sequence[Line]) -> float | None:
    """The width of a letter in pixels: the median of the lines of a page; None if too few are long enough."""
    widths = [size(box)[0] / len(text) for text, box in lines if len(text) >= _LETTERS]
    return median(widths) if len(widths) >= _LINES else None


def covered(text: str, box: Sequence[Sequence[float]], width: float | None) -> float:
    """The share of a line's length that a reading's letters take, 0..1, if a letter is `width` pixels wide;
    1 where that is not known."""
    return 1.0 if width is None else min(1.0, len(text) * width / size(box)[0])


def in_own_letters(text: str, ink: str) -> str:
    """A reading with the capitals of `ink`, the machine's own reading of the same line, word by word: "a
    glasgow - fife" next to "A Glasgow - Fite" is "A Glasgow - Fife". One that has capitals keeps its own."""
    if text != text.lower():
        return text
    words, written = text.split(), ink.split()
    matcher = SequenceMatcher(None, words, [word.lower() for word in written], autojunk=False)
    for change, a, b, c, d in matcher.get_opcodes():
        if change in {"equal", "replace"}:
            words[a:b] = [_like(word, model) for word, model in zip(words[a:b], written[c:d], strict=False)
                          ] + words[a + d - c:b]
    return " ".join(words)


def _like(word: str, model: str) -> str:
    """A word with the capitals of another."""
    if word == model.lower():
        return model
    if len(model) > 1 and model.isupper():
        return word.upper()
    return word[:1].upper() + word[1:] if model[:1].isupper() else word
