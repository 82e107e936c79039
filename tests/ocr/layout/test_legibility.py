"""Rows that read badly are writing all the same where they stand like a list: no sheet is sent back for a bad
hand alone."""

from __future__ import annotations

import pytest

from ocr.layout.legibility import FEW_TRUST, required_trust, sheet_trust
from ocr.page import Box, Row

USUAL = 0.7


def rows(count: int, text: str = "Army Kent holds", *, score: float = 0.55, apart: float = 0.0) -> list[Row]:
    box = Box(((0, 0), (100, 0), (100, 20), (0, 20)))
    return [Row(box, text, score, left=0.1 + apart * k) for k in range(count)]


def test_longer_rows_count_more() -> None:
    assert sheet_trust([*rows(1, "x" * 30, score=0.4), *rows(1, "x" * 10, score=0.8)]) == pytest.approx(0.5)


def test_next_to_no_letters_are_none() -> None:
    assert sheet_trust(rows(1, "1234 7", score=0.99)) == 0.0


@pytest.mark.parametrize(
    ("read_rows", "clear", "least"),
    [
        (rows(12), True, 0.4),
        (rows(12), False, USUAL),
        (rows(4), True, USUAL),
        (rows(12, "Kent"), True, USUAL),
        (rows(12, apart=0.06), True, USUAL),
        (rows(12, "ffpeffeeepfffprepf"), True, USUAL),
        (rows(2, "Kent"), True, FEW_TRUST),
    ],
    ids=[
        "a list",
        "a list in a bad photograph",
        "few rows",
        "few letters",
        "rows here and there",
        "notes of music",
        "two words",
    ],
)
def test_a_list_is_writing_even_in_a_bad_hand(read_rows: list[Row], *, clear: bool, least: float) -> None:
    assert required_trust(read_rows, USUAL, photo_is_good=clear) == least


@pytest.mark.parametrize(
    ("read_rows", "on_paper", "least"),
    [
        (rows(2, "A Cor H"), True, 0.4),
        (rows(3, "F Mul - Bute"), True, 0.4),
        (rows(2, "A Cor H"), False, FEW_TRUST),
        (rows(1, "A Cor H"), True, FEW_TRUST),
        (rows(3, "ffpeff"), True, FEW_TRUST),
        ([*rows(2, "A Cor H"), *rows(4, "oo")], True, FEW_TRUST),
    ],
    ids=["two short orders", "three", "no paper", "one row", "no words", "eyes and knots among them"],
)
def test_a_short_sheet_is_never_turned_away(
    read_rows: list[Row], *, on_paper: bool, least: float
) -> None:
    # INK-07: terse sheets of one to three orders in a plain hand were refused as no sheet.
    assert required_trust(read_rows, USUAL, photo_is_good=True, is_on_paper=on_paper) == least
