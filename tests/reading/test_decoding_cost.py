"""The cost of the decoder: it is made once for each variant and phase, and a line takes at most 30 ms (the
reader's issue, item 4)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import maps
from adjudicator.calendar import PhaseKind
from ocr.engines.ppocr import default_engines
from ocr.page import Photo, Posteriors, ReadLine
from ocr.read import read
from reading import decode
from reading.decode import decoder_of, opinions
from reading.vocabulary import vocabulary_of
from tests.support.inked import ink

SHEETS = Path(__file__).parents[1] / "data" / "sheets"
MOST = 0.030
"""Seconds of processor time a line."""
REPEATS = 3


@pytest.fixture(autouse=True)
def _anew() -> None:
    """Decoders that other tests walked are none of ours."""
    decode._DECODERS.clear()


def test_a_decoder_is_made_once_for_each_variant_and_phase() -> None:
    # The vocabulary is made again, as for each sheet; the decoder must not be.
    decoders = {}
    for slug in ("w3k", "standard"):
        for kind in (PhaseKind.MOVEMENT, PhaseKind.RETREAT):
            decoders[slug, kind] = decoder_of(vocabulary_of(maps.load(slug), kind))
    again = {
        (slug, kind): decoder_of(vocabulary_of(maps.load(slug), kind)) for slug,
        kind in decoders
    }
    assert all(again[key] is decoders[key] for key in decoders)
    assert len({id(decoder) for decoder in decoders.values()}) == len(decoders)


def test_a_decoder_that_grew_too_large_is_made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    # Without a bound 250 rows took 114 MB; what it reads stays the same.
    variant = maps.load("w3k")
    vocabulary, written = vocabulary_of(variant, PhaseKind.MOVEMENT), ink("Army London moves to Surrey")
    first = decoder_of(vocabulary)
    before = first.decode(written)
    assert first.state_count > 10
    monkeypatch.setattr(decode, "MOST_STATES", first.state_count - 1)
    second = decoder_of(vocabulary)
    assert second is not first
    assert second.state_count < first.state_count
    assert second.decode(written) == before


def test_the_bound_is_that_of_all_decoders_together(monkeypatch: pytest.MonkeyPatch) -> None:
    # Each had one of its own: a site of five boards in three kinds of phase could hold fifteen times as much.
    written, board = ink("Army London moves to Surrey"), maps.load("w3k")
    movement, retreat = (vocabulary_of(board, kind) for kind in (PhaseKind.MOVEMENT, PhaseKind.RETREAT))
    for vocabulary in (movement, retreat):
        decoder_of(vocabulary).decode(written)
    most = max(decoder_of(vocabulary).state_count for vocabulary in (movement, retreat))
    monkeypatch.setattr(decode, "MOST_STATES", most)
    assert decoder_of(movement).state_count == 0, "neither holds more by itself"


def test_the_decoder_asked_for_longest_ago_makes_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decode, "_DECODERS", {})
    monkeypatch.setattr(decode, "MOST_DECODERS", 2)
    movement, retreats, adjustments = (
        vocabulary_of(maps.load("standard"), kind)
        for kind in (PhaseKind.MOVEMENT, PhaseKind.RETREAT, PhaseKind.ADJUSTMENT))
    movement_decoder, retreat_decoder = decoder_of(movement), decoder_of(retreats)
    assert decoder_of(movement) is movement_decoder
    decoder_of(adjustments)
    assert len(decode._DECODERS) == 2
    assert decoder_of(movement) is movement_decoder
    assert decoder_of(retreats) is not retreat_decoder


def lines_of(sheet: str) -> list[ReadLine]:
    (page,) = read(Photo((SHEETS / f"{sheet}.jpg").read_bytes(), sheet), default_engines()).pages
    return [line for line in page.lines if opinions(line)]


def other_ink(rows: Sequence[Posteriors], number: int) -> list[Posteriors]:
    """The same rows as a decoder sees them for the first time."""
    # The decoder keeps its answers by what the ink is to the last bit, so that each row must differ a little.
    return [replace(row, log_probs=row.log_probs - np.float32(1e-4 * number)) for row in rows]


@pytest.mark.slow
@pytest.mark.parametrize("sheet", ["s006", "s007"])
def test_a_line_takes_at_most_thirty_milliseconds(sheet: str) -> None:
    # As the product decodes: both opinions of all lines side by side, by a decoder that read a sheet before.
    # The best of three, since the machine has other work.
    variant = maps.load("w3k")
    decoder = decoder_of(vocabulary_of(variant, PhaseKind.MOVEMENT))
    decoder.decode_rows([row for line in lines_of("s005") for row in opinions(line)])
    lines = lines_of(sheet)
    rows = [row for line in lines for row in opinions(line)]
    assert len(rows) > len(lines) > 13, "the rows in doubt have a second opinion"
    times = []
    for number in range(1, REPEATS + 1):
        begun = time.process_time()
        decoder.decode_rows(other_ink(rows, number))
        times.append((time.process_time() - begun) / len(lines))
    assert min(times) < MOST
