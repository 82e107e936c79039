"""Features to a chance and a gate, by a table that must be whole."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from ocr.confidence import FAR, Features, TableError, automatic, confidence, read_table, usual

GOOD = Features(cost=0.02, worst=1.0, margin=FAR, near_margin=FAR, haze=0.05, score=0.98, letters=30)


def test_a_clear_line_goes_without_a_look() -> None:
    assert automatic(GOOD, confidence(GOOD, usual()), usual())


@pytest.mark.parametrize(
    "worse",
    [
        replace(GOOD, cost=0.6), replace(GOOD, worst=40.0), replace(GOOD, margin=0.5), replace(GOOD, near_margin=0.5),
        replace(GOOD, margin=2.0, one_letter=True),
    ],
)
def test_any_doubt_asks_for_a_look(worse: Features) -> None:
    assert not automatic(worse, confidence(worse, usual()), usual())
    assert confidence(worse, usual()) <= confidence(GOOD, usual())


def test_features_are_numbers_for_json() -> None:
    numbers = json.loads(json.dumps(GOOD.numbers()))
    assert numbers["one_letter"] == 0.0
    assert set(numbers) == set(Features.__dataclass_fields__)


def test_a_chance_is_a_chance() -> None:
    for cost in (0.0, 1.0, 1e6):
        assert 0.0 <= confidence(replace(GOOD, cost=cost), usual()) <= 1.0


@pytest.mark.parametrize(
    "text",
    ["", "weights = 3", "provenance = 'x'\n[weights]\nluck = 1\n[gate]\nconfidence = 1", "provenance = 'x'\n[weights]\n[gate]"],
)
def test_a_faulty_table_is_named(text: str) -> None:
    with pytest.raises(TableError):
        read_table(text)


def test_the_table_says_where_it_comes_from() -> None:
    assert usual().provenance
