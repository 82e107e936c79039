"""A line's ink to orders: decoded inside the automaton of forms and names, then put into words by the
grammar.

Lexical only: the decoder gets ink, forms and names, and nothing else is within its reach.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from adjudicator.orders import Order
from grammar.automaton.order_lines import OrderAutomaton
from grammar.compose import Forms
from grammar.interpret import (
    hangs_on_one_letter,
    has_abbreviation_like_name,
    has_doubt,
    has_shared_short_name,
    has_word_after_kind_letter,
    homonym_spans,
    orders_in_text,
    place_spans,
)
from grammar.lexicon import Lexicon
from grammar.order_starts import order_starts
from grammar.order_traits import (
    are_near,
    differ_in_kinds_only,
    has_strange_coast,
    is_incomplete,
    names_own_place,
    oddity_cost,
)
from grammar.remarks import has_unclear_remark
from grammar.respellings import looks_like_order, respellings, with_other_kinds
from ocr.decoding.alignment import Alignment, WordFit, align, best_free_path, score_texts, word_misfit
from ocr.decoding.confidence import FAR, SURELY, Features, plainly_struck, touched
from ocr.decoding.ctc import line_posteriors, second_opinion_posteriors
from ocr.decoding.decoder import Decoder, Text
from ocr.page import Posteriors, ReadLine
from reading.vocabulary import printed

LETTER, LIKELY_LETTER = 1.3, 2.2
"""Nats that a letter read freely costs: what letters in any order are less likely than an order's. The
greater price counts where an order is expected."""
LETTER_SEEN = 2.0
"""Nats that a letter is worth which one opinion sees and another does not."""
MOST_TOLD = 8
MOST_CANDIDATES = 5
MOST_SURE = 50.0
"""Nats beyond which a line is no order for all that figures can tell."""
BAD, PATCHED = -16.0, -8.0
"""Log chance against free reading below which a line's best order may have been lost on the way; of a line
put together of pieces, in which a seam is such a hard spot, that is sooner."""
MOST_STATES = 200_000
"""States that a decoder may hold, some 150 MB with its automaton's; a hundred sheets step on half as many."""
TOUCHED = 0.6
"""How much a word must look crossed out for the line to be read without it too."""
STROKE, REPLACED = 3.0, 7.0
"""Nats that such a stroke costs a reading that takes the word for live, and those that another word put in
above costs it."""

SHARED = 12
"""Texts of each opinion that are weighed by the others."""


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """One way to read a line: its orders, their canonical text, the text as the automaton wrote it, and its
    score: the log chance in nats over all texts with this meaning, against free reading. `by_each`: the same
    by each opinion."""

    orders: tuple[Order, ...]
    order: str
    text: Text
    score: float
    by_each: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class DecodedLine:
    """What a line may say: different orders, best first, and the letters that free reading shows. `seen` are
    the posteriors it was decoded from: the first engine's, a second opinion's where one was asked, then,
    beyond the first `asked`, the line's with its corrections made, and beyond `whole` the line's without its
    struck words and what was put in."""

    told: tuple[Hypothesis, ...]
    seen: tuple[Posteriors, ...]
    letters: int
    decoder: Decoder
    asked: int = 1
    whole: int = 1

    def gain(self, price: float = LETTER) -> float:
        """Nats by which the best order beats free text at this price a letter; negative where the line is
        rather none."""
        return self.told[0].score + price * self.letters if self.told else -math.inf

    @property
    def worth(self) -> float:
        """Log chance of the line against free reading, whatever it is."""
        loose = -LETTER * self.letters
        return max(loose, self.told[0].score) if self.told else loose

    def fits(self) -> tuple[Alignment, ...]:
        """How the best order lies on the ink, by each opinion. There is a best order."""
        return tuple(align(self.decoder, each, self.told[0].text) for each in self.seen)


def decoder_of(forms: tuple[Forms, ...], lexicon: Lexicon) -> Decoder:
    """The decoder of some phases' forms and the names; made once and kept until it holds MOST_STATES, then
    made anew."""
    found = _decoder(forms, lexicon)
    if found.state_count > MOST_STATES:
        _decoder.cache_clear()
        found = _decoder(forms, lexicon)
    return found


@lru_cache(maxsize=8)
def _decoder(forms: tuple[Forms, ...], lexicon: Lexicon) -> Decoder:
    return Decoder(OrderAutomaton(forms, lexicon))


