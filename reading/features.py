"""The features of a decoded line's best order, from which its confidence is computed.

Lexical and of the ink only. For their meaning, unit and range see `ocr.decoding.confidence.Features`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
from rapidfuzz.distance import OSA

from adjudicator.orders import Move
from grammar.compose import Forms
from grammar.impossible import is_nonsense, oddity_cost
from grammar.interpret import (
    begun_names,
    ends_condition,
    has_broken_number,
    has_doubt,
    has_shared_short_form,
    has_shared_short_name,
    leaves_out_word,
    lone_words,
    place_spans,
)
from grammar.lexicon import Lexicon
from grammar.order_starts import order_starts
from grammar.order_traits import (
    differ_in_kinds_only,
    has_kindless_unit,
    has_strange_coast,
    helps_to_own_place,
    names_own_place,
)
from ocr.decoding.alignment import Alignment, ShownWords, WordFit, word_misfit
from ocr.decoding.confidence import FAR, Features
from ocr.decoding.ctc import FreeWord, free_words
from ocr.decoding.review_gate import is_plainly_struck, part_strike
from ocr.page import Posteriors, ReadLine
from reading.codes import LONGEST_CODE, codes_in, has_article_before_code, lone_code_cost
from reading.decode import DecodedLine, Hypothesis, best_alignment
from reading.vocabulary import Vocabulary

ORDER_WORD, LEAST_LETTERS = 0.7, 5
"""Share, 0..1, that counts of what an order's own word loses, and its fewest letters. Such words have few
rivals where they are: "Pleet Cardigan Bay holds" waited as if "Pleet" were a place of no list. With more
than one letter in five misread it waits still, and so does a shorter one: "Cornhill" was "Corn will". By
hand, on lines of writers for calibration."""


LEAST_IN_PIECES = 4
"""Letters of a name from which it may be read in pieces. By hand."""


PARTED = 0.12
"""Share of its letters, 0..1, that a written word has otherwise than the name and the word that it was read
as. By hand: one letter of "Kentmeve"."""


LEAST_LETTER, DIFFER = 0.3, 3.0
"""Chance, 0..1, the mean of the opinions, below which a letter of a code is rather another, and by what
factor opinions differ that are not of one mind. By hand."""


LOST_SIGN = 7.0
"""Nats lost on a dash from which the ink does not show it: a sign that it does not show at all costs 9. By
hand."""


LONE_WORD = 14.0
"""Nats that count as lost a letter where a word is plainly none of the game's: as much as a frame may
lose."""


def features_of(
    line: ReadLine, decoded: DecodedLine, alignments: Sequence[Alignment], vocabulary: Vocabulary
) -> Features:
    """The features of the best order. `decoded` has one. `alignments`: its own, by each of
    `decoded.ink.all`."""
    # A line with its corrections made is not an opinion of the line as it is. If the order was surely read on
    # it, it is the only opinion.
    lexicon = vocabulary.lexicon
    best, others, corrected = decoded.hypotheses[0], decoded.hypotheses[1:], _read_as_corrected(line, decoded)
    opinions = len(decoded.ink.opinions)
    fits = alignments[:opinions] if corrected is None else (alignments[opinions + corrected],)
    inks = decoded.ink.opinions if corrected is None else decoded.ink.corrections[corrected : corrected + 1]
    text = line.text if corrected is None else decoded.ink.corrected[corrected].text
    own_price = lone_code_cost(best.text.text, best.order, lexicon)
    best_fit = best_alignment(fits)
    misfits = [_word_misfit(best, fit, vocabulary) for fit in fits]

    def behind(other: Hypothesis) -> float:
        # An order that no one means is priced when orders are ranked. The price lends the ink no sureness:
        # a fleet convoyed must be as far behind by its ink as any other order. Nor is a clear code less sure
        # for its price: `reading.classify` holds it where the sheet has none.
        return best.score + own_price - other.score - oddity_cost(other.orders, lexicon)

    def margin_to(is_rival: Callable[[Hypothesis], bool]) -> float:
        return min([FAR, *(behind(other) for other in others if is_rival(other))])

    # "Army Kinsale to The Nore", a sea by its second name, is not an order, and passed as one to
    # Worcestershire by its code. What fits as well and has nothing is as near as an order.
    refused = FAR if decoded.refused is None else best.score + own_price - decoded.refused.score

    return Features(
        cost=best_fit.cost,
        margin=min(refused, margin_to(lambda _: True)),
        uncertainty=best_fit.haze,
        part_strike=max(part_strike(row.strike) for row in line.rows),
        word_misfit=sum(misfits) / len(misfits),
        name_loss=_name_loss(best, fits, lexicon),
        plain_other=_plain_other(best, fits, inks, lexicon),
        is_odd=_is_odd(text, best, best_fit, vocabulary),
        is_kindless=has_kindless_unit(best.orders),
        kind_margin=margin_to(lambda other: differ_in_kinds_only(best.orders, other.orders, lexicon)),
        unit_margin=best.unit_margin,
        is_corrected=corrected is not None,
    )


def _read_as_corrected(line: ReadLine, decoded: DecodedLine) -> int | None:
    """Index in `decoded.ink.corrected` of the line that the best order was read on; None if it was read on
    the line as it is, or a struck word is not surely struck."""
    scores, opinions = decoded.hypotheses[0].by_posteriors, len(decoded.ink.opinions)
    if len(scores) == opinions or not all(is_plainly_struck(row.strike) for row in line.rows):
        return None
    index = max(range(opinions, len(scores)), key=lambda number: scores[number])
    # If inserted words had to be left out, not every correction is read.
    is_corrected = index < opinions + len(decoded.ink.corrected)
    return index - opinions if is_corrected and scores[index] > max(scores[:opinions]) else None


def _names_way(best: Hypothesis, text: str) -> bool:
    """True for a move by convoy that only the places between show."""
    # "moves to Mordor" was a way by Moray to Dorset, by their codes and for the dash that it lacks.
    return any(isinstance(order, Move) and order.via_convoy for order in best.orders) and not any(
        word in text.casefold() for word in ("conv", "via")
    )


def _lacks_sign(best: Hypothesis, fits: Sequence[Alignment]) -> bool:
    """True if two places have a dash between them that no opinion shows."""
    # "A Surrey S F Selden", a place of no list, was a move from "Sel" to "Den". "Carrickfergus", put in above
    # a blacked-out word of the next row, was whereto the army went of "supports Army Caithness" above it.
    texts = best.text.text.split(" ")
    return any(
        text == "-" and all(
            fit.words[index].loss >= LOST_SIGN or (
                fit.words[index].start == fit.words[index].end
                and max(len(texts[index - 1]), len(texts[index + 1])) <= LONGEST_CODE)
            for fit in fits)
        for index, text in enumerate(texts[:-1]) if index
    )


def _is_odd(text: str, best: Hypothesis, fit: Alignment, vocabulary: Vocabulary) -> bool:
    """True if the order is one that no one means as it is, if it is one of two, or if the text holds a
    word of doubt."""
    lexicon = vocabulary.lexicon
    return (
        len(best.orders) != 1
        or names_own_place(best.orders)
        or helps_to_own_place(best.orders)
        or is_nonsense(best.orders, lexicon)
        or has_strange_coast(best.orders, lexicon)
        or has_broken_number(text, best.orders)
        or leaves_out_word(text, best.text.text, lexicon)
        or has_shared_short_form(text, best.text.text, best.orders, lexicon)
        or _names_way(best, text)
        or has_shared_short_name(best.text.text, best.orders, lexicon)
        or has_doubt(_without_places(text, best, lexicon), lexicon)
        # A misread "Then" is none in free reading.
        or ends_condition(fit.text)
    )


def _parts_word(
    best: Hypothesis, fits: Sequence[Alignment], opinions: Sequence[Posteriors], lexicon: Lexicon
) -> bool:
    """True if every opinion has one written word where the order has a name and something else, and not with
    their letters."""
    # "A Clare S A Kentmere - Mayo" passed as "A Clare S A Kent move - Mayo". Words that are written close
    # together have their own letters: "Caernarfonshivemoves".
    texts = best.text.text.lower().split(" ")
    owners = {
        index: number for number, span in enumerate(place_spans(best.text.text, best.orders, lexicon))
        for index in range(*span)}

    def is_parted(word: FreeWord, fit: Alignment) -> bool:
        parts = [
            index for index, part in enumerate(fit.words)
            if texts[index].isalnum() and min(part.end, word.end) > max(part.start, word.begin)]
        joined, written = "".join(texts[index] for index in parts), word.text.lower()
        if len({owners.get(index, -1 - index) for index in parts}) <= 1 or not any(
            index in owners for index in parts
        ):
            return False
        # "toDuislin" has lost its space: the "to" is there as it is.
        ends = ((parts[0], written[: len(texts[parts[0]])]), (parts[-1], written[-len(texts[parts[-1]]) :]))
        if any(
            index not in owners and OSA.distance(shown, texts[index]) <= len(shown) // LEAST_LETTERS
            for index, shown in ends
        ):
            return False
        return OSA.distance(written, joined) >= PARTED * len(joined)

    return all(
        any(is_parted(word, fit) for word in free_words(posteriors) if len(word.text) >= LEAST_IN_PIECES)
        for fit, posteriors in zip(fits, opinions, strict=True))


def _letter_chance(name: str, word: WordFit, posteriors: Posteriors) -> list[float]:
    """For each letter of a short name its chance, 0..1, where the name lies on the ink, in either case."""
    probs = posteriors.log_probs[max(0, word.start - 1) : word.end + 1]
    return [
        max((float(np.exp(probs[:, posteriors.letters.index(form) + 1].max()))
             for form in {letter.lower(), letter.upper()} if form in posteriors.letters), default=1.0)
        for letter in name]


def _is_guessed_code(
    best: Hypothesis, fits: Sequence[Alignment], opinions: Sequence[Posteriors], lexicon: Lexicon
) -> bool:
    """True if a letter of a place's code is rather another one, and opinions differ on which: what is refused
    when it is typed is refused in ink."""
    # "A ESX H": K .35, Y .32 and X .27 to one opinion, and Y .61 to the other. Only ESK is a code. But "MTB",
    # whose T is a Y to both, was written.
    texts, codes = best.text.text.split(" "), codes_in(best.text.text, best.order, lexicon)
    chances = (
        [_letter_chance(text, fit.words[index], posteriors)
         for fit, posteriors in zip(fits, opinions, strict=True)]
        for index, text in enumerate(texts) if text.casefold() in codes)
    return any(
        float(np.mean(of_letter)) < LEAST_LETTER and max(of_letter) > DIFFER * min(of_letter)
        for of_name in chances for of_letter in zip(*of_name, strict=True))


def _without_places(text: str, best: Hypothesis, lexicon: Lexicon) -> str:
    """A text as read freely without the words that name the order's provinces."""
    # "May", short for Mayo, would be a word of doubt; but "does not move" is not an order to Nottingham
    # ("Not").
    words = best.text.text.lower().split(" ")
    for first, end in place_spans(best.text.text, best.orders, lexicon):
        for word in words[first:end]:
            spellings = (word.capitalize(), word.upper()) if word in lexicon.doubt_words else (word,)
            flags = re.NOFLAG if word in lexicon.doubt_words else re.IGNORECASE
            # A name may be read in pieces: "Not tingham" denies nothing.
            written = "|".join(map(_in_pieces, spellings))
            text = re.sub(rf"\b(?:{written})\b", "", text, count=1, flags=flags)
            if word == "&":
                # Nor does an "&" that looks like a question mark ask anything.
                text = re.sub(r"(?<=\s)\?(?=\s)", "", text, count=1)
    return text


