"""Fit the table of confidence to lines whose truth is known. Values in, values out: reading, aligning and
writing files is for the caller, since what a line means is the grammar's business.

The chance is a logistic sum over `confidence.evidence`, all of which speaks against a line, so no weight may
be above nought: a line that looks worse is never trusted more. Groups of lines count alike, whatever their
sizes.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from math import comb
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ocr.decoding.confidence import (
    EVIDENCE,
    GATE,
    ConfidenceTable,
    Features,
    automatic,
    confidence,
    evidence,
    stepped,
)

Floats: TypeAlias = npt.NDArray[np.float64]

PASSES = 400
"""Rounds of coordinate descent at most."""

SETTLED = 1e-4
"""A round that moves no weight by more is the last."""

RIDGE = 0.5
"""Lines' worth of belief that a weight is nought, for evidence brought to a spread of one."""

SURE = 0.95
"""With this chance the true share of wrong lines is below `upper_bound`."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A line that gave an order. `right`: it is the order that was written, live. `group`: lines that count
    as one body, such as the sheets of one folder. `hand`: who wrote it, for leaving hands out. `free`:
    nothing but the table stands between this line and going without a look. `grave`: none was to be taken,
    since it is crossed out or names what is not on the board, is a condition or the like: no gate may let it
    pass."""

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
    inputs = np.column_stack((np.ones(len(lines)), against / np.where(spread > 0, spread, 1.0)))
    weights = _descend(inputs, right, counts)
    found = weights[1:] / np.where(spread > 0, spread, 1.0)
    return {"intercept": round(float(weights[0]), 4),
            **{name: round(float(w), 4) for name, w in zip(EVIDENCE, found, strict=True)}}


def _descend(inputs: Floats, right: Floats, counts: Floats) -> Floats:
    """Coordinate Newton steps for the penalised log likelihood, all weights but the first kept at nought or
    below."""
    weights = np.zeros(inputs.shape[1])
    total = inputs @ weights
    for _ in range(PASSES):
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


def left_out(lines: Sequence[Judged]) -> list[float]:
    """The chance of each line by weights fitted on the hands of the other folds: what may be expected of new
    hands."""
    hands = sorted({(line.group, line.hand) for line in lines})
    fold = {hand: at % FOLDS for at, hand in enumerate(hands)}
    tables = {}
    for number in sorted(set(fold.values())):
        others = [line for line in lines if fold[line.group, line.hand] != number]
        tables[number] = ConfidenceTable(fit(others), {}, {})
    return [confidence(line.features, tables[fold[line.group, line.hand]]) for line in lines]


FOLDS = 10

LEAST_LINES = 150
"""Lines of a step: by fewer its share of right ones is known too roughly to be told apart from its
neighbours'."""


def steps_of(lines: Sequence[Judged], values: Sequence[float]) -> tuple[tuple[float, float], ...]:
    """Which share of lines is right from which value on, as steps that never fall (isotonic regression by
    pooling; Ayer 1955). `values` should come from weights that did not see the line's hand. The share is
    Laplace's, never 0 or 1."""
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
        pool = (ranked[start][0], sum(right for _, right in ranked[start:end]), end - start)
        while pools and _share(*pools[-1][1:]) >= _share(*pool[1:]):
            before = pools.pop()
            pool = (before[0], before[1] + pool[1], before[2] + pool[2])
        pools.append(pool)
    return tuple(
        (round(begins, 4) if at else 0.0, round(_share(right, of), 4))
        for at, (begins, right, of) in enumerate(pools)
    )


def _share(right: int, of: int) -> float:
    return (right + 1) / (of + 2)


def upper_bound(wrong: int, of: int, sure: float = SURE) -> float:
    """The greatest share of wrong lines that is not yet unlikely when `wrong` of `of` were seen (Clopper and
    Pearson's one-sided bound), 0..1; 1 for no lines."""
    if of == 0 or wrong >= of:
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        seen = sum(comb(of, k) * middle**k * (1 - middle) ** (of - k) for k in range(wrong + 1))
        low, high = (middle, high) if seen > 1 - sure else (low, middle)
    return high


