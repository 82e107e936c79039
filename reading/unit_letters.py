"""The letters that stand for units, A and F, beside the others of their sheet, as pixels.

    reviewed lines -> shapes of their units' letters -> lines held, and lines of which the letter is settled

A person may make an F like a crossed 7, and the network be sure of an A. That person's plain A's look
otherwise, and the network is often right about another F, which looks the same. So a letter that is more like
the sheet's letters of the other kind than like those of its own is for a person; where the other kind has one
letter, if it is none of its own kind besides. And where the network is not
sure which of the two it is, the other letters tell: a line that waits for that alone passes where they say
what the network says, and one waits with the other order first where they say the other. Lexical only, and of
the ink of this sheet alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from grammar.lexicon import Lexicon
from grammar.order_traits import differ_in_kinds_only
from ocr.decoding.alignment import Alignment, align
from ocr.decoding.letter_likeness import likeness
from ocr.decoding.open_reasons import OpenReason
from ocr.page import LetterShape, Row
from reading.classify import classify_line, heading_length, review_together
from reading.decode import Hypothesis
from reading.join_rows import JoinedLine
from reading.line import InterpretedLine
from reading.review import ReviewRules
from reading.sheet_letters import is_read_so
from reading.status import LineState
from reading.vocabulary import Vocabulary

WITNESSES = 2
"""Letters of each kind that a sheet must have beside the one looked at, unless that is told by LIKE_ONE; so
many of each, the likest, count. By hand."""

LEAST = 3
"""Letters of both kinds together that a sheet must have beside the one looked at. By hand."""

LIKE, UNLIKE, SETTLED, UNLIKE_ALL = 0.6, 0.04, 0.1, 0.15
"""-1..1. LIKE: least likeness to letters of a kind. UNLIKE: by how much a letter is liker to the other kind,
from which it is for a person. SETTLED: by how much liker to one kind, from which a letter in doubt is of that
kind. UNLIKE_ALL: by how much a letter in doubt is less like the other kind than that kind's letters are like
each other, from which it is none of them, where its own kind has no other."""

LIKE_ONE, UNLIKE_OWN = 0.7, 0.1
"""-1..1, where the other kind has one witness. LIKE_ONE: least likeness to it. UNLIKE_OWN: by how much a
letter is less like its own kind than that kind's letters are like each other, at least. On 112 sheets of
writers for calibration, each F in turn the only one, .57 of the F's taken for A's were found so and .008 of
the A's."""

UNLIKE_DOUBTED = 0.2
"""-1..1: by how much a letter is liker to letters of the other kind that are in doubt themselves, at least,
and LIKE_ONE. Of 565 letters of sheets by writers for calibration that pass none is; of 147 F's that had been
taken for A's, another in doubt, .55 would be (.39 where no two are the same recorded letter)."""

SURE_KIND = 6.0
"""Nats to the other kind, from which a line's letters are witnesses. A letter that the network is sure of is
6.2 away."""

TURNED = 4.3
"""Nats to the reading with another kind, below which the letters of the sheet may put that one first."""

OF_KIND = frozenset({OpenReason.UNIT_LETTER, OpenReason.UNSURE, OpenReason.NEAR_ORDER})
"""Reasons that a letter in doubt may give."""


@dataclass(frozen=True, slots=True)
class UnitLetter:
    """A unit's letter of a line: the kind that it was read as, and its shape. `line`: the line's place;
    `word`: its own among the line's words."""

    line: int
    word: int
    kind: str
    shape: LetterShape


def review_unit_shapes(
    lines: Sequence[JoinedLine], reviewed: Sequence[InterpretedLine], vocabulary: Vocabulary,
    rules: ReviewRules,
) -> tuple[InterpretedLine, ...]:
    """The lines of a page by the shapes of their units' letters. `lines`: of the page; `reviewed`: their
    readings."""
    # Above the orders lines without text are left out; below, every line has its reading.
    below = heading_length(lines, vocabulary)
    joined = {
        index: line
        for index, line in enumerate(lines[below:], len(reviewed) - len(lines) + below)
        if line.decoded is not None and is_read_so(reviewed[index], line.decoded)
    }
    letters = _letters(joined, reviewed, vocabulary.lexicon)
    every = [letter for of_line in letters.values() for letter in of_line]
    witnesses = [letter for letter in every if _is_sure(reviewed[letter.line])]
    doubted = [letter for letter in every if not _is_sure(reviewed[letter.line])]
    again = list(reviewed)
    for index, of_line in letters.items():
        line = reviewed[index]
        if line.status is LineState.AUTO:
            if any(prefers(letter, witnesses) < -UNLIKE or _is_like_one(letter, witnesses)
                   or _is_like_doubted(letter, witnesses, doubted) for letter in of_line):
                again[index] = line.for_review(OpenReason.UNIT_LETTER)
        elif OpenReason.UNIT_LETTER in line.why_open:
            again[index] = _settled(index, joined[index], line, of_line, witnesses, vocabulary, rules)
    together = review_together(again, vocabulary, rules)
    return tuple(
        # A small letter among large ones, which is like them but for its size.
        replace(line, status=LineState.AUTO, why_open=())
        if line.status is LineState.AUTO and {*together[index].why_open} <= {OpenReason.UNIT_LETTER}
        else together[index] if line.status is LineState.AUTO else line
        for index, line in enumerate(again)
    )


