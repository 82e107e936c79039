"""The fit finds what rules made-up lines; the gate it chooses keeps its word."""

from __future__ import annotations

import math
from dataclasses import fields, replace

import numpy as np
import pytest

from ocr.decoding.confidence import (
    EVIDENCE,
    FAR,
    TORN,
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


def _made_up(count: int, seed: int = 3, group: str = "a") -> list[Judged]:
    """Lines right with the chance 1 / (1 + exp(-(4 - 10 cost - 0.2 t))), t what the worst stretch loses
    beyond TORN."""
    rng = np.random.default_rng(seed)
    lines = []
    for number in range(count):
        cost, worst = float(rng.uniform(0, 0.5)), float(rng.uniform(0, 20))
        chance = 1 / (1 + math.exp(-(4 - 10 * cost - 0.2 * max(0.0, worst - TORN))))
        features = Features(cost=cost, worst_stretch=worst, margin=FAR, near_margin=FAR)
        lines.append(Judged(features, bool(rng.random() < chance), group, f"hand {number % 20}"))
    return lines


def test_known_weights_are_found_again() -> None:
    """From ten thousand lines."""
    weights = fit(_made_up(10_000))
    # The standard errors are some 0.2 of the cost's weight and 0.01 of the other's.
    assert weights["intercept"] == pytest.approx(4.0, abs=0.3)
    assert weights["cost"] == pytest.approx(-10.0, abs=0.8)
    assert weights["torn"] == pytest.approx(-0.2, abs=0.03)


def test_a_chance_so_fitted_is_calibrated() -> None:
    weights = fit(_made_up(10_000))
    fresh = _made_up(10_000, seed=4)
    assert calibration_error(fresh, [logistic(line.features, weights) for line in fresh]) < 0.02


def test_evidence_that_would_speak_for_a_line_is_left_out() -> None:
    """No weight may rise with the cost."""
    rng = np.random.default_rng(5)
    costs = rng.uniform(0, 1, 500)
    # Lines that are right the more often the dearer they are.
    lines = [Judged(Features(float(c), 0.0, FAR, FAR), bool(rng.random() < c)) for c in costs]
    assert all(fit(lines)[name] <= 0 for name in EVIDENCE)


def test_groups_count_alike_whatever_their_sizes() -> None:
    """A large group and a small one."""
    calm = Features(0.0, 0.0, FAR, FAR)
    lines = [Judged(calm, number % 10 > 0, "large") for number in range(1000)] + [
        Judged(calm, False, "small") for _ in range(20)
    ]
    chance = logistic(calm, fit(lines))
    # Right nine times in ten and never: together not far from 0.45, where a count of lines would say 0.88.
    assert chance == pytest.approx(0.45, abs=0.02)


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
    lines = [Judged(Features(0.0, 0.0, FAR, FAR), right=n % 10 == 0) for n in range(200)]
    lines += [Judged(Features(0.0, 0.0, FAR, FAR), right=n > 0) for n in range(200)]
    lines += [Judged(Features(0.0, 0.0, FAR, FAR), right=n % 2 == 0) for n in range(200)]
    values = [0.1] * 200 + [0.5] * 200 + [0.9] * 200
    # A tenth, all but one and half of them are right; so that steps never fall, the last two are one step.
    assert steps_of(lines, values) == ((0.0, round(21 / 202, 4)), (0.5, round(300 / 402, 4)))


def _clean(count: int, *, right: bool, **features: float | bool) -> list[Judged]:
    """Lines of a hand that is neither so clear nor so hazy that other margins hold for it."""
    clean = {"uncertainty": 0.06, "cost": 0.0, "worst_stretch": 0.0, "margin": FAR, "near_margin": FAR}
    return [Judged(Features(**{**clean, **features}), right)] * count  # type: ignore[arg-type]


@pytest.mark.slow
def test_the_gate_closes_where_lines_go_wrong() -> None:
    """Lines that a rule holds back count for nothing."""
    lines = (
        _clean(1000, right=True) + _clean(90, right=True, margin=5.0) + _clean(10, right=False, margin=5.0)
    )
    lines += [Judged(line.features, right=False, free=False) for line in _clean(50, right=True)]
    # A thousand clean lines, and a hundred with a margin of 5 of which every tenth is wrong: those wait.
    gate = gated(lines, [0.99] * len(lines))
    assert (gate.passed, gate.wrong) == (1000, 0)
    assert gate.thresholds.margin > 5.0


@pytest.mark.slow
def test_the_gate_opens_as_far_as_the_lines_allow() -> None:
    lines = (
        _clean(1000, right=True) + _clean(200, right=True, margin=5.5) + _clean(200, right=False, margin=1.0)
    )
    gate = gated(lines, [0.99] * len(lines))
    assert (gate.passed, gate.wrong) == (1200, 0)
    assert 1.0 < gate.thresholds.margin <= 5.5


@pytest.mark.slow
def test_the_gate_has_its_own_rule_where_a_letter_or_a_word_changes_the_meaning() -> None:
    lines = _clean(1000, right=True, margin=4.6) + _clean(20, right=False, margin=4.6, one_letter=True)
    gate = gated(lines, [0.99] * len(lines))
    assert (gate.passed, gate.wrong) == (1000, 0)
    assert gate.thresholds.one_letter_margin > gate.thresholds.margin


@pytest.mark.slow
def test_no_gate_passes_what_was_not_to_be_taken() -> None:
    """One wrong line of a thousand may pass."""
    lines = _clean(750, right=True) + _clean(250, right=True, word_misfit_mean=1.7, word_misfit_min=1.4)
    wrong = _clean(1, right=False, word_misfit_mean=1.7, word_misfit_min=1.4)
    assert gated([*lines, *wrong], [0.99] * 1001).passed == 1001
    # But none that was crossed out, or has a place that no board has.
    assert gated([*lines, replace(wrong[0], grave=True)], [0.99] * 1001).passed == 750


def test_too_few_lines_give_no_gate() -> None:
    """Fifty lines all right may still hide five wrong in a hundred."""
    with pytest.raises(ValueError, match="too few to trust"):
        gated(_clean(50, right=True), [0.99] * 50)


@pytest.mark.slow
def test_hands_are_judged_by_weights_that_did_not_see_them() -> None:
    """One hand is always wrong where all others are right."""
    lines = [line for line in _made_up(4000) if line.hand != "hand 7"]
    lines += [Judged(Features(0.0, 0.0, FAR, FAR), right=False, group="a", hand="hand 7") for _ in range(200)]
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
