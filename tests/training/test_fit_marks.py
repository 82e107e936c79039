"""INK-09: what weighs a stroke over rows is fitted so that marks and letters part."""

from __future__ import annotations

import tomllib

import numpy as np
import pytest

from ocr.corrections.crossed_blocks import EVIDENCE, Mark, Stroke, default_weights
from training.tuning.fit_marks import MarkedSheet, count_faults, cross_fitted, fit, to_toml

MARK = Mark(0, 0, 10, 10)


def sheet(rng: np.random.Generator, *, has_mark: bool) -> MarkedSheet:
    """Four rows; letters lead from the first to the second, and a mark crosses the last two."""
    letters = rng.normal(0.0, 0.1, (3, len(EVIDENCE)))
    covers = [[True, True, False, False]] * 3
    strokes = [Stroke(MARK, row) for row in letters]
    if has_mark:
        strokes.append(Stroke(MARK, rng.normal(1.0, 0.1, len(EVIDENCE))))
        covers = [*covers, [False, False, True, True]]
    under = frozenset({2, 3}) if has_mark else frozenset()
    return MarkedSheet(tuple(strokes), np.array(covers), under, frozenset({0, 1}), frozenset())


@pytest.fixture(scope="module")
def sheets() -> list[MarkedSheet]:
    rng = np.random.default_rng(4)
    return [sheet(rng, has_mark=number % 2 == 0) for number in range(40)]


def test_weights_part_marks_from_letters(sheets: list[MarkedSheet]) -> None:
    assert count_faults(sheets, fit(sheets), 0.0) == (0, 40, 0, 40)
    assert cross_fitted(sheets, 0.0) == (0, 40, 0, 40)


def test_a_threshold_too_low_or_too_high_is_counted(sheets: list[MarkedSheet]) -> None:
    weights = fit(sheets)
    assert count_faults(sheets, weights, -99.0) == (0, 40, 40, 40)
    assert count_faults(sheets, weights, 99.0) == (40, 40, 0, 40)


def test_the_file_has_every_weight(sheets: list[MarkedSheet]) -> None:
    weights = fit(sheets)
    table = tomllib.loads(to_toml(weights, ["made for this test"]))["weights"]
    assert [*table] == ["bias", *EVIDENCE]
    assert np.allclose([table[name] for name in EVIDENCE], weights.weights, rtol=1e-3)
    assert default_weights().weights.shape == (len(EVIDENCE),)