def decode_line(line: ReadLine, lexicon: Lexicon, forms: tuple[Forms, ...]) -> DecodedLine | None:
    """A line's orders by its posteriors; None for a line without them."""
    asked = opinions(line)
    if not asked:
        return None
    ways = _corrected(line)
    whole, seen = len(asked) + len(ways), (*asked, *corrected_posteriors(line))
    decoder = decoder_of(forms, lexicon)
    letters, ceilings = unconstrained_score(decoder, seen)
    if len(seen) > len(asked) and max(row.strike.max_word_score for row in line.rows) >= SURELY:
        # Letters of a word that is surely struck are explained by the stroke, which nothing explains where
        # the word is live.
        for at in {len(asked), *range(whole, len(seen))}:
            replaced = REPLACED if at < whole and any(row.inserted for row in line.rows) else 0.0
            ceilings[at] = best_free_path(decoder, seen[at])[0] - STROKE - replaced
    texts = [
        text
        for text in (line.text, *(way.text for way in ways))
        if looks_like_order(text, order_starts(lexicon, forms))
    ]
    weighed = _weighed(
        decoder,
        seen,
        ceilings,
        lambda: tuple(
            {one: None for text in texts for one in respellings(text, lexicon=lexicon, forms=forms)}
        ),
        lambda text: with_other_kinds(text, lexicon),
        PATCHED if ways else BAD,
    )
    return DecodedLine(_told(weighed, lexicon, forms), seen, letters, decoder, len(asked), whole)


def opinions(line: ReadLine) -> tuple[Posteriors, ...]:
    """What the engines saw of a line: the first one's posteriors, and a second opinion's where one was asked;
    none for a line without posteriors."""
    first, other = line_posteriors(line), second_opinion_posteriors(line)
    if first is None or not len(first.log_probs):
        return ()
    return (first,) if other is None else (first, other)


def corrected_posteriors(line: ReadLine) -> tuple[Posteriors, ...]:
    """The first opinion with the words that were put in above a row and without those that look crossed out,
    in each way that this can be done, and last without either; none where there are none."""
    from ocr.corrections.apply import line_without_struck_words

    ways = _corrected(line)
    bare = line_without_struck_words(line) if ways else None
    found = (line_posteriors(way) for way in (*ways, bare) if way is not None)
    return tuple(seen for seen in found if seen is not None and len(seen.log_probs))


def _corrected(line: ReadLine) -> list[ReadLine]:
    """The line as its corrections have it, in each way that leaves something to read."""
    from ocr.corrections.apply import corrected_lines

    if not any(row.inserted or row.strike.max_word_score >= TOUCHED for row in line.rows):
        return []
    found = [(corrected, line_posteriors(corrected)) for corrected in corrected_lines(line)]
    return [corrected for corrected, seen in found if seen is not None and len(seen.log_probs)]


def best_text(decoder: Decoder, seen: Sequence[Posteriors]) -> tuple[Text, float] | None:
    """The text of a decoder's automaton that fits a line best, and the nats by which it beats free letters;
    None where none comes near. `seen` is not empty."""
    letters, ceilings = unconstrained_score(decoder, seen)
    weighed = _weighed(decoder, seen, ceilings, lambda: (), lambda _: ())
    if not weighed:
        return None
    text, each = max(weighed, key=lambda pair: _mixed(pair[1]))
    return text, _mixed(each) + LETTER * letters


def align_best(decoder: Decoder, seen: Sequence[Posteriors], text: Text) -> Alignment:
    """How a text lies on the ink, by the opinion that it fits better. `seen` is not empty."""
    return best_lying([align(decoder, each, text) for each in seen])


def unconstrained_score(decoder: Decoder, seen: Sequence[Posteriors]) -> tuple[int, list[float]]:
    """The letters that free reading shows, and by each opinion the log chance that a text is measured
    against: one that sees fewer letters explains less of the ink."""
    loose = [best_free_path(decoder, each) for each in seen]
    letters = max(count for _, count in loose)
    return letters, [chance + LETTER_SEEN * (letters - count) for chance, count in loose]