def _in_pieces(word: str) -> str:
    """A pattern for a word, in which a longer one may have spaces between its letters."""
    return " ?".join(map(re.escape, word)) if len(word) >= LEAST_IN_PIECES else re.escape(word)


def _word_misfit(best: Hypothesis, fit: Alignment, vocabulary: Vocabulary) -> float:
    """Nats lost a letter, by one opinion, in the name or other word that fits worst; 0 or more. A long word
    of the order forms counts for ORDER_WORD of what it loses."""
    names = place_spans(best.text.text, best.orders, vocabulary.lexicon)
    in_names = {index for name in names for index in range(*name)}
    texts, own_words = best.text.text.split(" "), order_words(vocabulary.forms, vocabulary.lexicon)
    # Signs by themselves are not words: a lost dash shows in the margin.
    others = [
        (ORDER_WORD if texts[index] in own_words else 1.0) * word_misfit([word])
        for index, word in enumerate(fit.words) if index not in in_names and word.letters
    ]
    return max([0.0, *others, *(word_misfit(fit.words[slice(*name)]) for name in names)])


@lru_cache(maxsize=8)
def order_words(forms: tuple[Forms, ...], lexicon: Lexicon) -> frozenset[str]:
    """The words of an order that name no place, power or number, from LEAST_LETTERS letters: the words for
    units and those of the order forms, in lower case."""
    keywords = (word for form in forms for word in form.ink_keywords)
    words = (*keywords, *(word for word, _ in order_starts(lexicon, forms).units))
    return frozenset(word for word in words if len(word) >= LEAST_LETTERS and word.isalpha())


