"""A doubtful letter beside plain ones of the same hand (ORD-04): a crossed 7 is an F where the sheet's A is no crossed 7."""

from __future__ import annotations

import pytest

from ocr.confidence import Features
from service.kinds_by_hand import kinds_by_hand
from service.readable import ReadableLine
from service.store.tables import LineState
from tests.grammar.boards import lexicon

BOX = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))


def line(text: str, order: str, kind_margin: float, *rivals: str, status: LineState = LineState.AUTO, struck: bool = False) -> ReadableLine:
    told = tuple({"text": one, "order": one, "score": 0.5 / n} for n, one in enumerate((order, *rivals), 1))
    seen = Features(cost=0.0, worst=0.0, margin=kind_margin, near_margin=kind_margin, kind_margin=kind_margin)
    return ReadableLine(BOX, "order", struck, text, None if struck else order, 0.9, status, told, seen)


PLAIN = (line("A Dub - Louth", "A Dublin - Louth", 6.2), line("A Kent h", "A Kent H", 7.0))
DOUBTFUL = line("A BRN H", "A Barnstaple Bay H", 4.4, "F Barnstaple Bay H", "A Brittany H", status=LineState.OPEN)


def read(*lines: ReadableLine) -> ReadableLine:
    """The last of these lines of one sheet."""
    return kinds_by_hand(lines, lexicon())[-1]


def test_a_doubtful_letter_beside_plain_ones_is_the_other() -> None:
    found = read(*PLAIN, DOUBTFUL)
    assert (found.text, found.order, found.status) == ("F BRN H", "F Barnstaple Bay H", LineState.OPEN)
    assert [(one["order"], one["score"]) for one in found.candidates] == [
        ("F Barnstaple Bay H", 0.5), ("A Barnstaple Bay H", 0.25), ("A Brittany H", 0.5 / 3)]


def test_such_a_line_never_passes_without_a_look() -> None:
    passing = line("A BRN H", "A Barnstaple Bay H", 4.4, "F Barnstaple Bay H", status=LineState.AUTO)
    assert read(*PLAIN, passing).status is LineState.OPEN


def test_the_unit_that_is_helped_is_told_so_too() -> None:
    helped = line("A Lmk s A Ath", "A Limerick S A Atholl", 0.5, "A Limerick S F Atholl", status=LineState.OPEN)
    found = read(*PLAIN, helped)
    assert (found.text, found.order) == ("A Lmk s F Ath", "A Limerick S F Atholl")


@pytest.mark.parametrize(
    "sheet",
    [
        (),
        PLAIN[:1],
        (*PLAIN, line("F Hull h", "F Hull H", 9.0)),
        (line("Army Dub - Louth", "A Dublin - Louth", 6.2), line("Army Kent h", "A Kent H", 7.0)),
        (line("A Dub - Louth", "A Dublin - Louth", 5.5), line("A Kent h", "A Kent H", 5.5)),
        (line("A Dub - Louth", "A Dublin - Louth", 6.2, struck=True), line("A Kent h", "A Kent H", 7.0, struck=True)),
    ],
    ids=["alone", "one plain letter", "the other kind plain too", "words, no letters", "none plain", "struck"],
)
def test_it_stays_as_it_was_read_where_the_sheet_does_not_tell(sheet: tuple[ReadableLine, ...]) -> None:
    assert read(*sheet, DOUBTFUL) is DOUBTFUL


@pytest.mark.parametrize(
    "doubtful",
    [
        line("Army BRN H", "A Barnstaple Bay H", 4.4, "F Barnstaple Bay H"),
        line("A BRN H", "A Barnstaple Bay H", 5.0, "F Barnstaple Bay H"),
        line("A BRN H", "A Barnstaple Bay H", 4.4, "F Brittany H"),
        line("A BRN s A Kent", "A Barnstaple Bay S A Kent", 4.4, "F Barnstaple Bay S F Kent"),
        line("F BRN H", "F Barnstaple Bay H", 4.4, "A Barnstaple Bay H"),
        line("A BRN H", "A Barnstaple Bay H", 4.4, "F Barnstaple Bay H", struck=True),
    ],
    ids=["a word", "plain enough", "another place", "two letters at once", "not the plain one", "struck"],
)
def test_other_lines_stay_as_they_were_read(doubtful: ReadableLine) -> None:
    assert read(*PLAIN, doubtful) is doubtful
