"""Fit the table of confidence to lines whose truth is known. Values in, values out: reading, aligning and
writing files is for the caller, because what a line means is the grammar's business.

1. The chance is a logistic sum over `confidence.evidence`. All of it speaks against a line, so no weight may
be above 0: a line that looks worse is never trusted more.
2. Steps turn the logistic into the share of lines that was right. 3. The gate is the widest that keeps the
share of wrong lines within bounds.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import compress, pairwise
from math import comb, floor
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ocr.decoding.confidence import (
    EVIDENCE,
    ConfidenceTable,
    Features,
    ReviewThresholds,
    evidence,
    logistic,
    stepped,
)
from ocr.decoding.review_gate import may_skip_review

Floats: TypeAlias = npt.NDArray[np.float64]
Steps: TypeAlias = tuple[tuple[float, float], ...]

# Rounds of coordinate descent at most.
MOST_ROUNDS = 400

# A round that moves no weight by more is the last.
SETTLED = 1e-4

# Lines' worth of belief that a weight is 0, for evidence brought to a spread of one.
RIDGE = 0.5

# With this chance the true share of wrong lines is below `upper_bound`.
ASSURANCE = 0.95

# Parts that the hands are divided into: each is judged by weights that the others gave.
FOLDS = 10

# Lines of a step: with fewer its share of right lines is too uncertain to distinguish it from its
# neighbours'.
LEAST_LINES = 40


@dataclass(frozen=True, slots=True)
class Judged:
    """A line that gave an order. `right`: it is the order that was written, live. `group`: lines that count
    as one body, such as the sheets of one folder. `hand`: who wrote it, for leaving hands out. `free`:
    nothing but the table keeps this line from being taken automatically. `grave`: no order was to be
    taken, because the line is crossed out, names what is not on the board, is a condition or the like: no
    gate may let it pass."""

    features: Features
    right: bool
    group: str = ""
    hand: str = ""
    free: bool = True
    grave: bool = False


def fit(lines: Sequence[Judged]) -> dict[str, float]:
    """Weights by evidence, and "intercept". Raises ValueError without both right and wrong lines."""
    right = np.array([line.right for line in lines], dtype=np.float64)
    if not len(lines) or right.min() == right.max():
        raise ValueError("the lines to calibrate on need some that are right and some that are wrong")
    against = np.array([[evidence(line.features)[name] for name in EVIDENCE] for line in lines])
    spread = against.std(axis=0)
    scale = np.where(spread > 0, spread, 1.0)
    weights = _descend(np.column_stack((np.ones(len(lines)), against / scale)), right)
    by_evidence = zip(EVIDENCE, weights[1:] / scale, strict=True)
    return {"intercept": round(float(weights[0]), 4), **{name: round(float(w), 4) for name, w in by_evidence}}


def _descend(inputs: Floats, right: Floats) -> Floats:
    """Coordinate Newton steps for the penalised log likelihood, all weights but the first kept at 0 or
    below."""
    weights = np.zeros(inputs.shape[1])
    total = inputs @ weights
    for _ in range(MOST_ROUNDS):
        before = weights.copy()
        for k in range(len(weights)):
            chance = 1.0 / (1.0 + np.exp(-total))
            ridge = RIDGE if k else 0.0
            slope = float((right - chance) @ inputs[:, k]) - ridge * weights[k]
            bend = float((chance * (1.0 - chance)) @ inputs[:, k] ** 2) + ridge + 1e-6
            # Half a step, and no long one: the sum is far from a parabola where the chance is near 0 or 1.
            new = weights[k] + float(np.clip(0.5 * slope / bend, -0.5, 0.5))
            new = min(new, 0.0) if k else new
            total += (new - weights[k]) * inputs[:, k]
            weights[k] = new
        if float(np.abs(weights - before).max()) < SETTLED:
            break
    return weights


def values_of_unseen_hands(lines: Sequence[Judged]) -> list[float]:
    """The logistic of each line, 0..1, by weights fitted on the hands of the other folds: what may be
    expected of new hands."""
    hands = sorted({(line.group, line.hand) for line in lines})
    fold_of = {hand: index % FOLDS for index, hand in enumerate(hands)}
    weights = {
        fold: fit([line for line in lines if fold_of[line.group, line.hand] != fold])
        for fold in sorted(set(fold_of.values()))
    }
    return [logistic(line.features, weights[fold_of[line.group, line.hand]]) for line in lines]


def steps_of(lines: Sequence[Judged], values: Sequence[float]) -> Steps:
    """Which share of lines is right from which value on, as steps that never fall (isotonic regression by
    pooling; Ayer 1955). `values` should come from weights that did not see the line's hand. The share is
    Laplace's, never 0 or 1."""
    # Steps in place of the bare logistic: on hands that the fit did not see the error of calibration fell
    # from 1.1 to 0.3 points.
    ranked = sorted(zip(values, (line.right for line in lines), strict=True), key=lambda pair: pair[0])
    count = max(1, len(ranked) // LEAST_LINES)
    # A cut between equal values would let their order decide.
    firsts = [
        bisect_left(ranked, ranked[round(k * len(ranked) / count)][0], key=lambda pair: pair[0])
        for k in range(count)
    ]
    cuts = [*sorted(set(firsts)), len(ranked)]
    pools: list[tuple[float, int, int]] = []
    for start, end in pairwise(cuts):
        part = ranked[start:end]
        pool = (part[0][0], sum(right for _, right in part), len(part))
        while pools and _share(*pools[-1][1:]) >= _share(*pool[1:]):
            before = pools.pop()
            pool = (before[0], before[1] + pool[1], before[2] + pool[2])
        pools.append(pool)
    return tuple(
        (round(begins, 4) if number else 0.0, round(_share(right, of), 4))
        for number, (begins, right, of) in enumerate(pools)
    )


def _share(right: int, of: int) -> float:
    return (right + 1) / (of + 2)


def upper_bound(wrong: int, of: int, assurance: float = ASSURANCE) -> float:
    """The greatest share of wrong lines, 0..1, that is not yet unlikely when `wrong` of `of` were seen
    (Clopper and Pearson's one-sided bound); 1 for no lines."""
    if of == 0 or wrong >= of:
        return 1.0
    lower_limit, upper_limit = 0.0, 1.0
    # Bisection: 60 halvings are beyond the precision of a float.
    for _ in range(60):
        middle = (lower_limit + upper_limit) / 2
        chance = sum(comb(of, k) * middle**k * (1 - middle) ** (of - k) for k in range(wrong + 1))
        lower_limit, upper_limit = (middle, upper_limit) if chance > 1 - assurance else (lower_limit, middle)
    return upper_limit


def calibration_error(lines: Sequence[Judged], chances: Sequence[float], bins: int = 10) -> float:
    """Mean distance of chance from truth over bins of equal width, weighed by their lines; 0..1."""
    sums = np.zeros((bins, 2))
    for line, chance in zip(lines, chances, strict=True):
        sums[min(bins - 1, int(chance * bins))] += chance, line.right
    return float(np.abs(sums[:, 0] - sums[:, 1]).sum() / max(1, len(lines)))


# The gate
# ---------------------------------------------------------------------------------------------------------

# Thresholds set by hand, because too few lines show what they are for. Unit, range and source of each are
# with its field of `ReviewThresholds`.
BY_HAND = {
    "plain_other": 1.7,
    "word_misfit": 2.6,
    "kind_margin": 6.0,
    "part_strike": 0.7,
    "struck_whole": 0.8,
    "struck_part": 0.75,
    "cross_strokes_uncertainty": 0.045,
    "cross_strokes_part": 0.97,
    "surely_struck_whole": 0.99,
    "surely_struck_part": 0.95,
}

# Shares of the lines let pass that may be wrong: as counted, and as their true share may still be
# (`upper_bound`). A line from which no order was to be taken counts as wrong.
MOST_WRONG, MOST_BOUND = 0.005, 0.008


@dataclass(frozen=True, slots=True)
class Gated:
    """Thresholds, how many lines they let pass, how many of these are wrong, and the bound on their true
    share."""

    thresholds: ReviewThresholds
    passed: int
    wrong: int

    @property
    def bound(self) -> float:
        """See `training.tuning.calibrate.upper_bound`."""
        return upper_bound(self.wrong, self.passed)


def gated(lines: Sequence[Judged], chances: Sequence[float]) -> Gated:
    """The gate with the least confidence from which on no more than MOST_WRONG of the lines that pass are
    wrong. `chances` should come from weights that did not see the line's hand. Raises ValueError where no
    confidence is enough."""
    tried = (
        _passing(lines, chances, ReviewThresholds(confidence=least, **BY_HAND))
        for least in sorted({floor(chance * 1000) / 1000 for chance in chances}))
    good = next(
        (gate for gate in tried if gate.wrong <= MOST_WRONG * gate.passed and gate.bound <= MOST_BOUND), None)
    if good is None:
        raise ValueError(f"of {len(lines)} lines too few are right to trust a gate")
    return good


def _passing(lines: Sequence[Judged], chances: Sequence[float], thresholds: ReviewThresholds) -> Gated:
    """What thresholds let pass of the lines that no rule without figures holds."""
    passed = [
        line for line, chance in zip(lines, chances, strict=True)
        if line.free and may_skip_review(line.features, chance, thresholds)]
    return Gated(thresholds, len(passed), sum(not line.right for line in passed))


# The table
# ---------------------------------------------------------------------------------------------------------


def table_of(
    lines: Sequence[Judged], provenance: Mapping[str, str | int | float],
    gate: ReviewThresholds | None = None,
) -> str:
    """The table as TOML. `provenance`: the origin of the lines. `gate`: thresholds to
    keep, where the lines are too few to search for another confidence. Raises ValueError where the lines do
    not allow a table."""
    # Lines that a rule without figures holds, as half an order next to its other half, wait however likely
    # they are.
    fitted = [line for line in lines if line.free and not line.features.is_odd]
    weights, unseen = fit(fitted), values_of_unseen_hands(fitted)
    # Lines that no order was to be read from were planted, five in a hundred: how often people write such is
    # not known, and with them every chance is too low.
    meant = [not line.grave for line in fitted]
    of_meant, unseen_of_meant = list(compress(fitted, meant)), list(compress(unseen, meant))
    steps = steps_of(of_meant, unseen_of_meant)
    chances = [stepped(logistic(line.features, weights), steps) for line in of_meant]
    unseen_chances = [stepped(value, steps) for value in unseen]
    chosen = gated(fitted, unseen_chances) if gate is None else _passing(fitted, unseen_chances, gate)
    counts = {
        "lines": len(lines), "right": sum(line.right for line in lines),
        "planted": sum(line.grave for line in lines),
        "free": sum(line.free for line in lines),
        "passed": chosen.passed, "wrong_passed": chosen.wrong,
        "wrong_bound": round(chosen.bound, 5),
        "calibration_error": round(calibration_error(of_meant, chances), 4),
        "calibration_error_other_hands": round(
            calibration_error(of_meant, list(compress(unseen_chances, meant))), 4
        ),
    }
    return to_toml(ConfidenceTable(
        weights, chosen.thresholds, {**provenance, **counts}, steps,
        accepted_shares(fitted, unseen_chances, chosen.thresholds),
    ))


def accepted_shares(
    lines: Sequence[Judged], chances: Sequence[float], thresholds: ReviewThresholds
) -> tuple[tuple[float, float, float], ...]:
    """By least confidence the share of the lines that pass which are wrong, and its bound: what a site may
    choose from. Confidences at which neither falls are left out."""
    passing = [
        (chance, line.right) for line, chance in zip(lines, chances, strict=True)
        if line.free and may_skip_review(line.features, chance, thresholds)
    ]
    rows: list[tuple[float, float, float]] = []
    # Rounded down: rounded up, the greatest would leave no line.
    for least in sorted({floor(chance * 1000) / 1000 for chance, _ in passing}):
        kept_lines = [right for chance, right in passing if chance >= least]
        wrong = len(kept_lines) - sum(kept_lines)
        row = (least, round(wrong / len(kept_lines), 5), round(upper_bound(wrong, len(kept_lines)), 5))
        if not rows or (row[1] < rows[-1][1] and row[2] < rows[-1][2]):
            rows.append(row)
    return tuple(rows)


def to_toml(table: ConfidenceTable) -> str:
    """The table as its file."""
    thresholds: dict[str, float] = asdict(table.thresholds)
    parts = [
        "# How sure a decoded line is, from its features (ocr/decoding/confidence.py).",
        "# Made by `python -m training.calibrate_confidence`.",
        "",
        "# Logistic: 1 / (1 + exp(-sum)). All but the intercept counts what speaks against the line.",
        "[weights]",
        *(f"{name} = {value}" for name, value in table.weights.items()),
        "",
        "# From which value of the logistic on which share of lines is right.",
        "[steps]",
        f"from = [{', '.join(str(begins) for begins, _ in table.steps)}]",
        f"chance = [{', '.join(str(chance) for _, chance in table.steps)}]",
        "",
        "# From which confidence on which share of the lines that pass was wrong, and its bound (95 %).",
        "[accepted]",
        *(f"{name} = [{', '.join(str(row[k]) for row in table.accepted)}]"
          for k, name in enumerate(("confidence", "wrong_share", "bound"))),
        "",
        "# What lets a line go without a look, see ocr/decoding/confidence.py.",
        "[thresholds]",
        *(f"{name} = {value}" for name, value in thresholds.items()),
        "",
        "[provenance]",
        *(f'{name} = "{value}"' if isinstance(value, str) else f"{name} = {value}"
          for name, value in table.provenance.items()),
    ]
    return "\n".join(parts) + "\n"
