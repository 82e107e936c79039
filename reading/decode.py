"""A line's ink to orders: posteriors decoded inside the automaton of forms and names, then read by the
grammar.

Lexical only: ink, forms and names go in, and nothing else. All scores are natural logarithms of chances
(nats). For posteriors see `ocr.page.Posteriors`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from threading import Lock

from adjudicator.orders import Order
from grammar.automaton.order_lines import OrderAutomaton
from grammar.compose import Forms
from grammar.impossible import oddity_cost
from grammar.interpret import contradicts_itself, orders_in_text
from grammar.lexicon import Lexicon
from grammar.order_traits import without_kinds
from grammar.respellings import looks_like_order, respellings, with_other_kinds
from ocr.decoding.alignment import Alignment, align, best_free_path, score_texts
from ocr.decoding.confidence import FAR
from ocr.decoding.ctc import line_posteriors, second_opinion_posteriors
from ocr.decoding.decoder import Decoder, Text
from ocr.decoding.review_gate import SURELY_STRUCK
from ocr.page import Posteriors, ReadLine
from reading.codes import lone_code_cost
from reading.vocabulary import Vocabulary, printed

FREE_LETTER, EXPECTED_LETTER = 1.3, 2.2
"""Nats, cost of one letter outside the grammar; the second if the text begins like an order. By hand on the
sample sheets, with the first decoder."""

UNSEEN_LETTER = 2.0
"""Nats, worth of a letter that one opinion sees and another does not. By hand on the sample sheets."""

# Long lines in a bad hand lost the right text at lower limits. A corrected line is put together of pieces,
# and each seam is a hard spot, so its limit is nearer to 0.
BAD_FIT, BAD_CORRECTED_FIT = -16.0, -8.0
"""Nats against free reading, 0 or less, below which the beam may have lost the best order, so that spellings
are proposed too. By hand on composed sheets."""

TOUCHED = 0.6
"""Score, 0..1, from which a word looks struck enough to read the line without it too. By hand: with it 14
orders more were exact on 380 composed sheets."""

# Without them the letters of a struck word counted as unexplained ink, and the line as it is won: of 60
# composed lines with a surely struck word 40 came out right, with them 49.
STROKE, REPLACED = 3.0, 7.0
"""Nats that a sure stroke costs a reading with the struck word live, and nats that a word inserted above it
costs that reading besides. By hand."""

SHARED = 12
"""Texts of each opinion that the other opinions weigh too. By hand."""

MOST_HYPOTHESES = 8
"""Different orders that a line keeps. By hand."""

MOST_CANDIDATES = 5
"""Different orders that a person is offered; docs/contract.md promises at most five."""

MOST_UNEXPLAINED = 0.5
"""Share, 0..1, at most, of an order with a word that the ink does not explain: no one is informed that it
is sure (INK-14)."""

MOST_SURE = 50.0
"""Nats beyond which a line is certainly no order; keeps `math.exp` within its range."""

MOST_STATES = 60_000
"""Automaton states that all decoders may hold, some 2 kB each with their automata's. The 20 sample sheets
step on 51,000, so that they are read without beginning again."""

MOST_DECODERS = 8
"""Decoders that are stored: those of a board's phases, and of another board's."""


@dataclass(frozen=True, slots=True)
class LineInk:
    """All posteriors of one line, each over the whole line.

    `opinions`: of the line as it is, one or more: the first engine's, and a second's if it was asked.
    `corrected`: the line with its corrections made, in each way that leaves something to read. `corrections`:
    the first engine's posteriors of these. `bare`: the line without struck words and without inserted words,
    if it has both.
    """

    opinions: tuple[Posteriors, ...]
    corrected: tuple[ReadLine, ...] = ()
    corrections: tuple[Posteriors, ...] = ()
    # What rises above a struck word may only look like an inserted word.
    bare: Posteriors | None = None

    @property
    def all(self) -> tuple[Posteriors, ...]:
        """Opinions, then corrections, then the bare line: the order of `Hypothesis.by_posteriors`."""
        return (*self.opinions, *self.corrections, *(() if self.bare is None else (self.bare,)))


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """One way to read a line.

    `order`: canonical text of `orders`, with the likeliest kinds of units. `text`: as the automaton wrote it.
    `score`: log chance in nats over all texts with this meaning, against free reading; `by_posteriors`: the
    same by each of `LineInk.all`. `unit_margin`: nats to the same meaning with other words for its units, at
    most FAR: a kind carries nothing where a place holds one unit (INK-10).
    """

    orders: tuple[Order, ...]
    order: str
    text: Text
    score: float
    by_posteriors: tuple[float, ...]
    unit_margin: float = FAR


@dataclass(frozen=True, slots=True)
class DecodedLine:
    """What a line may say.

    `hypotheses`: different orders, best first, at most MOST_HYPOTHESES, or none. `letters`: how many free
    reading shows. `decoder`: the one that decoded it. `refused`: the likeliest text of known words that
    contradict each other, such as an army's and a sea's, without orders; None where no text is one.
    """

    hypotheses: tuple[Hypothesis, ...]
    ink: LineInk
    letters: int
    decoder: Decoder
    refused: Hypothesis | None = None

    @property
    def texts(self) -> tuple[Text, ...]:
        """The text of each hypothesis, and the refused one."""
        return tuple(each.text for each in (*self.hypotheses, self.refused) if each is not None)

    def gain(self, letter_cost: float = FREE_LETTER) -> float:
        """Nats by which the best order beats free text at this cost a letter: below 0 if the line is rather
        no order, minus infinity without any."""
        return self.hypotheses[0].score + letter_cost * self.letters if self.hypotheses else -math.inf

    @property
    def log_chance(self) -> float:
        """Log chance of the line against free reading, 0 or less, whether it is an order or free text."""
        free_text = -FREE_LETTER * self.letters
        return max(free_text, self.hypotheses[0].score) if self.hypotheses else free_text

    def alignments(self) -> tuple[Alignment, ...]:
        """The alignment of the best order with each of `ink.all`. There must be a best order."""
        return tuple(align(self.decoder, posteriors, self.hypotheses[0].text) for posteriors in self.ink.all)


def decode_lines(
    lines: Sequence[ReadLine], vocabulary: Vocabulary, *, propose: bool = True
) -> tuple[DecodedLine | None, ...]:
    """The orders that each line may say; None for a line without posteriors. `propose`: orders of like
    spelling are weighed too where a line fits badly.

    Lines are searched side by side: in less time than one by one, and with the same answers."""
    inks = [line_ink(line) for line in lines]
    decoder = decoder_of(vocabulary)
    texts = iter(
        decoder.decode_rows([posteriors for ink in inks if ink is not None for posteriors in ink.all])
    )
    return tuple(
        None if ink is None
        else _decoded(line, ink, [next(texts) for _ in ink.all], decoder, vocabulary, propose=propose)
        for line, ink in zip(lines, inks, strict=True)
    )


def decode_line(line: ReadLine, vocabulary: Vocabulary) -> DecodedLine | None:
    """The orders that one line may say; None for a line without posteriors."""
    return decode_lines([line], vocabulary)[0]


def with_looks(
    decoded: DecodedLine, line: ReadLine, looks: Sequence[Posteriors], vocabulary: Vocabulary
) -> DecodedLine:
    """The orders that a line without corrections was read as, weighed by its opinions and by `looks`, other
    posteriors of the same line, alike."""
    ink = LineInk((*decoded.ink.opinions, *looks))
    # Every opinion weighs the first one's texts.
    by_ink = [decoded.texts, *[()] * (len(ink.all) - 1)]
    return _decoded(line, ink, by_ink, decoded.decoder, vocabulary, propose=False)


def decoder_of(vocabulary: Vocabulary) -> Decoder:
    """The decoder of a vocabulary, made once and cached until all together hold more than MOST_STATES."""
    key = (vocabulary.forms, vocabulary.lexicon)
    with _LOCK:
        # Without a bound the states of 250 rows took 114 MB. Where each had its own bound, a process
        # that read 220 sheets of one board in three kinds of phase held 960 MiB.
        if sum(decoder.state_count for decoder in _DECODERS.values()) > MOST_STATES:
            _DECODERS.clear()
        # Each also has its own automaton: the one that was asked for longest ago makes room.
        decoder = _DECODERS.pop(key, None)
        if decoder is None:
            decoder = Decoder(OrderAutomaton(*key))
            if len(_DECODERS) >= MOST_DECODERS:
                del _DECODERS[next(iter(_DECODERS))]
        _DECODERS[key] = decoder
        return decoder


_DECODERS: dict[tuple[tuple[Forms, ...], Lexicon], Decoder] = {}
_LOCK = Lock()


def opinions(line: ReadLine) -> tuple[Posteriors, ...]:
    """The first engine's posteriors of a line, and a second opinion's where one was asked; empty for a line
    without posteriors."""
    first, other = line_posteriors(line), second_opinion_posteriors(line)
    if first is None or not len(first.log_probs):
        return ()
    return (first,) if other is None else (first, other)


def line_ink(line: ReadLine) -> LineInk | None:
    """All posteriors of a line; None for a line without."""
    as_it_stands = opinions(line)
    if not as_it_stands:
        return None
    if not any(row.inserted or row.strike.max_word_score >= TOUCHED for row in line.rows):
        return LineInk(as_it_stands)
    # Imported here: it loads the recogniser's network, and a worker that only sends mail needs none.
    from ocr.corrections.apply import corrected_lines, line_without_struck_words

    pairs = [(corrected, _ink_of(corrected)) for corrected in corrected_lines(line)]
    corrected = [(line, posteriors) for line, posteriors in pairs if posteriors is not None]
    return LineInk(
        as_it_stands,
        tuple(line for line, _ in corrected),
        tuple(posteriors for _, posteriors in corrected),
        _ink_of(line_without_struck_words(line)) if corrected else None,
    )


def _ink_of(line: ReadLine | None) -> Posteriors | None:
    """The first engine's posteriors of a line; None without any frame."""
    posteriors = None if line is None else line_posteriors(line)
    return None if posteriors is None or not len(posteriors.log_probs) else posteriors