def _name_loss(best: Hypothesis, fits: Sequence[Alignment], lexicon: Lexicon) -> float:
    """Nats lost a letter in the place's name that fits worst, by the opinion that it fits best."""
    return max((
        min(shown.loss for shown in opinions) / (1 + len(name))
        for name, opinions in _names_beside_ink(best, fits, lexicon)
    ), default=0.0)


def _plain_other(
    best: Hypothesis, fits: Sequence[Alignment], inks: Sequence[Posteriors], lexicon: Lexicon
) -> float:
    """Nats lost a letter in a name where every opinion reads one and the same other word; 0 where none does.
    LONE_WORD where no name of the game can be meant."""
    # "Leinster", perfectly clear and no name of the game, was corrected to the nearest name and passed.
    # A letter: of a long name two letters misread are likelier than another place so much like it.
    # "Riding", two letters from Reading, is a word of three other names: no one writes it for that one.
    # "Baden" is not Badenoch, nor "Stow" The Stewartry: only a beginning that is there as it is names one.
    # Nor is a code meant behind an article, or next to another where no opinion shows a dash.
    texts = best.text.text.split(" ")
    is_begun = any(
        all(fit.shown_in(index, index + 1).letters.casefold() != texts[index] for fit in fits)
        for index in begun_names(best.text.text, best.orders, lexicon))
    if (
        is_begun or _parts_word(best, fits, inks, lexicon) or _lacks_sign(best, fits)
        or _is_guessed_code(best, fits, inks, lexicon)
        or has_article_before_code(best.text.text, best.order, lexicon)
    ):
        return LONE_WORD
    lone = lone_words(lexicon)
    return max((
        max(min(shown.loss for shown in opinions) / (1 + len(name)),
            LONE_WORD if opinions[0].letters in lone else 0.0)
        for name, opinions in _names_beside_ink(best, fits, lexicon)
        if len({shown.letters for shown in opinions}) == 1 and opinions[0].letters != name
    ), default=0.0)


def _names_beside_ink(
    best: Hypothesis, fits: Sequence[Alignment], lexicon: Lexicon
) -> list[tuple[str, list[ShownWords]]]:
    """Each place's name in the text, its letters and figures alone, with what each opinion shows there."""
    words = best.text.text.split(" ")
    spans = place_spans(best.text.text, best.orders, lexicon)
    return [
        ("".join(filter(str.isalnum, "".join(words[first:end]))), [fit.shown_in(first, end) for fit in fits])
        for first, end in spans
    ]
