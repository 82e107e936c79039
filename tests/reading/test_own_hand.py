"""INK-05: a sheet's own hand, on rows in one person's recorded letters (`tests/data/ink`) through the real
network. What the lines say is known, since they were written here."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import maps
from ocr.corrections.strike import detect_strike
from ocr.decoding.open_reasons import OpenReason
from ocr.decoding.sheet_hand import SureLine, learn, row_by
from ocr.engines.ppocr import default_engines
from ocr.image.quality import legibility
from ocr.layout.wrap import as_line
from ocr.page import Alternative, Box, Image, Page, Row
from reading import own_hand
from reading.classify import classify_page, review_together
from reading.line import InterpretedLine
from reading.page import PageReader, ReadPage
from reading.status import LineState
from reading.vocabulary import vocabulary_of
from training.handwriting.ink_writers import read_writers
from training.tuning.lines import ink_line

pytestmark = pytest.mark.slow

INK = Path(__file__).parents[1] / "data" / "ink"
WRITTEN = {
    "Army Vienna to Trieste": "A Vienna - Trieste", "Fleet Brest holds": "F Brest H",
    "A Mun - Ruh": "A Munich - Ruhr",
    "Army Paris supports Army Brest to Picardy": "A Paris S A Brest - Picardy",
    "F Lon - Nth": "F London - North Sea", "Fleet London to English Channel": "F London - English Channel",
    "Army Warsaw to Ukraine": "A Warsaw - Ukraine", "A Tyr - Boh": "A Tyrolia - Bohemia",
    "Army Berlin supports Munich": "A Berlin S Munich", "A Sil - Gal": "A Silesia - Galicia",
}
UNCLEAR = list(WRITTEN).index("A Sil - Gal")
"""By the common layer not sure enough in these letters."""
TURNED = list(WRITTEN).index("Fleet London to English Channel")
"""In the other hand's letters another order by the common layer, and this one by the sheet's."""
READER = PageReader(vocabulary_of(maps.load("standard")))


def _row(crop: Image, top: int) -> Row:
    engines = default_engines()
    first, second = (engine.read([crop])[0] for engine in engines)
    legible, (height, width) = legibility(crop), crop.shape[:2]
    return Row(
        box=Box(((0, top), (width, top), (width, top + height), (0, top + height))), text=first.text,
        score=first.score, strike=detect_strike(crop, first),
        alternatives=(Alternative(second.text, second.score, engines[1].name, second.posteriors),),
        posteriors=first.posteriors, focus=legible.focus, contrast=legible.contrast,
    )


def _sheet(name: str, seed: int) -> list[Row]:
    (writer,) = [writer for writer in read_writers(INK) if writer.name == name]
    rng = np.random.default_rng(seed)
    return [_row(ink_line(text, writer, rng, plain=True), 200 * index) for index, text in enumerate(WRITTEN)]


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    return _sheet("s033", 3)


def _page(rows: Sequence[Row]) -> Page:
    return Page(1, 0, 0.0, tuple(as_line([row]) for row in rows))


def _read(rows: Sequence[Row]) -> ReadPage:
    return READER.read_page(_page(rows), ())


def _without_own_hand(rows: Sequence[Row]) -> tuple[InterpretedLine, ...]:
    lines = READER.join_page(_page(rows), ())
    _, classified = classify_page(lines, (), READER.vocabulary, READER.rules)
    return tuple(line.leave_kinds_out() for line in review_together(classified, READER.vocabulary))


def _without_kinds(order: str) -> str:
    return re.sub(r"\b[AF] ", "", order)


def test_an_unclear_line_passes_by_the_letters_of_the_sure_ones_and_these_stay(rows: list[Row]) -> None:
    """(INK-05)"""
    before, after = _without_own_hand(rows), _read(rows)
    assert [line.status for line in before].count(LineState.OPEN) == 1
    assert before[UNCLEAR].why_open == (OpenReason.UNSURE,)
    # A letter that this hand writes badly is left out of the order (INK-10).
    read = [line.order or "" for line in after.lines]
    assert [*map(_without_kinds, read)] == [*map(_without_kinds, WRITTEN.values())]
    assert all(line.status is LineState.AUTO for line in after.lines)
    assert [line for index, line in enumerate(after.lines) if index != UNCLEAR] == [
        line for index, line in enumerate(before) if index != UNCLEAR]
    assert after.taught_by == tuple(index for index in range(len(rows)) if index != UNCLEAR)
    assert _read(rows) == after


def test_a_line_that_an_opinion_of_all_hands_puts_far_otherwise_waits(
    monkeypatch: pytest.MonkeyPatch
) -> None:
    """(INK-03) "Tyrconnell" was Tyrone to the sheet's hand, by 8 nats against an opinion of all hands."""
    rows = _sheet("s313", 6)
    before = _without_own_hand(rows)[TURNED]
    assert _read(rows).lines[TURNED].order == list(WRITTEN.values())[TURNED] != before.order
    monkeypatch.setattr(own_hand, "TURNED", 0.0)
    assert _read(rows).lines[TURNED] == before


def test_one_sure_line_lets_no_other_pass(rows: list[Row]) -> None:
    """(INK-05) By one long line alone "Tyrconnell", plainly written, was Tyrone."""
    unclear, teacher, another = (
        rows[list(WRITTEN).index(text)]
        for text in ("A Sil - Gal", "Army Paris supports Army Brest to Picardy", "Army Warsaw to Ukraine"))
    alone = _read([unclear, teacher])
    assert [line.status for line in alone.lines] == [LineState.OPEN, LineState.AUTO]
    assert alone.taught_by == ()
    assert all(line.status is LineState.AUTO for line in _read([unclear, teacher, another]).lines)


def test_a_line_that_waits_for_more_than_its_letters_waits_still(rows: list[Row]) -> None:
    """(INK-05)"""
    waiting = [replace(row, cut_off=index == UNCLEAR) for index, row in enumerate(rows)]
    assert _read(waiting).lines[UNCLEAR] == _without_own_hand(waiting)[UNCLEAR]


def _sure(rows: Sequence[Row], texts: Sequence[str]) -> list[SureLine]:
    return [SureLine(as_line([row]), text) for row, text in zip(rows, texts, strict=True)]


def test_a_sheet_whose_sure_lines_fit_badly_or_are_few_teaches_nothing(rows: list[Row]) -> None:
    """(INK-05)"""
    texts = list(WRITTEN)
    assert learn(_sure(rows, [*texts[1:], texts[0]])) is None
    assert learn(_sure(rows[:1], texts[:1])) is None
    assert learn(_sure([replace(rows[0], posteriors=None, alternatives=())], texts[:1])) is None


def test_broken_orders_teach_as_their_rows_do(rows: list[Row]) -> None:
    """(INK-05) Two rows as one line: the frame between them is no one's."""
    texts = list(WRITTEN)
    joined = [SureLine(as_line(rows[index : index + 2]), " ".join(texts[index : index + 2]))
              for index in range(0, len(rows), 2)]
    single, double = learn(_sure(rows, texts)), learn(joined)
    assert single is not None
    assert double is not None
    assert np.allclose(single.weights, double.weights, atol=0.02)
    assert row_by(rows[UNCLEAR], double).text == row_by(rows[UNCLEAR], single).text