def best_text(
    decoder: Decoder, posteriors: Sequence[Posteriors], texts: Sequence[tuple[Text, ...]]
) -> tuple[Text, float] | None:
    """The text that fits a line best, and the nats by which it beats free text; None if no text comes near.

    `posteriors`: one opinion or more. `texts`: what the decoder found on each."""
    letters, ceilings = unconstrained_score(decoder, posteriors)
    weighed = _weighed(decoder, posteriors, ceilings, texts, ())
    if not weighed:
        return None
    text, by_posteriors = max(weighed, key=lambda pair: _log_mean(pair[1]))
    return text, _log_mean(by_posteriors) + FREE_LETTER * letters


def align_best(decoder: Decoder, posteriors: Sequence[Posteriors], text: Text) -> Alignment:
    """The alignment of a text by the opinion that it fits best. `posteriors` has one opinion or more."""
    return best_alignment([align(decoder, each, text) for each in posteriors])


def best_alignment(alignments: Sequence[Alignment]) -> Alignment:
    """The alignment with the least cost. There must be one."""
    return min(alignments, key=lambda alignment: alignment.cost)


def unconstrained_score(decoder: Decoder, posteriors: Sequence[Posteriors]) -> tuple[int, list[float]]:
    """The letters that free reading shows, and by opinion the log chance that a text is measured against."""
    # An opinion that sees fewer letters explains less of the ink.
    free_paths = [best_free_path(decoder, each) for each in posteriors]
    letters = max(count for _, count in free_paths)
    return letters, [chance + UNSEEN_LETTER * (letters - count) for chance, count in free_paths]