def prefers(letter: UnitLetter, witnesses: Sequence[UnitLetter], fewest: int = WITNESSES) -> float:
    """-1..1: by how much a letter looks more like those of its own kind than like those of the other; 0 where
    it is like neither, or there are fewer than `fewest` of either kind or fewer than LEAST of both."""
    own_kind, other_kind = _others(letter, witnesses)
    if min(len(own_kind), len(other_kind)) < fewest or len(own_kind) + len(other_kind) < LEAST:
        return 0.0
    like_own, like_other = _like(letter, own_kind), _like(letter, other_kind)
    return like_own - like_other if max(like_own, like_other) >= LIKE else 0.0


def _is_like_one(letter: UnitLetter, witnesses: Sequence[UnitLetter]) -> bool:
    """True if a letter is like the only one of the other kind, and none of its own, which are alike."""
    own_kind, other_kind = _others(letter, witnesses)
    if len(own_kind) < WITNESSES or len(other_kind) != 1:
        return False
    like_own, like_other = _like(letter, own_kind), _like(letter, other_kind)
    return (
        like_other >= LIKE_ONE and like_other - like_own > UNLIKE
        and _least_likeness(own_kind) - like_own > UNLIKE_OWN
    )


def _is_like_doubted(
    letter: UnitLetter, witnesses: Sequence[UnitLetter], doubted: Sequence[UnitLetter]
) -> bool:
    """True if a letter is like those of the other kind that are in doubt themselves, and not like its own."""
    own_kind, other_kind = _others(letter, witnesses)[0], _others(letter, doubted)[1]
    if len(own_kind) < WITNESSES or not other_kind:
        return False
    like_other = _like(letter, other_kind)
    return like_other >= LIKE_ONE and like_other - _like(letter, own_kind) > UNLIKE_DOUBTED


def _least_likeness(letters: Sequence[UnitLetter]) -> float:
    """How like the others the one is that is least like them. There are two."""
    return min(_like(each, _others(each, letters)[0]) for each in letters)


def _is_unlike(letter: UnitLetter, witnesses: Sequence[UnitLetter]) -> bool:
    """True if a letter is plainly less like those of the other kind than any of them is like the rest."""
    own_kind, other_kind = _others(letter, witnesses)
    if own_kind or len(other_kind) < LEAST:
        return False
    return _least_likeness(other_kind) - _like(letter, other_kind) > UNLIKE_ALL


def _others(
    letter: UnitLetter, witnesses: Sequence[UnitLetter]
) -> tuple[list[UnitLetter], list[UnitLetter]]:
    """The witnesses beside a letter: of its own kind, and of the other."""
    beside = [each for each in witnesses if (each.line, each.word) != (letter.line, letter.word)]
    return ([each for each in beside if each.kind == letter.kind],
            [each for each in beside if each.kind != letter.kind])


def _like(letter: UnitLetter, others: Sequence[UnitLetter]) -> float:
    """-1..1: the mean likeness of a letter to the WITNESSES others that it is likest. There is one."""
    likest = sorted((likeness(letter.shape, each.shape) for each in others), reverse=True)[:WITNESSES]
    return sum(likest) / len(likest)


def _is_sure(line: InterpretedLine) -> bool:
    """True if the letters of a line's units are surely read."""
    return line.features is not None and line.features.kind_margin >= SURE_KIND


