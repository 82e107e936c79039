"""The one letter on which an order hangs, beside the same letter and the other in the sheet's sure lines.

    reviewed lines -> near orders a letter away -> views of those letters -> lines held

"A Lon" in a hand that closes its o at the top is "Lan" to the network, and this person's a's look otherwise:
so the line waits. Lexical only, and of the ink of this sheet alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from grammar.order_traits import differ_in_kinds_only
from ocr.decoding.open_reasons import OpenReason
from reading.classify import heading_length
from reading.decode import DecodedLine
from reading.join_rows import JoinedLine
from reading.line import InterpretedLine
from reading.sheet_letters import SheetLetter, SheetLetters, is_read_so, is_sure
from reading.status import LineState
from reading.vocabulary import Vocabulary

RIVAL = 8.0
"""Nats to another order, below which its letter is compared. Beyond it lie letters that nobody makes
alike: one that the ink does not show costs up to 6 where it is often misread so, and 9 else."""

LEAST_OWN, LEAST_RIVALS = 2, 1
"""Letters of its own kind and of the other that a sheet must have beside one that passes, for the other's to
speak against it."""

LIKE, LEAST_LIKE, HOLDS = 0.7, 0.55, 0.1
"""-1..1. LIKE: least likeness of a letter to the likest of the other kind; LEAST_LIKE: to its own, below
which its own letters show nothing. HOLDS: by how much it is liker to the other kind, from which it is for a
person; half as much to the second of that kind, where there is one. Chosen on sheets of writers for
calibration (training/README.md)."""

PART_OF: Mapping[str, str] = {"c": "aeo"}
"""Letters whose strokes are all in others: a c is as like an e as two e's are alike, on one sheet in ten."""


@dataclass(frozen=True, slots=True)
class _Rival:
    """Another order that is a letter away: the letter's place in the text, and the other sign there."""

    place: int
    sign: str


def review_letters_in_doubt(
    lines: Sequence[JoinedLine], reviewed: Sequence[InterpretedLine], vocabulary: Vocabulary,
) -> tuple[InterpretedLine, ...]:
    """The lines of a page, those held whose one letter looks like another order's. `lines`: of the page;
    `reviewed`: their readings."""
    # Above the orders lines without text are left out; below, every line has its reading.
    below = heading_length(lines, vocabulary)
    joined = {
        index: line
        for index, line in enumerate(lines[below:], len(reviewed) - len(lines) + below)
        if line.decoded is not None and is_read_so(reviewed[index], line.decoded)
    }
    letters = SheetLetters(
        joined, [index for index, line in joined.items() if is_sure(line, reviewed[index])])
    return tuple(
        line.for_review(OpenReason.NEAR_ORDER)
        if line.status is LineState.AUTO and index in joined and any(
            _speaks_against(letters, index, rival)
            for rival in _rivals(joined[index].decoded, vocabulary))
        else line
        for index, line in enumerate(reviewed)
    )


def _rivals(decoded: DecodedLine | None, vocabulary: Vocabulary) -> list[_Rival]:
    """The orders near a line that are one letter away."""
    if decoded is None:
        return []
    best, *others = decoded.hypotheses
    rivals = [
        _other_letter(best.text.text, other.text.text) for other in others
        if best.score - other.score < RIVAL
        # A kind is one of two letters, which the margin to it tells better.
        and not differ_in_kinds_only(best.orders, other.orders, vocabulary.lexicon)
    ]
    return [rival for rival in rivals if rival is not None]


def _other_letter(text: str, other: str) -> _Rival | None:
    """The one letter in which another text differs; None where it differs in more, or in length."""
    if len(text) != len(other):
        return None
    different = [
        (place, sign, rival) for place, (sign, rival) in enumerate(zip(text, other, strict=True))
        if sign.casefold() != rival.casefold()
    ]
    if len(different) != 1:
        return None
    ((place, sign, rival),) = different
    return _Rival(place, rival.casefold()) if sign.isalpha() and rival.isalpha() else None


def _speaks_against(letters: SheetLetters, index: int, rival: _Rival) -> bool:
    """True if the one letter in which another order differs is plainly liker to that order's letters."""
    letter, sign = letters.letter(index, rival.place), rival.sign
    if letter is None:
        return False
    to_own = _likes(letter, letters.witnesses(letter.sign, letter))
    if len(to_own) < LEAST_OWN or not LEAST_LIKE <= to_own[0] < 1.0 - HOLDS or sign in _wholes(letter.sign):
        return False
    to_rivals = _likes(letter, letters.witnesses(_cased(sign, letter), letter))
    if len(to_rivals) < LEAST_RIVALS or to_rivals[0] < LIKE:
        return False
    # A letter that was found in another's place, an i for an a, was the one that was so very like.
    return to_rivals[0] - to_own[0] > HOLDS and to_rivals[:2][-1] - to_own[0] > HOLDS / 2


def _wholes(part: str) -> str:
    """The letters that a letter is a part of, small."""
    return PART_OF.get(part.casefold(), "")


def _cased(sign: str, letter: SheetLetter) -> str:
    """Another sign in a letter's case."""
    return sign.upper() if letter.sign.isupper() else sign.lower()


def _likes(letter: SheetLetter, others: Iterable[SheetLetter]) -> list[float]:
    """-1..1: the likeness of a letter to each of others, the likest first."""
    # Imported here: it loads the library of pictures, and a worker that only sends mail needs none.
    from ocr.image.letter_view import likeness

    return sorted((likeness(letter.view, other.view) for other in others), reverse=True)
