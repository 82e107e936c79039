"""One figure of a bench, how it is printed, and how lists of times become figures."""

from __future__ import annotations

import json
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TextIO


@dataclass(frozen=True, slots=True)
class Figure:
    """What was measured, its value and unit.

    `of`: how many it is taken over. `target`: what the plan requests, in words. `how`: how it was measured,
    where the name does not show it.
    """

    name: str
    value: float | None
    unit: str
    of: int | None = None
    target: str | None = None
    how: str | None = None

    def print_to(self, out: TextIO) -> None:
        """Print it as a JSON line."""
        print_line(out, what=self.name, value=self.value, unit=self.unit, of=self.of, target=self.target,
                   how=self.how)


def print_line(out: TextIO, **values: object) -> None:
    """Print a figure as a JSON line, as docs/contract.md states: `what`, `value`, `unit` and more.

    A value of None is left out, except `value` itself: that states that there was nothing to measure.
    """
    line = {key: value for key, value in values.items() if value is not None or key == "value"}
    print(json.dumps(line, ensure_ascii=False), file=out, flush=True)


def percentile(values: Sequence[float], share: float) -> float | None:
    """The smallest value that `share` (0..1) of all values do not exceed; None if there is no value."""
    ordered = sorted(values)
    # A share of 1 would point behind the last value.
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else None


def median(values: Sequence[float]) -> float | None:
    """The median; None if there is no value."""
    return statistics.median(values) if values else None


def rounded(value: float | None, digits: int = 1) -> float | None:
    """A value rounded to `digits` decimals; None stays None."""
    return None if value is None else round(value, digits)
