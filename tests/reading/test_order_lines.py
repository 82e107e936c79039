"""Order lines as players of other programs, zines and this handbook write them (WRD-01 to 04, 06, 07).

`tests/data/order_lines.tsv`: the line, its board and phase, the order in canonical text or the reason why it
must be doubted, where that form is documented, and whether the line was looked at while the grammar was
built. All was written by hand from the documents, and a third of it was held out.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import pytest

import maps
from adjudicator.calendar import PhaseKind
from grammar.print import canonical_line
from reading.vocabulary import parse_typed

_FILE = Path(__file__).parents[1] / "data" / "order_lines.tsv"
_LEAST = 0.95
"""Share of the orders that are read at the first place."""


@dataclass(frozen=True, slots=True)
class OrderLine:
    """A row of the file; `doubt` shows why there is no `order`."""

    line: str
    board: str
    phase: str
    order: str
    doubt: str
    source: str
    part: str
    language: str

    @property
    def read(self) -> str:
        """The orders that are taken, as canonical text; "" for none."""
        return _read(self.board, self.language, self.phase, self.line)


@cache
def _read(board: str, language: str, phase: str, line: str) -> str:
    variant = maps.load(board)
    if language != "english":
        variant = replace(variant, languages=(language,))
    power = next(iter(variant.powers))
    parsed = parse_typed(variant, PhaseKind(phase), power, line)
    return canonical_line(parsed.orders, variant.board)


def _rows() -> list[OrderLine]:
    with _FILE.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [OrderLine(**row) for row in rows]


ROWS = _rows()


def _shown(rows: Iterable[OrderLine]) -> str:
    return "\n".join(f"{row.board} {row.phase}: {row.line!r} as {row.read!r}" for row in rows)


def test_there_are_six_hundred_lines_with_their_sources_on_every_board() -> None:
    assert len(ROWS) >= 600
    assert {row.board for row in ROWS} == set(maps.variants())
    assert {row.language for row in ROWS} == {"english", "german", "french"}
    assert all(row.source and bool(row.order) != bool(row.doubt) for row in ROWS)
    assert sum(row.part == "held out" for row in ROWS) >= 0.3 * len(ROWS)


PARTS = [pytest.param("built on", marks=pytest.mark.slow), "held out"]


@pytest.mark.parametrize("part", PARTS)
def test_the_lines_are_read(part: str) -> None:
    orders = [row for row in ROWS if row.part == part and row.order]
    unread = [row for row in orders if row.read != row.order]
    assert len(unread) <= (1 - _LEAST) * len(orders), _shown(unread)
    # What is read at all is read rightly.
    assert not [row for row in unread if row.read], _shown(row for row in unread if row.read)


@pytest.mark.parametrize("board", maps.variants())
def test_every_board_has_its_share(board: str) -> None:
    orders = [row for row in ROWS if row.board == board and row.order]
    unread = [row for row in orders if row.read != row.order]
    assert len(unread) <= (1 - _LEAST) * len(orders), _shown(unread)


@pytest.mark.parametrize("part", PARTS)
def test_no_doubtful_line_is_taken(part: str) -> None:
    taken = [row for row in ROWS if row.part == part and row.doubt and row.read]
    assert not taken, _shown(taken)
