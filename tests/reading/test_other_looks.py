"""INK-04: a line that waits for its letters passes if every other look at its ink reads the same order, each
by a margin; and for nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pytest

import maps
from adjudicator.calendar import PhaseKind
from ocr.decoding.open_reasons import OpenReason
from ocr.page import Posteriors, Row
from reading.line import InterpretedLine
from reading.other_looks import LEAST_CHANCE
from reading.page import PageReader
from reading.status import LineState
from reading.vocabulary import known_game, vocabulary_of
from tests.support.inked import LETTERS, ink, page, row

VARIANT = maps.load("w3k")
HEADING = ("Ada Marlowe", "Montrose", "Summer 1642 Movement Orders")
OTHERS = ("A York H", "F Lon - Ken")


@dataclass(frozen=True)
class Looks:
    """What three looks at a row would show."""

    shown: tuple[Posteriors, ...]

    def posteriors(self) -> tuple[Posteriors, ...]:
        return self.shown


def doubtful(text: str, place: int, letter: str, share: float) -> Posteriors:
    """Ink that shows another letter at one place with this share of the letter's chance."""
    sure = ink(text)
    chances = np.exp(sure.log_probs)
    column = LETTERS.index(text[place]) + 1
    chances[2 * place, LETTERS.index(letter) + 1] = share * chances[2 * place, column]
    chances[2 * place, column] *= 1 - share
    return Posteriors(np.log(chances).astype(np.float32), LETTERS)


def worn(text: str, share: float) -> Posteriors:
    """Ink whose every fourth letter is rather an x."""
    chances = np.exp(ink(text).log_probs)
    for place in range(0, len(text), 4):
        column = LETTERS.index(text[place]) + 1
        chances[2 * place, LETTERS.index("x") + 1] = share * chances[2 * place, column]
        chances[2 * place, column] *= 1 - share
    return Posteriors(np.log(chances).astype(np.float32), LETTERS)


def read(
    text: str, first: Posteriors, looks: Sequence[Posteriors], *, runs_on: bool = False
) -> InterpretedLine:
    """The line of a row in doubt between two plain orders."""
    unclear = replace(
        row(text, len(HEADING)), posteriors=first, looks=Looks(tuple(looks)) if looks else None,
        runs_on=runs_on)
    rows: list[str | Row] = [*HEADING, unclear]
    rows += [row(other, len(HEADING) + 1 + index) for index, other in enumerate(OTHERS)]
    reader = PageReader(vocabulary_of(VARIANT, PhaseKind.MOVEMENT))
    return reader.read_page(page(rows), [known_game(VARIANT)]).lines[len(HEADING)]


WRITTEN, PLACE, OTHER = "Army Montgomeryshire - Bedfordshire", 21, "S"
"""A dash that may be the S of a support."""
UNSURE = doubtful(WRITTEN, PLACE, OTHER, 0.45)
CLEAR = [ink(WRITTEN)] * 3


def test_a_line_passes_that_every_look_reads_alike() -> None:
    before, after = read(WRITTEN, UNSURE, ()), read(WRITTEN, UNSURE, CLEAR)
    assert (before.order, before.status) == ("A Montgomeryshire - Bedfordshire", LineState.OPEN)
    assert before.why_open == (OpenReason.UNSURE,)
    assert (after.order, after.status, after.why_open) == (before.order, LineState.AUTO, ())
    assert after.confidence >= LEAST_CHANCE
    assert after.candidates[0]["score"] == after.confidence


@pytest.mark.parametrize("share", [0.65, 0.95], ids=["hardly leads", "reads another"])
def test_one_look_in_doubt_is_enough_to_wait(share: float) -> None:
    odd = doubtful(WRITTEN, PLACE, OTHER, share)
    assert read(WRITTEN, UNSURE, [*CLEAR[:2], odd]) == read(WRITTEN, UNSURE, ())


def test_the_first_reading_must_lead_as_well() -> None:
    unsure = doubtful(WRITTEN, PLACE, OTHER, 0.65)
    assert read(WRITTEN, unsure, CLEAR) == read(WRITTEN, unsure, ())


def test_looks_that_agree_are_not_enough_where_the_letters_stay_unclear_to_each() -> None:
    """INK-04. Of 16 held-out lines on which all looks agreed below this chance five were wrong."""
    clear, unclear = [ink(WRITTEN)] * 3, [worn(WRITTEN, 0.6)] * 3
    assert read(WRITTEN, UNSURE, clear).status is LineState.AUTO
    assert read(WRITTEN, UNSURE, unclear) == read(WRITTEN, UNSURE, ())


def test_a_line_that_waits_for_more_than_its_letters_waits_still() -> None:
    after = read(WRITTEN, UNSURE, CLEAR, runs_on=True)
    assert after == read(WRITTEN, UNSURE, (), runs_on=True)
    assert OpenReason.RUNS_ON in after.why_open


def test_a_plain_word_of_no_list_waits_though_every_look_shows_the_nearest_name() -> None:
    """INK-03. The nearest is London, to each of them."""
    text = "Army Kent moves to Gondor"
    line = read(text, ink(text), [ink(text)] * 3)
    assert line.status is LineState.OPEN
    assert OpenReason.UNKNOWN_NAME in line.why_open


def test_a_line_that_passes_is_not_looked_at_again() -> None:
    @dataclass(frozen=True)
    class Never:
        def posteriors(self) -> tuple[Posteriors, ...]:
            raise AssertionError

    rows = [row(text, index) for index, text in enumerate((*HEADING, *OTHERS))]
    reader = PageReader(vocabulary_of(VARIANT, PhaseKind.MOVEMENT))
    lines = reader.read_page(
        page([replace(one_row, looks=Never()) for one_row in rows]), [known_game(VARIANT)]).lines
    assert [line.status for line in lines[len(HEADING):]] == [LineState.AUTO] * 2
