"""Letters that a hand makes like another, told by the words of its orders that are in no doubt.

    reviewed lines -> letters of their own words beside what the ink shows -> habits
    -> lines that wait for a strange name, read again with the habits -> reviewed lines

A hand whose r is an e to the recogniser writes "Aemy" and "Radmoeshiee": every name of it looks like one of
no list, and its lines teach the sheet's own hand (`reading.own_hand`) little, for they wait. But what stands
where an order has "Army" is in no doubt. Lexical only, and of the ink of this sheet alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from rapidfuzz.distance import Levenshtein

from grammar.interpret import place_spans
from ocr.decoding.alignment import Alignment
from ocr.decoding.open_reasons import OpenReason
from ocr.layout.wrap import as_line
from ocr.page import Posteriors, Row
from reading.classify import classify_line, heading_length, review_together
from reading.decode import decode_line
from reading.features import order_words
from reading.join_rows import JoinedLine
from reading.line import InterpretedLine
from reading.review import KNOWN_MISFIT, ReviewRules
from reading.status import LineState
from reading.vocabulary import Vocabulary

OF_NAMES = frozenset({OpenReason.UNKNOWN_NAME, OpenReason.UNSURE, OpenReason.MISFIT})
"""Reasons that habits may take away."""

PLAIN_MARGIN = 4.0
"""Nats to the next order from which a line's own words are in no doubt. By hand."""

LEAST_SEEN, LEAST_LINES, LEAST_SHARE = 3, 2, 0.25
"""A letter made like another: so many times, on so many lines, and in so large a share of its own, 0..1, at
least. By hand."""

KNOWN_NAME_LOSS = 1.1
"""Nats a letter, at most: `name_loss` of a line that waited for a strange name, with the habits. Well within
the threshold of the gate. By hand."""

Habits = Mapping[tuple[str, str], float]
"""By letter written and letter shown, both small: the share in which it is shown so, 0..1."""


@dataclass(frozen=True, slots=True)
class SeenLetter:
    """A letter of a word in no doubt, small: the one written, the one that the ink shows, and its line's
    place."""

    written: str
    shown: str
    line: int


def review_by_habits(
    lines: Sequence[JoinedLine], reviewed: Sequence[InterpretedLine], vocabulary: Vocabulary,
    rules: ReviewRules,
) -> tuple[InterpretedLine, ...]:
    """The lines of a page, those let pass that wait for a name which the hand's habits explain. `lines`: of
    the page; `reviewed`: their readings."""
    # Above the orders lines without text are left out; below, every line has its reading.
    below = heading_length(lines, vocabulary)
    joined = dict(enumerate(lines[below:], len(reviewed) - len(lines) + below))
    waiting = [index for index in joined if _waits_for_name(reviewed[index])]
    if not waiting:
        return tuple(reviewed)
    habits = habits_of([
        letter for index in joined if _is_plain(joined[index], reviewed[index])
        for letter in _letters(index, joined[index], reviewed[index], vocabulary)
    ])
    if not habits:
        return tuple(reviewed)
    again = list(reviewed)
    for index in waiting:
        again[index] = _read_again(joined[index], reviewed[index], habits, vocabulary, rules) or again[index]
    return review_together(again, vocabulary, rules)


def habits_of(letters: Sequence[SeenLetter]) -> Habits:
    """The letters that are made like another, of letters in no doubt."""
    written = Counter(letter.written for letter in letters)
    taken = Counter(
        (letter.written, letter.shown) for letter in letters if letter.written != letter.shown)
    lines: dict[tuple[str, str], set[int]] = {}
    for letter in letters:
        lines.setdefault((letter.written, letter.shown), set()).add(letter.line)
    return {
        pair: count / written[pair[0]] for pair, count in taken.items()
        if count >= LEAST_SEEN and len(lines[pair]) >= LEAST_LINES
        and count >= LEAST_SHARE * written[pair[0]]
    }


