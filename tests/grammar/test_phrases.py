"""Every phrasing of the requirements, against canonical text written by hand
(tests/data/grammar/phrases.toml)."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from adjudicator.orders import Convert
from tests.grammar.boards import DATA, read, said

_TABLE = tomllib.loads(Path(DATA, "phrases.toml").read_text(encoding="utf-8"))["phrases"]
_CASES = [
    pytest.param(block["board"], block["phase"], text, expected, id=f"{block['source'][:12]}: {text}")
    for block in _TABLE
    for text, expected in block["lines"]
]


@pytest.mark.parametrize(("slug", "phase", "text", "expected"), _CASES)
def test_a_phrase_means_its_order(slug: str, phase: str, text: str, expected: str) -> None:
    line = read(text, phase, slug)
    assert line.complaint is None, line.complaint
    assert said(line.orders, slug) == expected
    assert line.score == 1.0


@pytest.mark.parametrize(("slug", "phase", "text", "expected"), _CASES)
def test_canonical_text_is_taken_back(slug: str, phase: str, text: str, expected: str) -> None:
    assert read(expected, phase, slug).orders == read(text, phase, slug).orders


def test_orders_carry_the_sheet_and_the_line() -> None:
    (order,) = read("Army London moves to Surrey").orders
    assert (order.power, order.line) == ("Montrose", 7)


def test_the_coast_of_what_a_unit_becomes_is_the_one_written_with_it() -> None:
    """CVT-06: else the one written with an army, which has none itself."""
    line = "Army Devon North Coast converts to Fleet"
    orders = [order for text in (line, f"{line} South Coast") for order in read(text).orders]
    coasts = [order.coast for order in orders if isinstance(order, Convert)]
    assert coasts == ["North Coast", "South Coast"]