def _decoded(
    line: ReadLine, ink: LineInk, texts: Sequence[tuple[Text, ...]], decoder: Decoder,
    vocabulary: Vocabulary, *, propose: bool
) -> DecodedLine:
    """A line by the texts that the decoder found on each of `ink.all`.

    1. Measure each text against free reading. 2. Propose spellings where the best text fits badly. 3. Weigh
    every text by every opinion. 4. Put texts together that mean the same."""
    letters, ceilings = unconstrained_score(decoder, ink.all)
    ceilings = _ceilings_of_corrected(line, ink, decoder, ceilings)
    best = max(
        (text.score - ceiling for per_ink, ceiling in zip(texts, ceilings, strict=True) for text in per_ink),
        default=-math.inf,
    )
    spellings: list[str] = []
    if propose and best < (BAD_CORRECTED_FIT if ink.corrected else BAD_FIT):
        # A hard spot can push the right name out of the beam; comparing letters finds it again.
        spellings += _spellings_of([line.text, *(way.text for way in ink.corrected)], vocabulary)
    # A unit's kind is one letter, and the search may have left it early.
    spellings += dict.fromkeys(
        turned
        for per_ink in texts
        if per_ink
        for turned in with_other_kinds(per_ink[0].text, vocabulary.lexicon)
    )
    weighed = _weighed(decoder, ink.all, ceilings, texts, spellings)
    hypotheses, refused = _hypotheses(weighed, vocabulary)
    return DecodedLine(hypotheses, ink, letters, decoder, refused)


