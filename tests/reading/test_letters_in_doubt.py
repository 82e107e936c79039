"""INK-03: the letter on which an order hangs, beside the sheet's own: "Lon" in a hand that closes its o's at
the top is Lan to the network, and that hand's a's look otherwise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np
import numpy.typing as npt
import pytest

import maps
from adjudicator.calendar import PhaseKind
from ocr.decoding.open_reasons import OpenReason
from ocr.page import LetterView, Posteriors, Row, RowLetters
from reading.line import InterpretedLine
from reading.page import PageReader
from reading.status import LineState
from reading.vocabulary import known_game, vocabulary_of
from tests.support.inked import page, row

VARIANT = maps.load("w3k")
HEADING = ("Ada Marlowe", "Montrose", "Summer 1642 Movement Orders")
OTHERS = ("Army Norwich moves to York", "Army Carmarthen - Essex")
"""Four small o's and two small a's."""

Floats = npt.NDArray[np.float32]


def pixels(seed: str, *size: int) -> Floats:
    """A picture by chance, of mean 0 and length 1: two of different seeds are not alike."""
    drawn = np.random.default_rng(ord(seed)).normal(size=size)
    drawn -= drawn.mean()
    return np.asarray(drawn / np.linalg.norm(drawn), np.float32)


def view(drawn: str, first_share: float) -> LetterView:
    """A letter that looks as `drawn` says: one letter, or two of which the first has the share
    `first_share`."""
    first, second = drawn[0], drawn[-1]
    mixed = [first_share * pixels(first, *size) + np.sqrt(1 - first_share**2) * pixels(second, *size)
             for size in ((20, 20), (42, 24))]
    shape, around = mixed if len(drawn) == 2 else (pixels(first, 20, 20), pixels(first, 42, 24))
    return LetterView(np.asarray(shape, np.float32), np.asarray(around, np.float32))


@dataclass(frozen=True)
class Drawn:
    """A row's ink: each letter looks as it reads, but for those of `otherwise`, by their place."""

    text: str
    otherwise: Mapping[int, str] = field(default_factory=dict)
    first_share: float = 0.62

    def posteriors(self) -> tuple[Posteriors, ...]:
        return ()


    def row_letters(self, middles: Sequence[float], spacing: float) -> RowLetters:
        assert spacing > 0
        places = [int(middle * len(self.text)) for middle in middles]
        return Letters([self.otherwise.get(place, self.text[place]) for place in places], self.first_share)


@dataclass(frozen=True)
class Letters:
    drawn: Sequence[str]
    first_share: float

    def view(self, index: int) -> LetterView | None:
        return view(self.drawn[index], self.first_share)


def read(
    text: str, otherwise: Mapping[int, str], others: Sequence[str] = OTHERS,
    odd: Mapping[str, Mapping[int, str]] = MappingProxyType({}),
) -> InterpretedLine:
    """The line of a row some of whose letters look otherwise, above rows whose letters look as they read, but
    for the `odd` ones of a row."""
    first = replace(row(text, len(HEADING)), looks=Drawn(text, otherwise))
    rows: list[str | Row] = [*HEADING, first]
    rows += [replace(row(other, len(HEADING) + 1 + index), looks=Drawn(other, odd.get(other, {})))
             for index, other in enumerate(others)]
    reader = PageReader(vocabulary_of(VARIANT, PhaseKind.MOVEMENT))
    return reader.read_page(page(rows), [known_game(VARIANT)]).lines[len(HEADING)]


CODE, PLACE = "A Lan - Ess", 3
"""London but for the letter of this place."""


def test_a_letter_waits_that_is_liker_to_those_of_a_near_order() -> None:
    assert read(CODE, {}).status is LineState.AUTO
    line = read(CODE, {PLACE: "ao"})
    assert (line.status, line.why_open) == (LineState.OPEN, (OpenReason.NEAR_ORDER,))
    assert line.order == "A Lancashire - Essex"


def test_one_letter_that_is_like_it_among_others_that_are_not_may_be_found_in_anothers_place() -> None:
    places = [place for place, letter in enumerate(OTHERS[0]) if letter == "o"]
    odd = {OTHERS[0]: dict.fromkeys(places[1:], "x")}
    assert len(places) == 4
    assert read(CODE, {PLACE: "ao"}, odd=odd).status is LineState.AUTO


def test_a_letter_like_nothing_of_the_sheet_passes() -> None:
    """Its own kind shows nothing then."""
    assert read(CODE, {PLACE: "o"}).status is LineState.AUTO
    assert read(CODE, {PLACE: "x"}).status is LineState.AUTO


@pytest.mark.parametrize("others", [
    (OTHERS[0], "Army Sutherland holds"), (OTHERS[1], "Fleet Ulster - Kent"),
], ids=["one a", "no o"])
def test_too_few_letters_of_either_kind_are_no_witnesses(others: Sequence[str]) -> None:
    assert read(CODE, {PLACE: "ao"}, others=others).status is LineState.AUTO


def test_letters_of_a_line_that_waits_are_no_witnesses() -> None:
    others = (OTHERS[1], "Army Norwich moves to York perhaps")
    assert read(CODE, {PLACE: "ao"}, others=others).status is LineState.AUTO


def test_a_c_is_not_held_for_an_e_of_which_it_is_a_part() -> None:
    others = (OTHERS[1], "Army Leicestershire moves to Norwich")
    assert read("A Brc - Ess", {4: "ce"}, others=others).status is LineState.AUTO
    assert read("A Bre - Ess", {4: "ec"}, others=others).status is LineState.OPEN


def test_a_units_letter_is_left_to_its_own_kind() -> None:
    """See tests/reading/test_unit_letters.py."""
    others = (*OTHERS, "F Lundy - Kent", "F Boston - Kent")
    assert read(CODE, {0: "AF"}, others=others).status is LineState.AUTO


def test_letters_are_of_no_use_where_the_ink_was_not_kept() -> None:
    rows = [row(text, index) for index, text in enumerate((*HEADING, CODE, *OTHERS))]
    lines = PageReader(vocabulary_of(VARIANT, PhaseKind.MOVEMENT)).read_page(
        page(rows), [known_game(VARIANT)]).lines
    assert {line.status for line in lines[len(HEADING):]} == {LineState.AUTO}
