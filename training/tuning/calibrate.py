"""Fit the table of confidence to lines whose truth is known. Values in, values out: reading, aligning and
writing files is for the caller, because what a line means is the grammar's business.

1. The chance is a logistic sum over `confidence.evidence`. All of it speaks against a line, so no weight may
be above 0: a line that looks worse is never trusted more. Groups of lines count alike, whatever their sizes.
2. Steps turn the logistic into the share of lines that was right. 3. The gate is the widest that keeps the
share of wrong lines within bounds.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise, product
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

# How the groups of hasty sheets end; `training.calibrate_confidence` names groups so.
HASTY = ", hasty"

# Lines of a step: with fewer its share of right lines is too uncertain to tell it from its neighbours'.
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
    sizes = Counter(line.group for line in lines)
    counts = np.array([len(lines) / len(sizes) / sizes[line.group] for line in lines])
    spread = against.std(axis=0)
    scale = np.where(spread > 0, spread, 1.0)
    weights = _descend(np.column_stack((np.ones(len(lines)), against / scale)), right, counts)
    by_evidence = zip(EVIDENCE, weights[1:] / scale, strict=True)
    return {"intercept": round(float(weights[0]), 4), **{name: round(float(w), 4) for name, w in by_evidence}}


def _descend(inputs: Floats, right: Floats, counts: Floats) -> Floats:
    """Coordinate Newton steps for the penalised log likelihood, all weights but the first kept at 0 or
    below."""
    weights = np.zeros(inputs.shape[1])
    total = inputs @ weights
    for _ in range(MOST_ROUNDS):
        before = weights.copy()
        for k in range(len(weights)):
            chance = 1.0 / (1.0 + np.exp(-total))
            ridge = RIDGE if k else 0.0
            slope = float((counts * (right - chance)) @ inputs[:, k]) - ridge * weights[k]
            bend = float((counts * chance * (1.0 - chance)) @ inputs[:, k] ** 2) + ridge + 1e-6
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


def counts_of(lines: Sequence[Judged], hasty_share: float | None) -> list[float]:
    """How much each line counts, so that those of hasty sheets make up that share, 0..1, of all; each alike
    for None, or where there are no hasty lines or no others."""
    hasty = [line.group.endswith(HASTY) for line in lines]
    if hasty_share is None or not any(hasty) or all(hasty):
        return [1.0] * len(lines)
    of_hasty = hasty_share * len(lines) / sum(hasty)
    of_others = (1.0 - hasty_share) * len(lines) / (len(lines) - sum(hasty))
    return [of_hasty if is_hasty else of_others for is_hasty in hasty]


def steps_of(
    lines: Sequence[Judged], values: Sequence[float], counts: Sequence[float] | None = None
) -> Steps:
    """Which share of lines is right from which value on, as steps that never fall (isotonic regression by
    pooling; Ayer 1955). `values` should come from weights that did not see the line's hand, `counts` from
    `counts_of`. The share is Laplace's, never 0 or 1."""
    # Steps in place of the bare logistic: on hands that the fit did not see the error of calibration fell
    # from 1.1 to 0.3 points.
    ranked = sorted(
        zip(values, (line.right for line in lines), counts or [1.0] * len(lines), strict=True),
        key=lambda row: row[0],
    )
    count = max(1, len(ranked) // LEAST_LINES)
    # A cut between equal values would let their order decide.
    firsts = [
        bisect_left(ranked, ranked[round(k * len(ranked) / count)][0], key=lambda pair: pair[0])
        for k in range(count)
    ]
    cuts = [*sorted(set(firsts)), len(ranked)]
    pools: list[tuple[float, float, float]] = []
    for start, end in pairwise(cuts):
        part = ranked[start:end]
        pool = (
            part[0][0], sum(weight for _, right, weight in part if right), sum(weight for *_, weight in part)
        )
        while pools and _share(*pools[-1][1:]) >= _share(*pool[1:]):
            before = pools.pop()
            pool = (before[0], before[1] + pool[1], before[2] + pool[2])
        pools.append(pool)
    return tuple(
        (round(begins, 4) if number else 0.0, round(_share(right, of), 4))
        for number, (begins, right, of) in enumerate(pools)
    )


def _share(right: float, of: float) -> float:
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


def calibration_error(
    lines: Sequence[Judged], chances: Sequence[float], bins: int = 10, counts: Sequence[float] | None = None
) -> float:
    """Mean distance of chance from truth over bins of equal width, weighed by their lines; 0..1. `counts`: of
    `counts_of`."""
    sums = np.zeros((bins, 2))
    for line, chance, count in zip(lines, chances, counts or [1.0] * len(lines), strict=True):
        sums[min(bins - 1, int(chance * bins))] += count * chance, count * line.right
    return float(np.abs(sums[:, 0] - sums[:, 1]).sum() / max(1, len(lines)))


# The gate
# ---------------------------------------------------------------------------------------------------------

# Thresholds set by hand, because too few lines show what they are for. Unit, range and source of each are
# with its field of `ReviewThresholds`.
BY_HAND = {
    "one_letter_confidence": 0.9,
    "disagreement_margin": 4.0,
    "disagreement_uncertainty": 0.15,
    "corrected_margin": 5.0,
    "uncertainty_from": 0.08,
    "uncertainty_extra_margin": 10.0,
    "clear_writing_below": 0.04,
    "agreement_margin_discount": 0.5,
    "cost": 0.5,
    "homonym_loss": 11.0,
    "single_opinion_word_misfit": 3.0,
    "single_opinion_margin": 6.0,
    "plain_other": 1.7,
    "name_loss": 1.4,
    "near_name_loss": 0.95,
    "near_name_margin": 5.0,
    "clear_name_loss": 1.15,
    "clear_name_uncertainty": 0.05,
    "kind_margin": 5.0,
    "unit_kind_doubt": 3.0,
    "unit_kind_margin": 6.0,
    "whole_strike": 0.6,
    "part_strike": 0.7,
    "lossless_worst_stretch": 2.0,
    "lossless_whole_strike": 0.8,
    "lone_part_whole_strike": 0.1,
    "lone_part_worst_stretch": 10.0,
    "lone_part_strike": 0.97,
    "struck_whole": 0.8,
    "struck_part": 0.75,
    "cross_strokes_uncertainty": 0.045,
    "cross_strokes_part": 0.97,
    "surely_struck_whole": 0.99,
    "surely_struck_part": 0.95,
}

# What is tried for each fitted threshold, the strictest first.
TRIED = {
    "confidence": (0.98, 0.96, 0.95, 0.93, 0.9, 0.8),
    "worst_stretch": (8.0, 10.0, 12.0, 15.0, 18.0),
    "margin": (8.0, 6.0, 5.0, 4.0, 3.5, 3.0, 2.5),
    "near_margin": (5.5, 4.0, 3.5, 3.0),
    "word_misfit_mean": (1.2, 1.5, 1.6, 1.8, 2.0),
    "word_misfit_min": (1.2, 1.45),
}

# Nats by which margin and worst stretch must be better where one letter matters.
STRICTER = 0.5

# Wrong lines that one counts as from which no order was to be taken at all.
GRAVE = 100

# Shares of the lines let pass that may be wrong: as counted, and as their true share may still be
# (`upper_bound`).
MOST_WRONG, MOST_BOUND = 0.003, 0.008

# Wrong lines with which thresholds are tried, those for lines where one letter matters and those for the
# others.
MOST_EACH = 8


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
    """The gate that lets the most lines pass and keeps MOST_WRONG and MOST_BOUND. `chances` should come from
    weights that did not see the line's hand as well as from those that did. Raises ValueError where no gate
    is good enough."""
    free = [(line, chance) for line, chance in zip(lines, chances, strict=True) if line.free]
    one_letter = [pair for pair in free if pair[0].features.one_letter]
    others = [pair for pair in free if not pair[0].features.one_letter]
    tried = [
        Gated(strict.thresholds, plain.passed + strict.passed, plain.wrong + strict.wrong)
        for plain in _widest(others, _all_tried())
        for strict in _widest(one_letter, _stricter_than(plain.thresholds))
    ]
    good = [gate for gate in tried if gate.wrong <= MOST_WRONG * gate.passed and gate.bound <= MOST_BOUND]
    if not good:
        raise ValueError(f"of {len(free)} lines too few are right, or there are too few to trust a gate")
    return max(good, key=lambda gate: gate.passed)


def _widest(lines: Sequence[tuple[Judged, float]], tried: Iterator[ReviewThresholds]) -> list[Gated]:
    """For each number of wrong lines up to MOST_EACH the gate that lets the most pass; where several do, the
    strictest."""
    best: dict[int, Gated] = {}
    for thresholds in tried:
        gate = _passing(lines, thresholds)
        if gate.wrong <= MOST_EACH and (gate.wrong not in best or gate.passed > best[gate.wrong].passed):
            best[gate.wrong] = gate
    return list(best.values())


def _all_tried() -> Iterator[ReviewThresholds]:
    """All that is tried for lines where no letter matters."""
    for values in product(*TRIED.values()):
        chosen = dict(zip(TRIED, values, strict=True))
        yield ReviewThresholds(
            **BY_HAND, **chosen, one_letter_margin=chosen["margin"] + STRICTER,
            one_letter_worst_stretch=chosen["worst_stretch"] - STRICTER,
        )


def _stricter_than(plain: ReviewThresholds) -> Iterator[ReviewThresholds]:
    """The same for lines where one letter matters, beside a gate for the others: no threshold is less
    strict."""
    for worst, margin in product(TRIED["worst_stretch"], TRIED["margin"]):
        yield replace(
            plain, one_letter_margin=max(margin, plain.margin) + STRICTER,
            one_letter_worst_stretch=min(worst, plain.worst_stretch) - STRICTER,
        )


def _passing(
    lines: Sequence[tuple[Judged, float]], thresholds: ReviewThresholds, grave: int = GRAVE + 1
) -> Gated:
    """What thresholds let pass. `grave`: wrong lines that a grave one counts as."""
    passed = [line for line, chance in lines if may_skip_review(line.features, chance, thresholds)]
    wrong = sum(not line.right for line in passed) + (grave - 1) * sum(line.grave for line in passed)
    return Gated(thresholds, len(passed), wrong)


# The table
# ---------------------------------------------------------------------------------------------------------


def table_of(
    lines: Sequence[Judged], provenance: Mapping[str, str | int | float],
    gate: ReviewThresholds | None = None, hasty_share: float | None = None,
) -> str:
    """The table as TOML. `provenance`: what the caller knows of the lines' origin. `gate`: thresholds to
    keep, where the lines are too few to search for others. `hasty_share`: see `counts_of`. Raises ValueError
    where the lines do not allow a table."""
    # Lines that no order was to be read from were planted, five in a hundred: how often people write such is
    # not known, and with them every chance is too low. They are for the gate alone. Lines that a rule without
    # figures holds, as half an order beside its other half, wait however likely they are.
    fitted = [line for line in lines if line.free and not line.grave]
    planted = [line for line in lines if line.grave]
    weights, unseen = fit(fitted), values_of_unseen_hands(fitted)
    counts_in_steps = counts_of(fitted, hasty_share)
    steps = steps_of(fitted, unseen, counts_in_steps)

    def chances_of(some: Sequence[Judged]) -> list[float]:
        return [stepped(logistic(line.features, weights), steps) for line in some]

    chances = chances_of(fitted)
    unseen_chances = [stepped(value, steps) for value in unseen]
    at_gate = [*fitted, *planted]
    gate_chances = [*unseen_chances, *chances_of(planted)]
    if gate is None:
        seen_chances = [*chances, *chances_of(planted)]
        chosen = gated(at_gate, [max(pair) for pair in zip(seen_chances, gate_chances, strict=True)])
    else:
        chosen = _passing(
            [pair for pair in zip(at_gate, gate_chances, strict=True) if pair[0].free], gate, grave=1
        )
    counts = {
        "lines": len(lines), "right": sum(line.right for line in lines), "planted": len(planted),
        "free": sum(line.free for line in lines),
        "passed": chosen.passed, "wrong_passed": chosen.wrong,
        "wrong_bound": round(chosen.bound, 5),
        "calibration_error": round(calibration_error(fitted, chances, counts=counts_in_steps), 4),
        "calibration_error_other_hands": round(
            calibration_error(fitted, unseen_chances, counts=counts_in_steps), 4
        ),
    }
    return to_toml(ConfidenceTable(
        weights, chosen.thresholds, {**provenance, **counts}, steps,
        accepted_shares(at_gate, gate_chances, chosen.thresholds),
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
