"""A line's ink to orders: decoded inside the automaton of forms and names, then put into words by the grammar.

Lexical only: the decoder gets ink, forms and names, and nothing else is within its reach.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from adjudicator.orders import Order
from grammar.automaton import automaton
from grammar.compose import Forms
from grammar.lexicon import Lexicon
from grammar.meaning import meanings, near, one_letter
from ocr.confidence import FAR, Features
from ocr.ctc import line_posteriors
from ocr.decode import Decoder, Text
from ocr.fit import Fit, fit, free, scores
from ocr.page import Posteriors, ReadLine
from service.lexical import printed

LETTER, LIKELY_LETTER = 1.3, 2.2
"""Nats that a letter read freely costs: what letters in any order are less likely than an order's. The greater price
counts where an order is expected."""
MOST_TOLD = 8


@dataclass(frozen=True, slots=True)
class Told:
    """One way to read a line: its orders, their canonical text, the text as the automaton wrote it, and its score: the
    log chance in nats, over all texts with this meaning."""

    orders: tuple[Order, ...]
    order: str
    text: Text
    score: float


@dataclass(frozen=True, slots=True)
class Deciphered:
    """What a line may say: different orders, best first; how the best lies on the ink; and, for the line as no order,
    the log chance of free reading and the letters it shows."""

    told: tuple[Told, ...]
    fit: Fit | None
    free: float
    letters: int

    def gain(self, price: float = LETTER) -> float:
        """Nats by which the best order beats free text at this price a letter; negative where the line is rather none."""
        return self.told[0].score - self.free + price * self.letters if self.told else -math.inf

    @property
    def worth(self) -> float:
        """Log chance of the line, whatever it is."""
        loose = self.free - LETTER * self.letters
        return max(loose, self.told[0].score) if self.told else loose


@lru_cache(maxsize=16)
def decoder_of(forms: tuple[Forms, ...], lexicon: Lexicon) -> Decoder:
    """The decoder of some phases' forms and the names; made once and kept."""
    return Decoder(automaton(forms, lexicon))


def decipher(line: ReadLine, lexicon: Lexicon, forms: tuple[Forms, ...]) -> Deciphered | None:
    """A line's orders by its posteriors; None for a line without them."""
    seen = line_posteriors(line)
    if seen is None:
        return None
    decoder = decoder_of(forms, lexicon)
    told = _told(decoder, (seen,), lexicon, forms)
    chance, letters = free(decoder, seen)
    return Deciphered(told, fit(decoder, seen, told[0].text) if told else None, chance, letters)


def _told(decoder: Decoder, seen: Sequence[Posteriors], lexicon: Lexicon, forms: tuple[Forms, ...]) -> tuple[Told, ...]:
    texts = tuple({text.symbols: text for each in seen for text in decoder.decode(each)}.values())
    weighed = sorted(zip(scores(decoder, seen, texts), texts, strict=True), key=lambda pair: -pair[0])
    found: dict[str, Told] = {}
    for score, text in weighed:
        for orders in meanings(text.text, lexicon=lexicon, forms=forms):
            order = printed(orders, lexicon.board)
            if order is None:
                continue
            held = found.get(order)
            found[order] = Told(orders, order, text, score) if held is None else Told(
                orders, order, held.text, max(score, held.score) + math.log1p(math.exp(-abs(score - held.score))))
    return tuple(sorted(found.values(), key=lambda told: -told.score)[:MOST_TOLD])


def features(line: ReadLine, found: Deciphered, lexicon: Lexicon, forms: tuple[Forms, ...]) -> Features:
    """What speaks for and against the best order. `found` has one."""
    best, others = found.told[0], found.told[1:]
    assert found.fit is not None
    near_others = [other for other in others if near(best.orders, other.orders, lexicon)]
    second = [meanings(other.text, lexicon=lexicon, forms=forms) for other in line.alternatives]
    same = any(best.orders in each for each in second)
    other = any(each and best.orders not in each for each in second)
    return Features(
        cost=found.fit.cost, worst=found.fit.worst, haze=found.fit.haze,
        margin=min([FAR, *(best.score - other.score for other in others)]),
        near_margin=min([FAR, *(best.score - other.score for other in near_others)]),
        agreement=1.0 if same else -1.0 if other else 0.0,
        struck=line.strike.score, score=line.score,
        one_letter=one_letter(best.text.text, best.orders, lexicon, forms), letters=len(best.text.text),
    )