def _weighed(
    decoder: Decoder, seen: Sequence[Posteriors], ceilings: Sequence[float],
    propose: Callable[[], Sequence[str]],
    turn: Callable[[str], Sequence[str]], bad: float = BAD,
) -> list[tuple[Text, tuple[float, ...]]]:
    """Texts that any opinion found, each with its log chance by every opinion, against free reading. Where
    the best fits badly (below `bad`), texts that `propose` gives are weighed too; what `turn` makes of each
    opinion's best always is."""
    found = [decoder.decode(each) for each in seen]
    best = max(
        (text.score - ceiling for each, ceiling in zip(found, ceilings, strict=True) for text in each),
        default=-math.inf,
    )
    others = [decoder.spell(text) for text in propose()] if best < bad else []
    others += [
        decoder.spell(text)
        for text in {turned: None for each in found if each for turned in turn(each[0].text)}
    ]
    if len(seen) == 1 and not others:
        return [(text, (text.score - ceilings[0],)) for text in found[0]]
    pool = [text for each in found for text in each[:SHARED]] + [text for text in others if text is not None]
    texts = tuple({text.symbols: text for text in pool}.values())
    columns = [score_texts(decoder, each, texts) for each in seen]
    return [
        (text, tuple(score - ceiling for score, ceiling in zip(row, ceilings, strict=True)))
        for text, *row in zip(texts, *columns, strict=True)
    ]


def _told(
    weighed: Sequence[tuple[Text, tuple[float, ...]]], lexicon: Lexicon, forms: tuple[Forms, ...]
) -> tuple[Hypothesis, ...]:
    """Texts by what they mean. Opinions count alike: an order is as likely as on the mean of the chances they
    give."""
    found: dict[str, Hypothesis] = {}
    for text, by_each in sorted(weighed, key=lambda pair: -_mixed(pair[1])):
        for orders in orders_in_text(text.text, lexicon=lexicon, forms=forms):
            order = printed(orders, lexicon.board)
            if order is None:
                continue
            held = found.get(order)
            each = tuple(score - oddity_cost(orders, lexicon) for score in by_each)
            if held is not None:
                each = tuple(_sum(pair) for pair in zip(each, held.by_each, strict=True))
            found[order] = Hypothesis(orders, order, text if held is None else held.text, _mixed(each), each)
    return tuple(sorted(found.values(), key=lambda told: -told.score)[:MOST_TOLD])


def to_candidates(found: DecodedLine, chance: float | None = None) -> tuple[dict[str, object], ...]:
    """The readings of a decoded line as candidates: the best with its confidence, the others sharing what
    that leaves. Without a `chance` the line is rather no order, which is one reading more."""
    told = found.told[:MOST_CANDIDATES]
    if not told:
        return ()
    weights = [math.exp(other.score - told[0].score) for other in told]
    if chance is None:
        none = math.exp(min(found.worth - told[0].score, MOST_SURE))
        shares = [weight / (sum(weights) + none) for weight in weights]
    else:
        shares = [chance, *((1.0 - chance) * weight / (sum(weights[1:]) or 1.0) for weight in weights[1:])]
    return tuple({"text": one.order, "order": one.order, "score": round(share, 4)}
                 for one, share in zip(told, shares, strict=True))


def _sum(logs: Sequence[float]) -> float:
    most = max(logs)
    return most + math.log(sum(math.exp(one - most) for one in logs))


def _mixed(logs: Sequence[float]) -> float:
    return _sum(logs) - math.log(len(logs))


def features(
    line: ReadLine, found: DecodedLine, fits: Sequence[Alignment], lexicon: Lexicon, forms: tuple[Forms, ...]
) -> Features:
    """What speaks for and against the best order, laid on the ink as `fits`, by each opinion. `found` has
    one. A line with its corrections made is no opinion of the line as it stands; where it is surely what the
    order was read on, it is the only one."""
    best, others, mended = found.told[0], found.told[1:], _mended(line, found)
    fits = fits[: found.asked] if mended is None else (fits[mended],)
    text = line.text if mended is None else _corrected(line)[mended - found.asked].text
    lying, strange = best_lying(fits), [_strangest(best, one, lexicon) for one in fits]

    def behind(other: Hypothesis) -> float:
        # What was written decides between a line and the same corrected; that one of them is odd must not.
        return best.score - other.score - (0.0 if mended is None else oddity_cost(other.orders, lexicon))

    def margin(than: Callable[[Hypothesis], bool]) -> float:
        return min([FAR, *(behind(other) for other in others if than(other))])

    return Features(
        cost=lying.cost, worst=min(one.worst for one in fits), haze=lying.haze,
        margin=margin(lambda _: True),
        near_margin=margin(lambda other: are_near(best.orders, other.orders, lexicon)),
        kind_margin=margin(lambda other: differ_in_kinds_only(best.orders, other.orders, lexicon)),
        agreement=_agreement(line, found, lexicon, forms) if mended is None else 0.0,
        mended=mended is not None,
        struck=max(row.strike.score for row in line.rows),
        touched=max(touched(row.strike) for row in line.rows),
        odd=_odd(text, best, lying, lexicon), twin=_twin(best, fits, lexicon),
        strange=sum(strange) / len(strange), alien=min(strange), score=line.score,
        focus=min(row.focus for row in line.rows), contrast=min(row.contrast for row in line.rows),
        one_letter=hangs_on_one_letter(best.text.text, best.orders, lexicon, forms),
        letters=len(best.text.text),
    )