def _waits_for_name(line: InterpretedLine) -> bool:
    """True if a line waits for a strange name and for nothing but its letters."""
    return (
        line.status is LineState.OPEN and line.order is not None and not line.struck
        and line.features is not None and not line.features.is_corrected
        and OpenReason.UNKNOWN_NAME in line.why_open and OF_NAMES.issuperset(line.why_open)
    )


def _is_plain(joined: JoinedLine, line: InterpretedLine) -> bool:
    """True if a line's own words are in no doubt."""
    return (
        line.order is not None and not line.struck and line.features is not None
        and not line.features.is_corrected and line.features.margin >= PLAIN_MARGIN
        and joined.decoded is not None and bool(joined.decoded.hypotheses)
    )


def _letters(
    index: int, joined: JoinedLine, line: InterpretedLine, vocabulary: Vocabulary
) -> Iterator[SeenLetter]:
    """The letters of an order's own words, and of the names of one that passes, by every opinion, each beside
    the letter that the ink shows."""
    decoded = joined.decoded
    if decoded is None:
        return
    best = decoded.hypotheses[0]
    plain_words, texts = _plain_words(vocabulary), best.text.text.split(" ")
    names = place_spans(best.text.text, best.orders, vocabulary.lexicon)
    in_names = {place for name in names for place in range(*name)}
    for fit in decoded.alignments()[: len(decoded.ink.opinions)]:
        for place, word in enumerate(texts):
            is_plain = line.status is LineState.AUTO or (word in plain_words and place not in in_names)
            if is_plain and word.isalpha():
                yield from (SeenLetter(*pair, index) for pair in _beside(word, fit, place))


def _beside(word: str, fit: Alignment, place: int) -> Iterable[tuple[str, str]]:
    """The letters of a word, each beside the one shown in its place."""
    shown = fit.shown_in(place, place + 1).letters.casefold()
    for step in Levenshtein.opcodes(word, shown):
        written, beside = word[step.src_start : step.src_end], shown[step.dest_start : step.dest_end]
        if len(written) == len(beside):
            yield from zip(written, beside, strict=True)


def _plain_words(vocabulary: Vocabulary) -> frozenset[str]:
    """An order's own words, which name no place."""
    kinds = {kind.name.casefold() for kind in vocabulary.lexicon.kinds.values()}
    return order_words(vocabulary.forms, vocabulary.lexicon) | kinds


def _read_again(
    joined: JoinedLine, line: InterpretedLine, habits: Habits, vocabulary: Vocabulary, rules: ReviewRules
) -> InterpretedLine | None:
    """The line as it passes by the hand's habits; None where it does not, or reads otherwise."""
    ink = replace(as_line([row_by(row, habits) for row in joined.line.rows]), box=joined.line.box)
    decoded = decode_line(ink, vocabulary)
    if decoded is None or not decoded.hypotheses:
        return None
    again = classify_line(replace(joined, line=ink, decoded=decoded), vocabulary, rules)
    if (
        again.status is not LineState.AUTO or again.order != line.order or again.features is None
        or again.features.name_loss > KNOWN_NAME_LOSS or again.features.word_misfit_mean > KNOWN_MISFIT
    ):
        return None
    return again


def row_by(row: Row, habits: Habits) -> Row:
    """A row in which a letter is as likely where the one is shown that the hand makes it like."""
    return replace(
        row, posteriors=row.posteriors and posteriors_by(row.posteriors, habits),
        alternatives=tuple(
            replace(other, posteriors=other.posteriors and posteriors_by(other.posteriors, habits))
            for other in row.alternatives),
    )


def posteriors_by(posteriors: Posteriors, habits: Habits) -> Posteriors:
    """Posteriors with the habits' shares added; what shows stays as it is."""
    log_probs = posteriors.log_probs.copy()
    for (written, shown), share in habits.items():
        letter = posteriors.letters.find(written) + 1
        for form in {shown, shown.upper()}:
            other = posteriors.letters.find(form) + 1
            if letter and other:
                more = posteriors.log_probs[:, other] + np.float32(np.log(share))
                log_probs[:, letter] = np.logaddexp(log_probs[:, letter], more)
    return Posteriors(log_probs, posteriors.letters)
