"""Readings of one line as the desk shows them: in the writer's own letters, differing words marked,
confidence as a share and a word."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import accumulate
from typing import Any

from service.desk.reading.ink import LEAST_COVERED, in_own_letters

_STEEP = 1.5
"""How fast the share of a reading falls with each letter by which it fits worse than the best."""
_ROUNDING = 0.001
"""Five scores of four decimals each may sum to a little more than 1."""
GAP = "‸"
SURE, LIKELY = 0.85, 0.5


@dataclass(frozen=True, slots=True)
class ShownReading:
    """One reading. `words`: its words, each with True if another reading differs there. `order`: canonical
    text or None. `share`, 0..1: how likely it is; no reading is likelier than one that is before it."""

    text: str
    words: tuple[tuple[str, bool], ...]
    order: str | None
    share: float

    @property
    def sure(self) -> str:
        """The share as a word."""
        return "sure" if self.share >= SURE else "likely" if self.share >= LIKELY else "unsure"


def shown(
    candidates: Sequence[dict[str, Any]], ink: str = "", covers: Sequence[float] = ()
) -> tuple[ShownReading, ...]:
    """The readings of a line, best first. Each candidate has "text", "order" and a "score" of 0..1. `ink`:
    the machine's own reading, whose capitals they get. `covers`: the share of the ink that each explains,
    0..1, or nothing for all of it."""
    texts = [in_own_letters(str(c["text"]), ink) for c in candidates]
    words = [text.split() for text in texts]
    orders = [c["order"] for c in candidates]
    covered = [1.0 if share >= LEAST_COVERED else share for share in covers] or [1.0] * len(texts)
    shares = _shares([(float(c["score"]) * share, len(text))
                      for c, text, share in zip(candidates, texts, covered, strict=True)])
    return tuple(
        ShownReading(text, _marked(index, words, orders), orders[index], shares[index])
        for index, text in enumerate(texts)
    )


def _shares(scored: Sequence[tuple[float, int]]) -> list[float]:
    """How likely each reading is, on one scale: its score, if the scores share one whole. Else, for texts
    that were compared letter by letter, each score divided among the rivals by how many letters worse they
    fit: the score alone would call five readings "sure" at once.

    The readings are in the reader's own order. Of 93 lines on the desk's sample 22 showed a longer bar
    below a shorter one, so no bar is longer than the one above it."""
    scores = [score for score, _ in scored]
    if sum(scores) <= 1.0 + _ROUNDING:
        shares = scores
    else:
        weights = [math.exp(-_STEEP * (max(scores) - score) * length) for score, length in scored]
        shares = [score * weight / sum(weights) for score, weight in zip(scores, weights, strict=True)]
    return list(accumulate(shares, min))


def _marked(
    index: int, texts: Sequence[list[str]], orders: Sequence[str | None]
) -> tuple[tuple[str, bool], ...]:
    """The words of one text, each with True if it differs in more than capitals and stops: the best is
    compared with the next reading that means something else, all others with the best. `GAP` marks where only
    the other text has words. Readings of the same order do not differ."""
    rival = next((n for n in range(1, len(texts)) if orders[n] is None or orders[n] != orders[0]), None)
    other_index = rival if index == 0 else 0
    if other_index is None or (orders[index] is not None and orders[index] == orders[other_index]):
        return tuple((word, False) for word in texts[index])
    words, other = texts[index], texts[other_index]
    marked: list[tuple[str, bool]] = []
    matcher = SequenceMatcher(None, _folded(words), _folded(other), autojunk=False)
    for change, a, b, _, _ in matcher.get_opcodes():
        marked += [(GAP, True)] if change == "insert" else [(word, change != "equal") for word in words[a:b]]
    return tuple(marked)


def _folded(words: Sequence[str]) -> list[str]:
    return [word.casefold().strip(".,;:") or word for word in words]
