"""The fit finds what rules made-up lines; the gate it chooses keeps its word."""

from __future__ import annotations

import math
from dataclasses import fields

import numpy as np
import pytest

from ocr.decoding.confidence import (
    EVIDENCE,
    ConfidenceTable,
    Features,
    ReviewThresholds,
    logistic,
    read_table,
)
from training.tuning.calibrate import (
    Judged,
    calibration_error,
    fit,
    gated,
    steps_of,
    to_toml,
    upper_bound,
    values_of_unseen_hands,
)


def _made_up(count: int, seed: int = 3) -> list[Judged]:
    """Lines right with the chance 1 / (1 + exp(-(4 - 10 cost - 0.2 m))), m what the worst word loses."""
    rng = np.random.default_rng(seed)
    lines = []
    for number in range(count):
        cost, misfit = float(rng.uniform(0, 0.5)), float(rng.uniform(0, 14))
        chance = 1 / (1 + math.exp(-(4 - 10 * cost - 0.2 * misfit)))
        features = Features(cost=cost, word_misfit=misfit)
        lines.append(Judged(features, bool(rng.random() < chance), "a", f"hand {number % 20}"))
    return lines


def test_known_weights_are_found_again() -> None:
    """From ten thousand lines."""
    weights = fit(_made_up(10_000))
    # The standard errors are some 0.2 of the cost's weight and 0.01 of the other's.
    assert weights["intercept"] == pytest.approx(4.0, abs=0.3)
    assert weights["cost"] == pytest.approx(-10.0, abs=0.8)
    assert weights["word_misfit"] == pytest.approx(-0.2, abs=0.03)


def test_a_chance_so_fitted_is_calibrated() -> None:
    weights = fit(_made_up(10_000))
    fresh = _made_up(10_000, seed=4)
    assert calibration_error(fresh, [logistic(line.features, weights) for line in fresh]) < 0.02


def test_evidence_that_would_speak_for_a_line_is_left_out() -> None:
    """No weight may rise with the cost."""
    rng = np.random.default_rng(5)
    costs = rng.uniform(0, 1, 500)
    # Lines that are right the more often the dearer they are.
    lines = [Judged(Features(float(c)), bool(rng.random() < c)) for c in costs]
    assert all(fit(lines)[name] <= 0 for name in EVIDENCE)


def test_lines_of_one_kind_cannot_be_calibrated_on() -> None:
    with pytest.raises(ValueError, match="right and some that are wrong"):
        fit([line for line in _made_up(100) if line.right])


@pytest.mark.parametrize(
    ("wrong", "of", "bound"), [(0, 598, 0.005), (0, 100, 0.0295), (1, 100, 0.0466), (5, 100, 0.1023)]
)
def test_bounds_are_those_of_clopper_and_pearson(wrong: int, of: int, bound: float) -> None:
    """The one-sided 95 % bound."""
    # The first two are 1 - 0.05 ** (1 / n); the others come from published tables.
    assert upper_bound(wrong, of) == pytest.approx(bound, abs=0.0002)


def test_without_lines_nothing_is_bound() -> None:
    assert upper_bound(0, 0) == 1.0


def test_steps_are_shares_of_right_lines_and_never_fall() -> None:
    """Three pools of 200, in Laplace's share."""
    lines = [Judged(Features(), right=n % 10 == 0) for n in range(200)]
    lines += [Judged(Features(), right=n > 0) for n in range(200)]
    lines += [Judged(Features(), right=n % 2 == 0) for n in range(200)]
    values = [0.1] * 200 + [0.5] * 200 + [0.9] * 200
    # A tenth, all but one and half of them are right; so that steps never fall, the last two are one step.
    assert steps_of(lines, values) == ((0.0, round(21 / 202, 4)), (0.5, round(300 / 402, 4)))


def _lines(count: int, *, right: bool, **features: float) -> list[Judged]:
    return [Judged(Features(**features), right)] * count  # type: ignore[arg-type]


def test_the_gate_closes_where_lines_go_wrong() -> None:
    """Lines that a rule holds back count for nothing."""
    lines = _lines(1000, right=True) + _lines(90, right=True) + _lines(10, right=False)
    lines += [Judged(Features(), right=False, free=False)] * 50
    gate = gated(lines, [0.99] * 1000 + [0.9] * 100 + [0.99] * 50)
    assert (gate.passed, gate.wrong, gate.thresholds.confidence) == (1000, 0, 0.99)


def test_the_gate_opens_as_far_as_the_lines_allow() -> None:
    lines = _lines(1000, right=True) + _lines(200, right=True) + _lines(200, right=False)
    gate = gated(lines, [0.99] * 1000 + [0.9] * 200 + [0.5] * 200)
    assert (gate.passed, gate.wrong, gate.thresholds.confidence) == (1200, 0, 0.9)


def test_what_is_no_question_of_chance_passes_no_gate() -> None:
    """A name that every opinion reads as another word."""
    gate = gated(_lines(1000, right=True) + _lines(9, right=True, plain_other=3.0), [0.99] * 1009)
    assert gate.passed == 1000


def test_too_few_lines_give_no_gate() -> None:
    """Fifty lines all right may still hide five wrong in a hundred."""
    with pytest.raises(ValueError, match="too few are right to trust"):
        gated(_lines(50, right=True), [0.99] * 50)


@pytest.mark.slow
def test_hands_are_judged_by_weights_that_did_not_see_them() -> None:
    """One hand is always wrong where all others are right."""
    lines = [line for line in _made_up(4000) if line.hand != "hand 7"]
    lines += [Judged(Features(), right=False, group="a", hand="hand 7") for _ in range(200)]
    chances = values_of_unseen_hands(lines)
    # By the weights of the others, which did not see it, it seems sure.
    assert min(chance for chance, line in zip(chances, lines, strict=True) if line.hand == "hand 7") > 0.9


def test_a_written_table_is_read_again() -> None:
    thresholds = ReviewThresholds(*[0.5] * len(fields(ReviewThresholds)))
    weights = fit(_made_up(1000))
    table = read_table(
        to_toml(ConfidenceTable(weights, thresholds, {"seed": 11, "fonts": "none"}, ((0.0, 0.2), (0.5, 0.9))))
    )
    assert table.steps == ((0.0, 0.2), (0.5, 0.9))
    assert dict(table.weights) == weights
    assert table.thresholds == thresholds
    assert table.provenance["seed"] == 11
