"""Fit the table of confidence to lines whose truth is known. Values in, values out: reading, aligning and writing files
is for the caller, since what a line means is the grammar's business.

The chance is a logistic sum over `confidence.evidence`, all of which speaks against a line, so no weight may be above
nought: a line that looks worse is never trusted more. Groups of lines count alike, whatever their sizes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ocr.confidence import EVIDENCE, Features, Table, confidence, evidence

Floats: TypeAlias = npt.NDArray[np.float64]

PASSES = 400
"""Rounds of coordinate descent; the sum settles long before."""

RIDGE = 0.5
"""Lines' worth of belief that a weight is nought, for evidence brought to a spread of one."""

SURE = 0.95
"""With this chance the true share of wrong lines is below `upper_bound`."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A line that gave an order. `right`: it is the order that was written, live. `group`: lines that count as one body,
    such as the sheets of one folder. `hand`: who wrote it, for leaving hands out. `free`: nothing but the table stands
    between this line and going without a look."""

    features: Features
    right: bool
    group: str = ""
    hand: str = ""
    free: bool = True


def fit(lines: Sequence[Judged]) -> dict[str, float]:
    """Weights by evidence, and "intercept". Raises ValueError without both right and wrong lines."""
    right = np.array([line.right for line in lines], dtype=np.float64)
    if not len(lines) or right.min() == right.max():
        raise ValueError("the lines to calibrate on need some that are right and some that are wrong")
    against = np.array([[evidence(line.features)[name] for name in EVIDENCE] for line in lines])
    sizes = Counter(line.group for line in lines)
    counts = np.array([len(lines) / len(sizes) / sizes[line.group] for line in lines])
    spread = against.std(axis=0)
    inputs = np.column_stack((np.ones(len(lines)), against / np.where(spread > 0, spread, 1.0)))
    weights = _descend(inputs, right, counts)
    found = weights[1:] / np.where(spread > 0, spread, 1.0)
    return {"intercept": round(float(weights[0]), 4),
            **{name: round(float(w), 4) for name, w in zip(EVIDENCE, found, strict=True)}}


def _descend(inputs: Floats, right: Floats, counts: Floats) -> Floats:
    """Coordinate Newton steps for the penalised log likelihood, all weights but the first kept at nought or below."""
    weights = np.zeros(inputs.shape[1])
    total = inputs @ weights
    for _ in range(PASSES):
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
    return weights


def left_out(lines: Sequence[Judged]) -> list[float]:
    """The chance of each line by weights fitted on the hands of the other folds: what may be expected of new hands."""
    hands = sorted({(line.group, line.hand) for line in lines})
    fold = {hand: at % FOLDS for at, hand in enumerate(hands)}
    tables = {}
    for number in sorted(set(fold.values())):
        others = [line for line in lines if fold[line.group, line.hand] != number]
        tables[number] = Table(fit(others), {}, {})
    return [confidence(line.features, tables[fold[line.group, line.hand]]) for line in lines]


FOLDS = 10


def upper_bound(wrong: int, of: int, sure: float = SURE) -> float:
    """The greatest share of wrong lines that is not yet unlikely when `wrong` of `of` were seen (Clopper and Pearson's
    one-sided bound), 0..1; 1 for no lines."""
    if of == 0 or wrong >= of:
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        seen = sum(comb(of, k) * middle**k * (1 - middle) ** (of - k) for k in range(wrong + 1))
        low, high = (middle, high) if seen > 1 - sure else (low, middle)
    return high


@dataclass(frozen=True, slots=True)
class Threshold:
    """A least chance, how many free lines reach it, how many of them are wrong, and the bound on their true share."""

    chance: float
    passed: int
    wrong: int
    bound: float


def threshold(lines: Sequence[Judged], chances: Sequence[float], most_wrong: float, most_bound: float) -> Threshold:
    """The lowest chance above which at most `most_wrong` of the free lines were wrong and at most `most_bound` of them
    may be, in SURE of a hundred such samples. Raises ValueError where there is none."""
    free = sorted(((chance, line.right) for line, chance in zip(lines, chances, strict=True) if line.free), reverse=True)
    best, wrong = None, 0
    for passed, (chance, right) in enumerate(free, 1):
        wrong += not right
        if passed < len(free) and free[passed][0] == chance:
            continue
        if wrong <= most_wrong * passed and (bound := upper_bound(wrong, passed)) <= most_bound:
            best = Threshold(chance, passed, wrong, bound)
    if best is None:
        raise ValueError(f"of {len(free)} lines no share is right often enough")
    return best


def calibration_error(lines: Sequence[Judged], chances: Sequence[float], bins: int = 10) -> float:
    """Mean distance of chance from truth over bins of equal width, weighed by their lines; 0..1."""
    sums = np.zeros((bins, 2))
    for line, chance in zip(lines, chances, strict=True):
        sums[min(bins - 1, int(chance * bins))] += chance, line.right
    return float(np.abs(sums[:, 0] - sums[:, 1]).sum() / max(1, len(lines)))


def to_toml(weights: Mapping[str, float], gate: Mapping[str, float], provenance: Mapping[str, str | int | float]) -> str:
    """The table as its file."""
    parts = ["# How sure a decoded line is, from its features (ocr/confidence.py). Made by `python -m service.calibrate`.", ""]
    parts += ["# Logistic: the chance that the best order is what was written is 1 / (1 + exp(-sum)). All but the intercept",
              "# counts what speaks against the line.", "[weights]"]
    parts += [f"{name} = {value}" for name, value in weights.items()]
    parts += ["", "# What a line must reach to go without a look.", "[gate]"]
    parts += [f"{name} = {value}" for name, value in gate.items()]
    parts += ["", "[provenance]"]
    parts += [f'{name} = "{value}"' if isinstance(value, str) else f"{name} = {value}" for name, value in provenance.items()]
    return "\n".join(parts) + "\n"