def _ceilings_of_corrected(
    line: ReadLine, ink: LineInk, decoder: Decoder, ceilings: Sequence[float]
) -> list[float]:
    """The ceilings, lowered for corrected lines if a word is surely struck."""
    # There the stroke explains the word's letters.
    ceilings = list(ceilings)
    corrected, everything = len(ink.opinions), ink.all
    if len(everything) == corrected or max(row.strike.max_word_score for row in line.rows) < SURELY_STRUCK:
        return ceilings
    bare = corrected + len(ink.corrected)
    # Not the second way to make the corrections: it may take the stroke for a caret.
    for index in {corrected, *range(bare, len(everything))}:
        replaced = REPLACED if index < bare and any(row.inserted for row in line.rows) else 0.0
        ceilings[index] = best_free_path(decoder, everything[index])[0] - STROKE - replaced
    return ceilings


def _spellings_of(texts: Sequence[str], vocabulary: Vocabulary) -> list[str]:
    """Whole lines of like spelling that the grammar takes, each once."""
    lexicon, forms = vocabulary.lexicon, vocabulary.forms
    likely = [text for text in texts if looks_like_order(text, vocabulary.starts)]
    return list(dict.fromkeys(
        spelling for text in likely for spelling in respellings(text, lexicon=lexicon, forms=forms)
    ))


def _weighed(
    decoder: Decoder, posteriors: Sequence[Posteriors], ceilings: Sequence[float],
    texts: Sequence[tuple[Text, ...]], spellings: Sequence[str],
) -> list[tuple[Text, tuple[float, ...]]]:
    """The texts of all opinions, and the `spellings` that the automaton takes, each with its log chance
    against free reading by every opinion."""
    if len(posteriors) == 1 and not spellings:
        return [(text, (text.score - ceilings[0],)) for text in texts[0]]
    spelled = [decoder.spell(spelling) for spelling in spellings]
    pool = [text for per_ink in texts for text in per_ink[:SHARED]] + [
        text for text in spelled if text is not None
    ]
    different = tuple({text.symbols: text for text in pool}.values())
    columns = [score_texts(decoder, each, different) for each in posteriors]
    return [
        (text, tuple(score - ceiling for score, ceiling in zip(row, ceilings, strict=True)))
        for text, *row in zip(different, *columns, strict=True)
    ]


def _hypotheses(
    weighed: Sequence[tuple[Text, tuple[float, ...]]], vocabulary: Vocabulary
) -> tuple[tuple[Hypothesis, ...], Hypothesis | None]:
    """Texts put together by what they mean, best first; and the likeliest text that contradicts itself."""
    # Opinions count alike: an order is as likely as the mean of the chances that they give.
    lexicon, by_order, refused = vocabulary.lexicon, dict[str, Hypothesis](), None
    for text, by_posteriors in sorted(weighed, key=lambda pair: -_log_mean(pair[1])):
        readings = orders_in_text(text.text, lexicon=lexicon, forms=vocabulary.forms)
        if not readings and refused is None and contradicts_itself(
            text.text, lexicon=lexicon, forms=vocabulary.forms
        ):
            refused = Hypothesis((), "", text, _log_mean(by_posteriors), by_posteriors)
        for orders in readings:
            order = printed(orders, lexicon.board)
            if order is None:
                continue
            likelier = by_order.get(order)
            cost = oddity_cost(orders, lexicon) + lone_code_cost(text.text, order, lexicon)
            chances = tuple(score - cost for score in by_posteriors)
            if likelier is not None:
                chances = tuple(_log_sum(pair) for pair in zip(chances, likelier.by_posteriors, strict=True))
            best = text if likelier is None else likelier.text
            by_order[order] = Hypothesis(orders, order, best, _log_mean(chances), chances)
    return _by_meaning(by_order.values(), lexicon)[:MOST_HYPOTHESES], refused