def calibration_error(lines: Sequence[Judged], chances: Sequence[float], bins: int = 10) -> float:
    """Mean distance of chance from truth over bins of equal width, weighed by their lines; 0..1."""
    sums = np.zeros((bins, 2))
    for line, chance in zip(lines, chances, strict=True):
        sums[min(bins - 1, int(chance * bins))] += chance, line.right
    return float(np.abs(sums[:, 0] - sums[:, 1]).sum() / max(1, len(lines)))


CAREFUL = {
    "cost": 0.5,
    "struck": 0.6,
    "touched": 0.7,
    "twin": 9.5,
    "alien": 1.45,
    "lone_strange": 3.0,
    "lone_margin": 6.0,
    "lone_struck": 0.1,
    "lone_worst": 10.0,
    "lone_touched": 0.98,
    "split_margin": 4.0,
    "kind_doubt": 3.0,
    "kind_margin": 6.0,
    "plain_worst": 2.0,
    "plain_struck": 0.8,
    "plain_touched": 0.7,
    "taken_out": 0.8,
    "out_touched": 0.75,
    "clear_haze": 0.045,
    "clear_touched": 0.97,
    "crossed": 0.99,
    "crossed_touched": 0.95,
    "hazy_margin": 20.0,
    "hazy_from": 0.08,
    "clear_less": 0.5,
    "clear_hand": 0.04,
    "mended_margin": 5.0,
}
"""Parts of the gate set by hand, since too few lines show what they are for. `twin` is one letter that the
ink does not show at all (9) and what a clear line loses besides; the names of which a word was lost had 10.7
and more, of right ones a dozen 7 to 9.5; `alien`: places that no board has lost 1.5 and more by every
opinion; of 36 lines with a word strange to one opinion alone (`lone_...`) 33 were right, and the wrong ones
lost 3.4 or had other evidence against them; `kind_doubt` is odds of one in twenty. `struck` and `touched`: on
those sheets the lines crossed out that gave an order were touched by 0.9 and more, but for one by 0.5; a
limit of 0.7 costs 11 of 2,234 lines that would pass; the least that one of the former lost in its worst
stretch was 2.7 nats. `clear_...`: of 31 lines crossed out by strokes across one was as clear and touched
less, of 11 live lines that looked so seven were. The strike's: in the sheets of 2026-11-21 every line wholly
crossed out that was read as an order scored less than `taken_out` only where its letters were lost too, and
live lines above `crossed` were those with most words out: of 358 rows beyond 0.95 that were crossed out 352
were beyond 0.99, of four live ones, hasty or two rows in one, three. `hazy_...`: of 28 lines with a haze
beyond 0.1 and a margin of 2 to 4 nats four were wrong, of 66 with one of 4 to 6 one (sheets of 2026-11-22,
those composed for a first look among them); `clear_...`: of 29 lines with a haze below 0.04 and a margin from
2 nats up to what else is asked none was."""

GRAVE = 100
"""Wrong lines that one counts as which was not to be taken at all."""

MOST_WRONG, MOST_BOUND = 0.003, 0.008
"""Shares of the lines let pass that may be wrong: as counted, and as their true share may still be
(`upper_bound`)."""

MOST_EACH = 8
"""Wrong lines with which a part of the gate, for lines where one letter matters or for the others, is
tried."""

TRIED = {
    "confidence": (0.98, 0.96, 0.95, 0.93, 0.9, 0.8),
    "worst": (8.0, 10.0, 12.0, 15.0, 18.0),
    "margin": (8.0, 6.0, 5.0, 4.0, 3.5, 3.0, 2.5),
    "near_margin": (5.5, 4.0, 3.5, 3.0),
    "strange": (1.2, 1.5, 1.6, 1.8),
    "lone_alien": (1.2, 1.45),
}
"""What is tried for each part of the gate, the strictest first; where one letter matters, STRICTER. 9 nats in
a stretch are one letter that the ink does not show at all; a short place that no list has costs 1.9 a letter
and more."""

HELD_STRICTER = ("confidence", "worst", "margin")
"""What lines where one letter matters have parts of the gate of their own for."""

STRICTER = 0.5
"""Nats by which margin and worst stretch must be better where one letter matters."""


