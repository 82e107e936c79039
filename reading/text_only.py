"""Lines with a row that an engine without posteriors read: their letters are compared with the grammar's
forms and names."""

from __future__ import annotations

import re
from functools import lru_cache

from grammar.compose import Forms
from grammar.lexicon import Lexicon
from grammar.nearest_orders import NearestOrders, completeness, nearest_orders
from grammar.respellings import looks_like_order
from ocr.page import ReadLine
from reading.decode import MOST_CANDIDATES
from reading.vocabulary import Vocabulary, printed

# A row is asked for when rows are joined and again when lines are classified.
MOST_REMEMBERED = 400
"""Texts whose nearest orders are remembered. By hand."""

NO_ORDER = 0.2
"""Completeness, 0..1, of a text without a word of an order. By hand."""

LEAST_SCORE = 0.45
"""Least score, 0..1, of a reading as an order. By hand, with the first reader."""

_VERSION_FIRST = re.compile(r"\s*v(?:er(?:sion)?)?[ .]*[\dIl|]+\W+\w", re.IGNORECASE)


def nearest(text: str, vocabulary: Vocabulary) -> NearestOrders:
    """The orders nearest to a text by its letters."""
    return _nearest(text, vocabulary.lexicon, vocabulary.forms)


@lru_cache(maxsize=MOST_REMEMBERED)
def _nearest(text: str, lexicon: Lexicon, forms: tuple[Forms, ...]) -> NearestOrders:
    return nearest_orders(text, lexicon=lexicon, forms=forms, power="")


def text_completeness(text: str, vocabulary: Vocabulary) -> float:
    """How complete a text is as one order, 0..1."""
    # "v2 Army Kent holds" is the end of a heading and an order, which must not be joined.
    if _VERSION_FIRST.match(text):
        return 0.0
    if not looks_like_order(text, vocabulary.starts):
        return NO_ORDER
    return completeness(nearest(text, vocabulary).candidates)


def text_candidates(line: ReadLine, vocabulary: Vocabulary) -> tuple[dict[str, object], ...]:
    """Different orders, best first, at most five, as {"text", "order", "score"} with scores 0..1, from the
    texts of the first engine and two others."""
    best: dict[str, float] = {}
    texts = [(line.text, line.score), *((other.text, other.score) for other in line.alternatives[:2])]
    for text, trust in texts:
        for candidate in nearest(text, vocabulary).candidates:
            order = printed(candidate.orders, vocabulary.lexicon.board)
            if order is not None and candidate.is_whole and candidate.score >= LEAST_SCORE:
                score = round(candidate.score * (0.5 + 0.5 * trust), 4)
                best[order] = max(score, best.get(order, score))
    ranked = sorted(best.items(), key=lambda item: -item[1])[:MOST_CANDIDATES]
    return tuple({"text": order, "order": order, "score": score} for order, score in ranked)


def text_confidence(line: ReadLine, snapped: NearestOrders) -> float:
    """The confidence in the best order, 0..1, not calibrated."""
    # Three parts: letters changed on the way to the order, distance of the next order, the recogniser's
    # score. Their weights are by hand; no measurement on record.
    if not snapped.candidates:
        return round(line.score * 0.5, 4)
    best = snapped.candidates[0]
    margin = min(1.0, 0.7 + snapped.margin / 10)
    fit = best.score * (1.0 - best.worst / 4)
    return round(min(0.999, fit * margin * (0.75 + 0.25 * line.score)), 4)
