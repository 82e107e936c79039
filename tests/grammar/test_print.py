"""Orders in words: the handbook's for letters, the contract's for files."""

from __future__ import annotations

import pytest

from grammar.print import canonical, prose
from tests.grammar.boards import board, lexicon, read


@pytest.mark.parametrize(
    ("phase", "terse", "words"),
    [
        ("movement", "A London - Surrey", "Army London moves to Surrey"),
        ("movement", "A London H", "Army London holds"),
        ("movement", "A London S Kent", "Army London supports Kent"),
        ("movement", "A London S A Kent - Surrey", "Army London supports Army Kent to Surrey"),
        ("movement", "F Irish Sea C A Caernarfonshire - Dublin & the Pale",
         "Fleet Irish Sea convoys Army Caernarfonshire to Dublin & the Pale"),
        ("movement", "A Devon/South Coast converts to F", "Army Devon/South Coast converts to Fleet"),
        ("movement", "A London proxy Montrose", "Army London is under the orders of Montrose"),
        ("movement", "A London - Holland via convoy", "Army London moves to Holland via convoy"),
        ("retreat", "A London R Surrey", "Army London retreats to Surrey"),
        ("retreat", "A London disbands", "Army London disbands"),
        ("adjustment", "Build A Fort William", "Build an Army in Fort William"),
        ("adjustment", "Build F Devon/South Coast", "Build a Fleet in Devon/South Coast"),
        ("adjustment", "Remove F Lyme Bay", "Remove Fleet Lyme Bay"),
        ("adjustment", "Send 1 supply to Argyll", "Send 1 unit's supply to Argyll"),
        ("adjustment", "Send 2 supply to Argyll", "Send 2 units' supply to Argyll"),
    ],
)
def test_both_styles_and_both_are_read_back(phase: str, terse: str, words: str) -> None:
    (order,) = read(terse, phase).orders
    assert canonical(order, board()) == terse
    assert prose(order, board(), lexicon().kinds) == words
    assert read(words, phase).orders == (order,)


def test_full_names_are_printed_for_codes() -> None:
    (order,) = read("F STP/SC - BOT", slug="standard").orders
    assert canonical(order, board("standard")) == "F St Petersburg/South Coast - Gulf of Bothnia"


def test_powers_are_printed_by_their_names() -> None:
    (order,) = read("A London proxy Montrose").orders
    assert prose(order, board(), {}, {"Montrose": "the Marquess"}) == ("A London is under the orders of the "
                                                                       "Marquess")
