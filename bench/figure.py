"""One figure of `galloper bench desk`, and how lists of times become figures."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """`what` was measured, its `value` and `unit`; `of` how many it is taken over; `target` the desk plan's,
    in words; `how` it was measured, where the name does not tell."""

    what: str
    value: float | None
    unit: str
    of: int | None = None
    target: str | None = None
    how: str | None = None


def percentile(values: Sequence[float], share: float) -> float | None:
    """The smallest value that `share` (0..1) of all values do not exceed; None of none."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else None


def median(values: Sequence[float]) -> float | None:
    """The middle; None of none."""
    return statistics.median(values) if values else None


def tidy(value: float | None, digits: int = 1) -> float | None:
    """Rounded for print."""
    return None if value is None else round(value, digits)
