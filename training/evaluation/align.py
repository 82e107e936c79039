"""Which of the lines read belong to which of the lines written."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz.distance import Levenshtein

# Cost of a letter written and not read, of one read and not written, and of each line read beyond the first.
_UNREAD, _INVENTED, _JOINED = 1.0, 0.6, 0.01
# Lines read that one written line may have become.
_MOST = 3


@dataclass(frozen=True, slots=True)
class Alignment:
    """`spans`: for each written line the first line read of it and one past the last, or None. `left`: lines
    read that are none of them."""

    spans: tuple[tuple[int, int] | None, ...]
    left: tuple[int, ...]


def one_space(text: str | None) -> str:
    """White space collapsed and cut off at both ends."""
    return " ".join((text or "").split())


def loose(text: str | None) -> str:
    """A line without what does not count: case, "&" for "and", kinds of dash, punctuation, quotes, blanks
    next to - and /."""
    bare = (text or "").casefold().replace("&", " and ")
    bare = re.sub(r"[–—−]", "-", bare)
    bare = re.sub(r"[.,:;'\"’‘“”`]", "", bare)
    return one_space(re.sub(r"\s*([-/])\s*", r"\1", bare))


def align(written: Sequence[str], read: Sequence[str]) -> Alignment:
    """Lines matched in order at least edit distance, a written line with up to three read ones."""
    texts, read_texts = [one_space(text) for text in written], [one_space(text) for text in read]
    # Dynamic programme: cost[i][j] is the least for the first i written and first j read lines, and
    # step[i][j] how many of each the last step took.
    cost: list[list[float]] = [[0.0] * (len(read_texts) + 1) for _ in range(len(texts) + 1)]
    step: list[list[tuple[int, int]]] = [[(0, 0)] * (len(read_texts) + 1) for _ in range(len(texts) + 1)]
    for i in range(len(texts) + 1):
        for j in range(len(read_texts) + 1):
            if i or j:
                cost[i][j], step[i][j] = _cheapest(cost, texts, read_texts, i, j)
    return _walked(step, len(texts), len(read_texts))


def _cheapest(
    cost: Sequence[Sequence[float]], texts: Sequence[str], read_texts: Sequence[str], i: int, j: int
) -> tuple[float, tuple[int, int]]:
    best, step = float("inf"), (0, 0)
    if i and (price := cost[i - 1][j] + _UNREAD * len(texts[i - 1])) < best:
        best, step = price, (1, 0)
    if j and (price := cost[i][j - 1] + _INVENTED * len(read_texts[j - 1])) < best:
        best, step = price, (0, 1)
    for count in range(1, min(_MOST, j) + 1) if i else ():
        apart = Levenshtein.distance(texts[i - 1], " ".join(read_texts[j - count : j]))
        # At equal cost a match goes before leaving out.
        if (price := cost[i - 1][j - count] + apart + _JOINED * (count - 1)) <= best:
            best, step = price, (1, count)
    return best, step


def _walked(step: Sequence[Sequence[tuple[int, int]]], i: int, j: int) -> Alignment:
    spans: list[tuple[int, int] | None] = [None] * i
    left = []
    while i or j:
        down, across = step[i][j]
        if down and across:
            spans[i - 1] = (j - across, j)
        elif across:
            left.append(j - 1)
        i, j = i - down, j - across
    return Alignment(tuple(spans), tuple(sorted(left)))