def _letters(
    lines: Mapping[int, JoinedLine], reviewed: Sequence[InterpretedLine], lexicon: Lexicon
) -> dict[int, tuple[UnitLetter, ...]]:
    """The letters for units by line; none where the sheet has too few witnesses of either kind."""
    texts = {
        index: line.decoded.hypotheses[0] for index, line in lines.items() if line.decoded is not None
    }
    kinds = [
        kind for index, best in texts.items() if _is_sure(reviewed[index])
        for _, kind in _kind_words(best, lexicon)
    ]
    if len(kinds) < LEAST:
        return {}
    return {index: tuple(unit_letters(index, lines[index], best, lexicon)) for index, best in texts.items()}


def unit_letters(
    index: int, joined: JoinedLine, hypothesis: Hypothesis, lexicon: Lexicon
) -> Iterator[UnitLetter]:
    """The letters for units in the text of one reading of a line, where its ink was kept."""
    decoded, places = joined.decoded, _kind_words(hypothesis, lexicon)
    if decoded is None or not places:
        return
    fit = align(decoded.decoder, decoded.ink.opinions[0], hypothesis.text)
    for place, kind in places:
        shape = _shape(joined.line.rows, fit, place)
        if shape is not None:
            yield UnitLetter(index, place, kind, shape)


def _kind_words(hypothesis: Hypothesis, lexicon: Lexicon) -> list[tuple[int, str]]:
    """The words of a text that are units' letters, by their place, each with its kind."""
    words = hypothesis.text.text.split(" ")
    kind_words = {kind.name.casefold() for kind in lexicon.kinds.values()}
    return [
        (place, word.upper()) for place, (word, after) in enumerate(zip(words, [*words[1:], ""], strict=True))
        # "Build a Fleet" has an article.
        if word.upper() in lexicon.kinds and after.casefold() not in kind_words
    ]


def _shape(rows: Sequence[Row], fit: Alignment, place: int) -> LetterShape | None:
    """The shape of one word of a line, from the row that it is in."""
    word = fit.words[place]
    before = fit.words[place - 1].end if place else 0
    after = fit.words[place + 1].start if place + 1 < len(fit.words) else len(fit.face_losses)
    first = 0
    for row in rows:
        # Between rows is a frame of no row, see `ocr.decoding.ctc.line_posteriors`.
        frames = 0 if row.posteriors is None else len(row.posteriors.log_probs)
        if first <= word.start < word.end <= first + frames and row.looks is not None:
            bounds = (before, word.start, word.end, after)
            return row.looks.letter_shape(*(min(1.0, max(0.0, (bound - first) / frames)) for bound in bounds))
        first += frames + 1
    return None


def _settled(
    index: int, joined: JoinedLine, line: InterpretedLine, letters: Sequence[UnitLetter],
    witnesses: Sequence[UnitLetter], vocabulary: Vocabulary, rules: ReviewRules,
) -> InterpretedLine:
    """A line that waits for its unit's letter, as the sheet's other letters settle it; as it is where they do
    not. `index`: its place."""
    decoded, lexicon = joined.decoded, vocabulary.lexicon
    if decoded is None:
        return line
    best, *others = decoded.hypotheses
    rivals = [other for other in others if differ_in_kinds_only(best.orders, other.orders, lexicon)]
    if _are_settled(letters, best, witnesses, lexicon):
        rest = tuple(each for each in decoded.hypotheses if each not in rivals)
        again = classify_line(
            replace(joined, decoded=replace(decoded, hypotheses=rest)), vocabulary, rules)
        passes = again.status is LineState.AUTO and {*line.why_open} <= OF_KIND
        return again if passes else line
    for rival in rivals:
        if best.score - rival.score < TURNED and _are_settled(
            tuple(unit_letters(index, joined, rival, lexicon)), rival, witnesses, lexicon
        ):
            turned = (rival, *(each for each in decoded.hypotheses if each is not rival))
            again = classify_line(
                replace(joined, decoded=replace(decoded, hypotheses=turned)), vocabulary, rules)
            return again if again.status is not LineState.AUTO else again.for_review(OpenReason.UNIT_LETTER)
    return line


def _are_settled(
    letters: Sequence[UnitLetter], hypothesis: Hypothesis, witnesses: Sequence[UnitLetter], lexicon: Lexicon
) -> bool:
    """True if every letter for a unit is plainly like the sheet's others of its kind."""
    return len(letters) == len(_kind_words(hypothesis, lexicon)) > 0 and all(
        prefers(letter, witnesses, fewest=1) >= SETTLED or _is_unlike(letter, witnesses)
        for letter in letters)