def _by_meaning(hypotheses: Iterable[Hypothesis], lexicon: Lexicon) -> tuple[Hypothesis, ...]:
    """Orders that differ in their units' kinds alone put together under the likeliest; best first."""
    by_meaning: dict[str | None, list[Hypothesis]] = {}
    for hypothesis in sorted(hypotheses, key=lambda each: -each.score):
        meaning = printed(without_kinds(hypothesis.orders), lexicon.board)
        by_meaning.setdefault(meaning, []).append(hypothesis)
    together = []
    for best, *others in by_meaning.values():
        if others:
            columns = zip(*(each.by_posteriors for each in (best, *others)), strict=True)
            chances = tuple(map(_log_sum, columns))
            together.append(replace(
                best, score=_log_mean(chances), by_posteriors=chances,
                unit_margin=min(FAR, best.score - others[0].score)))
        else:
            together.append(best)
    return tuple(sorted(together, key=lambda each: -each.score))


def to_candidates(decoded: DecodedLine, confidence: float | None = None) -> tuple[dict[str, object], ...]:
    """The best hypotheses as a line keeps them: {"text", "order", "score"}, scores 0..1 that sum to 1 or
    less, never rising. "text" is what the hand wrote if it meant this order ("Army Fife moves to Mar").

    The best one has `confidence`, and the others share the rest. Without `confidence` the line is rather no
    order, which takes a share too."""
    hypotheses = decoded.hypotheses[:MOST_CANDIDATES]
    if not hypotheses:
        return ()
    weights = [math.exp(hypothesis.score - hypotheses[0].score) for hypothesis in hypotheses]
    if confidence is None:
        no_order = math.exp(min(decoded.log_chance - hypotheses[0].score, MOST_SURE))
        shares = [weight / (sum(weights) + no_order) for weight in weights]
    else:
        rest = sum(weights[1:]) or 1.0
        # A confidence of 0.06 left 0.94 for the second, which fits worse: no share is larger than the first,
        # and what is left over belongs to orders that are not listed.
        shares = [confidence, *(
            min(confidence, (1.0 - confidence) * weight / rest) for weight in weights[1:])]
    return tuple({"text": text, "order": hypothesis.order, "score": round(share, 4)}
                 for hypothesis, text, share in zip(hypotheses, _texts_as_written(hypotheses), shares,
                                                    strict=True))


def _texts_as_written(hypotheses: Sequence[Hypothesis]) -> list[str]:
    """What the hand wrote by each hypothesis; the order where two have the same words, as of homonyms, so
    that no two readings look alike."""
    texts = [hypothesis.text.text for hypothesis in hypotheses]
    return [hypothesis.order if texts.count(text) > 1 else text
            for hypothesis, text in zip(hypotheses, texts, strict=True)]


def with_plain_text(candidates: Sequence[dict[str, object]], text: str) -> tuple[dict[str, object], ...]:
    """Candidates with the text as it was read freely, which is not an order, behind the best; still five at
    most.

    The best has MOST_UNEXPLAINED at most. The text has half of what that leaves, but no more than the best,
    and the others have the other half."""
    first, others = candidates[0], candidates[1 : MOST_CANDIDATES - 1]
    best = min(MOST_UNEXPLAINED, float(str(first["score"])))
    free = min(best, max(0.0, 1.0 - best) / 2)
    shared = [{**other, "score": round(min(free, float(str(other["score"])) / 2), 4)} for other in others]
    return ({**first, "score": best}, {"text": text, "order": None, "score": round(free, 4)}, *shared)


def _log_sum(logs: Sequence[float]) -> float:
    most = max(logs)
    return most + math.log(sum(math.exp(log - most) for log in logs))


def _log_mean(logs: Sequence[float]) -> float:
    return _log_sum(logs) - math.log(len(logs))
