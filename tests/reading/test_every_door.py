"""WOR-01: the same text gives the same order by every door: the command, typed mail, the desk, the Python
package, and what the reader of ink makes of a line that it has read letter by letter."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies

import galloper
import maps
from adjudicator.calendar import PhaseKind
from galloper.errors import OrderError
from grammar.fragments.languages import LANGUAGES
from grammar.interpret import has_doubt, orders_in_text
from maps.variant import Variant
from reading.vocabulary import parse_typed, printed, vocabulary_of
from service.cli.parse import run_parse
from service.intake.sheets.typed_orders import TypedText

WORDS = Path("tests/data/words")


def _rows() -> list[tuple[str, str, str]]:
    rows = []
    for name in ("lines.tsv", "fresh_lines.tsv", "fresh_lines_2.tsv"):
        with (WORDS / name).open(encoding="utf-8", newline="") as table:
            rows += [(row["variant"], row["phase"], row["line"])
                     for row in csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE)]
    return rows


ROWS = _rows()
_MISSPELT = strategies.sampled_from("abcdeklmnorstuy")


@cache
def variant(slug: str) -> Variant:
    board = maps.load(slug)
    return replace(board, languages=tuple(LANGUAGES)) if slug == "standard" else board


@pytest.mark.parametrize("slug", maps.variants())
def test_what_people_write_is_one_order_by_every_door(slug: str) -> None:
    for _, phase, line in (row for row in ROWS if row[0] == slug):
        _compare(variant(slug), PhaseKind(phase), line)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(strategies.sampled_from([row for row in ROWS if row[0] == "w3k"]), strategies.data())
def test_so_is_what_they_misspell(row: tuple[str, str, str], data: strategies.DataObject) -> None:
    _, phase, line = row
    place = data.draw(strategies.integers(0, len(line) - 1))
    letter = data.draw(_MISSPELT)
    _compare(variant("w3k"), PhaseKind(phase), line[:place] + letter + line[place + 1:])


def _compare(board: Variant, kind: PhaseKind, line: str) -> None:
    parsed = parse_typed(board, kind, "", line)
    text = printed(parsed.orders, board.board)
    assert _by_command(board, kind, line) == text, line
    assert _by_package(board, kind, line) == text, line
    typed = TypedText(board, kind, "", ()).orders(line)
    # Typed mail counts at once: what is not spelled as listed is left to a person there.
    assert typed in {text, None}, line
    vocabulary = vocabulary_of(board, kind)
    of_ink = {printed(orders, board.board) for orders in orders_in_text(
        line, lexicon=vocabulary.lexicon, forms=vocabulary.forms)}
    if parsed.score == 1.0 and text is not None:
        assert of_ink == {text}, line
    elif len(of_ink) == 1:
        # What a keyboard is asked about, ink never passes without a person: a doubt, or a remark.
        is_remark = not {"(", "[", "{"}.isdisjoint(line)
        assert has_doubt(line, vocabulary.lexicon) or is_remark or text in of_ink, line


def _by_command(board: Variant, kind: PhaseKind, line: str) -> str | None:
    out = io.StringIO()
    assert run_parse(board, kind.value, [line], True, out) == 0
    order = json.loads(out.getvalue())["order"] if line.strip() else None
    assert order is None or isinstance(order, str)
    return order


def _by_package(board: Variant, kind: PhaseKind, line: str) -> str | None:
    if board.languages or not line.strip():
        return printed(parse_typed(board, kind, "", line).orders, board.board)
    known = galloper.load_board(board.slug)
    power = next(iter(board.powers))
    try:
        orders = galloper.parse_orders(line, board=known, power=power, phase=kind.value)
    except OrderError:
        return printed(parse_typed(board, kind, power, line).orders, board.board)
    return printed([order.inner for order in orders], board.board)