@dataclass(frozen=True, slots=True)
class Gated:
    """A gate, how many lines it lets pass, how many of these are wrong, and the bound on their true share."""

    gate: Mapping[str, float]
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
    tried = [
        Gated({**strict.gate, **plain.gate}, plain.passed + strict.passed, plain.wrong + strict.wrong)
        for plain in _widest([pair for pair in free if not pair[0].features.one_letter])
        for strict in _widest(one_letter, plain.gate)
    ]
    good = [one for one in tried if one.wrong <= MOST_WRONG * one.passed and one.bound <= MOST_BOUND]
    if not good:
        raise ValueError(f"of {len(free)} lines too few are right, or there are too few to trust a gate")
    return max(good, key=lambda one: one.passed)


def _widest(free: Sequence[tuple[Judged, float]], plain: Mapping[str, float] | None = None) -> list[Gated]:
    """For each number of wrong lines up to MOST_EACH the gate that lets the most pass; where several do, the
    strictest. With `plain` for lines where one letter matters: none of that gate's parts is less strict."""
    best: dict[int, Gated] = {}
    for part in _parts() if plain is None else _strict_parts(plain):
        one = _passing(free, part)
        if one.wrong <= MOST_EACH and (one.wrong not in best or one.passed > best[one.wrong].passed):
            best[one.wrong] = one
    return list(best.values())


def _parts() -> Iterator[dict[str, float]]:
    """All that is tried."""
    return (dict(zip(TRIED, values, strict=True)) for values in product(*TRIED.values()))


def _strict_parts(plain: Mapping[str, float]) -> Iterator[dict[str, float]]:
    """The same for lines where one letter matters, beside a gate for the others."""
    kept = {name: plain[name] for name in TRIED if name not in HELD_STRICTER}
    for chance, worst, margin in product(*(TRIED[name] for name in HELD_STRICTER)):
        yield {
            "strict_confidence": max(chance, plain["confidence"]),
            "strict_worst": min(worst, plain["worst"]) - STRICTER,
            "strict_margin": max(margin, plain["margin"]) + STRICTER,
            **kept,
        }


def _passing(free: Sequence[tuple[Judged, float]], part: Mapping[str, float]) -> Gated:
    table = ConfidenceTable({}, {**CAREFUL, **part}, {})
    passed = [line for line, chance in free if automatic(line.features, chance, table)]
    grave = sum(line.grave for line in passed)
    return Gated(
        {**CAREFUL, **part}, len(passed), len(passed) - sum(line.right for line in passed) + GRAVE * grave
    )


def table_of(lines: Sequence[Judged], told: Mapping[str, str | int | float]) -> str:
    """The table as TOML. Raises ValueError where the lines do not allow one."""
    weights, unseen = fit(lines), left_out(lines)
    table = ConfidenceTable(weights, {}, {}, steps_of(lines, unseen))
    own = [confidence(line.features, table) for line in lines]
    others = [stepped(value, table.steps) for value in unseen]
    found = gated(lines, [max(pair) for pair in zip(own, others, strict=True)])
    provenance = {
        **told, "lines": len(lines), "right": sum(line.right for line in lines),
        "free": sum(line.free for line in lines),
        "passed": found.passed, "wrong_passed": found.wrong, "wrong_bound": round(found.bound, 5),
        "calibration_error": round(calibration_error(lines, own), 4),
        "calibration_error_other_hands": round(calibration_error(lines, others), 4),
    }
    return to_toml(
        ConfidenceTable(weights, {name: found.gate[name] for name in GATE}, provenance, table.steps)
    )


def to_toml(table: ConfidenceTable) -> str:
    """The table as its file."""
    parts = [("# How sure a decoded line is, from its features (ocr/decoding/confidence.py). Made by `python "
              "-m training.calibrate_confidence`."), ""]
    parts += ["# Logistic: 1 / (1 + exp(-sum)). All but the intercept",
              "# counts what speaks against the line.", "[weights]"]
    parts += [f"{name} = {value}" for name, value in table.weights.items()]
    parts += ["", "# From which value of the logistic on which share of lines is right.", "[steps]"]
    parts += [
        f"{name} = [{', '.join(str(pair[at]) for pair in table.steps)}]"
        for at, name in enumerate(("from", "chance"))
    ]
    parts += ["", "# What a line must reach to go without a look.", "[gate]"]
    parts += [f"{name} = {value}" for name, value in table.gate.items()]
    parts += ["", "[provenance]"]
    parts += [
        f'{name} = "{value}"' if isinstance(value, str) else f"{name} = {value}"
        for name, value in table.provenance.items()
    ]
    return "\n".join(parts) + "\n"
