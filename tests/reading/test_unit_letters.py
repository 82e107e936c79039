"""INK-03: a unit's letter beside the sheet's others, as pixels. An F like a crossed 7 is an A to the network,
and the other A's of its hand are plain; where the network is in doubt, they tell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pytest

import maps
from adjudicator.calendar import PhaseKind
from ocr.decoding.open_reasons import OpenReason
from ocr.page import LetterShape, Posteriors, Row, RowLetters
from reading.line import InterpretedLine
from reading.page import PageReader
from reading.status import LineState
from reading.vocabulary import known_game, vocabulary_of
from tests.support.inked import LETTERS, Unseen, ink, page, row

VARIANT = maps.load("w3k")
HEADING = ("Ada Marlowe", "Montrose", "Summer 1642 Movement Orders")
OTHERS = ("A York H", "A Ipswich H", "A Norwich H", "F Boston - Kent", "F Lundy H")


def shape(seed: str) -> LetterShape:
    """A shape by chance: two of one seed are alike, and two of different seeds are not."""
    pixels = np.random.default_rng(ord(seed)).normal(size=(20, 20)).astype(np.float32)
    pixels -= pixels.mean()
    return np.asarray(pixels / np.linalg.norm(pixels), np.float32)


@dataclass(frozen=True)
class Shapes:
    """A row's ink, of which only the shapes of some letters are known, by their place in its text."""

    text: str
    drawn: Mapping[int, str]

    def posteriors(self) -> tuple[Posteriors, ...]:
        return ()

    def letter_shape(self, before: float, start: float, end: float, after: float) -> LetterShape | None:
        assert before <= start < end <= after
        drawn = self.drawn.get(round(start * len(self.text)))
        return None if drawn is None else shape(drawn)

    def row_letters(self, middles: Sequence[float], spacing: float) -> RowLetters:
        return Unseen()


def inked(text: str, number: int, first: str, posteriors: Posteriors | None = None) -> Row:
    """A row whose first letter looks as `first` does."""
    plain = row(text, number)
    return replace(plain, posteriors=posteriors or plain.posteriors, looks=Shapes(text, {0: first}))


def read(
    text: str, first: str, posteriors: Posteriors | None = None, others: Sequence[str] = OTHERS,
    shapes: Sequence[str] = (),
) -> InterpretedLine:
    """The line of a row whose first letter looks as `first` does, above rows whose letters look as `shapes`
    say, or as they read."""
    rows: list[str | Row] = [*HEADING, inked(text, len(HEADING), first, posteriors)]
    looks = shapes or [other[0] for other in others]
    rows += [inked(other, len(HEADING) + 1 + index, looks[index]) for index, other in enumerate(others)]
    reader = PageReader(vocabulary_of(VARIANT, PhaseKind.MOVEMENT))
    return reader.read_page(page(rows), [known_game(VARIANT)]).lines[len(HEADING)]


def doubtful(text: str, other: str, share: float) -> Posteriors:
    """Ink whose first letter shows another with this share of its chance."""
    sure = ink(text)
    chances = np.exp(sure.log_probs)
    columns = [LETTERS.index(letter) + 1 for letter in (text[0], other)]
    whole = chances[0, columns[0]]
    chances[0, columns] = ((1 - share) * whole, share * whole)
    return Posteriors(np.log(chances).astype(np.float32), LETTERS)


def test_a_letter_waits_that_looks_like_the_other_kinds() -> None:
    line = read("A Kent H", "F")
    assert (line.status, line.why_open) == (LineState.OPEN, (OpenReason.UNIT_LETTER,))
    assert line.order == "A Kent H"


def test_a_letter_passes_that_looks_like_its_own_kind_or_like_none() -> None:
    assert read("A Kent H", "A").status is LineState.AUTO
    assert read("A Kent H", "X").status is LineState.AUTO


def test_one_letter_of_its_own_kind_shows_nothing() -> None:
    assert read("A Kent H", "F", others=("A York H", *OTHERS[3:])).status is LineState.AUTO


@pytest.mark.parametrize(("shapes", "state"), [("AAAF", LineState.OPEN), ("AYAF", LineState.AUTO)])
def test_one_letter_of_the_other_kind_speaks_against_one_unlike_its_own_which_are_alike(
    shapes: str, state: LineState
) -> None:
    """s337's second F, like a crossed 7. Who makes an A in two ways may make it in three."""
    line = read("A Kent H", "F", others=OTHERS[:4], shapes=shapes)
    assert line.status is state
    assert read("A Kent H", "A", others=OTHERS[:4], shapes=shapes).status is LineState.AUTO


@pytest.mark.parametrize(("first", "state"), [("F", LineState.OPEN), ("A", LineState.AUTO)])
def test_a_letter_waits_that_looks_like_a_doubted_one_of_the_other_kind(
    first: str, state: LineState
) -> None:
    """s337's F's, like a crossed 7: an A for sure, and an F in doubt, which is no witness."""
    rows: list[str | Row] = [*HEADING, inked("A Kent H", len(HEADING), first)]
    rows += [inked(other, len(rows) + index, "A") for index, other in enumerate(OTHERS[:3])]
    rows.append(inked("F Lundy H", len(rows), "F", doubtful("F Lundy H", "A", 0.3)))
    reader = PageReader(vocabulary_of(VARIANT, PhaseKind.MOVEMENT))
    lines = reader.read_page(page(rows), [known_game(VARIANT)]).lines
    assert [line.status for line in lines[-5:-1]] == [state, *[LineState.AUTO] * 3]
    assert (lines[-5].order, lines[-1].order) == ("A Kent H", "F Lundy H")


def test_a_letter_in_doubt_is_settled_by_the_others_of_the_sheet() -> None:
    unsure = doubtful("A Kent H", "F", 0.2)
    assert OpenReason.UNIT_LETTER in read("A Kent H", "X", unsure).why_open
    settled = read("A Kent H", "A", unsure)
    assert (settled.order, settled.status, settled.why_open) == ("A Kent H", LineState.AUTO, ())


def test_a_letter_in_doubt_that_looks_like_the_other_kinds_comes_second_and_waits() -> None:
    line = read("A Kent H", "F", doubtful("A Kent H", "F", 0.2))
    assert (line.order, line.status) == ("F Kent H", LineState.OPEN)
    assert OpenReason.UNIT_LETTER in line.why_open


def test_a_letter_that_the_network_is_sure_of_is_never_turned() -> None:
    assert read("A Kent H", "F", ink("A Kent H")).order == "A Kent H"


def test_a_letter_in_doubt_unlike_all_of_the_other_kind_is_none_of_them() -> None:
    """Three A's, all alike, and no F that is sure."""
    line = read("F Kent H", "X", doubtful("F Kent H", "A", 0.2), others=OTHERS[:3])
    assert (line.order, line.status) == ("F Kent H", LineState.AUTO)
    line = read("F Kent H", "X", doubtful("F Kent H", "A", 0.2), others=OTHERS[:2])
    assert line.status is LineState.OPEN


def test_shapes_are_of_no_use_where_the_ink_was_not_kept() -> None:
    rows = [row(text, index) for index, text in enumerate((*HEADING, "A Kent H", *OTHERS))]
    lines = PageReader(vocabulary_of(VARIANT, PhaseKind.MOVEMENT)).read_page(
        page(rows), [known_game(VARIANT)]).lines
    assert {line.status for line in lines[len(HEADING):]} == {LineState.AUTO}