def _mended(line: ReadLine, found: DecodedLine) -> int | None:
    """Which of what was seen is the line with its corrections made, where the best order was read on that and
    every word crossed out surely is; None for any other line."""
    best = found.told[0].by_each
    if len(best) == found.asked or not all(plainly_struck(row.strike) for row in line.rows):
        return None
    at = max(range(found.asked, len(best)), key=lambda n: best[n])
    # Where words that were put in had to be left out, not every correction is read.
    return at if at < found.whole and best[at] > max(best[: found.asked]) else None


def best_lying(fits: Sequence[Alignment]) -> Alignment:
    """Of how a text lies on the ink by several opinions, the best. Not empty."""
    return min(fits, key=lambda one: one.cost)


def _odd(text: str, best: Hypothesis, lying: Alignment, lexicon: Lexicon) -> bool:
    return (
        is_incomplete(best.orders)
        or names_own_place(best.orders)
        or has_strange_coast(best.orders, lexicon)
        or has_doubt(_but_places(text, best, lexicon))
        or has_unclear_remark(lying.text, text, lexicon)
        or has_shared_short_name(best.text.text, best.orders, lexicon)
        or has_abbreviation_like_name(lying.text, best.orders, lexicon)
        or has_word_after_kind_letter(lying.text)
    )


def _but_places(text: str, best: Hypothesis, lexicon: Lexicon) -> str:
    """A text as read freely without the words that the order's places take: Mayo's short form is a word of
    doubt by itself."""
    said = best.text.text.lower().split(" ")
    for word in (
        word for first, end in place_spans(best.text.text, best.orders, lexicon) for word in said[first:end]
    ):
        text = re.sub(rf"\b{re.escape(word)}\b", "", text, count=1, flags=re.IGNORECASE)
    return text


def _strangest(best: Hypothesis, one: Alignment, lexicon: Lexicon) -> float:
    """Nats lost a letter, by one opinion, in the name or other word that fits worst. Signs by themselves are
    no words: a dash that is lost shows in the margin."""
    names = place_spans(best.text.text, best.orders, lexicon)
    named = {at for name in names for at in range(*name)}
    return max(
        [
            0.0,
            *(word_misfit(one.words[slice(*name)]) for name in names),
            *(word_misfit([word]) for at, word in enumerate(one.words) if at not in named and word.letters),
        ]
    )


EXTRA = 2.0
"""Nats for a letter that free reading shows beside a name beyond the letters of the words there."""


def _twin(best: Hypothesis, fits: Sequence[Alignment], lexicon: Lexicon) -> float:
    """Nats lost where a word may have been lost that makes a place another's: on its name and the words
    beside it, on the mean of the opinions; 0 where there is no such place."""
    names = homonym_spans(best.text.text, best.orders, lexicon)
    return sum(max((_lost_at(one.words, *name) for name in names), default=0.0) for one in fits) / len(fits)


def _lost_at(words: Sequence[WordFit], first: int, end: int) -> float:
    around = words[max(0, first - 1) : end + 1]
    extra = sum(max(0, word.letters_shown - word.letters) for word in around)
    return (
        sum(word.loss for word in around) + sum(word.loss_beside for word in words[first:end]) + EXTRA * extra
    )


def _agreement(line: ReadLine, found: DecodedLine, lexicon: Lexicon, forms: tuple[Forms, ...]) -> float:
    """1 where every other opinion says the same order, -1 where one says another, 0 where nobody else was
    asked."""
    best = found.told[0]
    votes = [max(found.told, key=lambda told: told.by_each[n]) is best for n in range(found.asked)]
    others = [other for other in line.alternatives if other.posteriors is None]
    read = [orders_in_text(other.text, lexicon=lexicon, forms=forms) for other in others]
    votes += [best.orders in each for each in read if each]
    return 0.0 if len(votes) < 2 else 1.0 if all(votes) else -1.0
