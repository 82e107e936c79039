"""How sure a decoded line is: its features, and a table that turns them into a chance and a gate.

The table is data (`confidence.toml`) and says itself where its figures come from.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files

FAR = 25.0
"""Nats that stand for a margin to nothing: no other order was anywhere near."""


class TableError(ValueError):
    """The table of confidence cannot be used. Our own fault: names the entry."""


@dataclass(frozen=True, slots=True)
class Features:
    """What is known of a decoded line's best order. All lexical or of the ink; nothing of the board.

    `cost`: nats a frame that it fits worse than free reading, and `worst`: nats lost in the worst short stretch.
    `margin`: nats to the next different order, `near_margin` to the next that is printed nearly alike (A or F, Cork or
    York, a tail more or less), both at most FAR. `agreement`: 1 where a second opinion reads the same order, -1 where it
    reads another, 0 without one. `struck`: 0..1, how much the line looks crossed out. `haze`: nats a frame by which the
    recogniser's own letters fall short of certainty. `score`: 0..1, the recogniser's trust in its own text.
    `focus` and `contrast`: how well the row was photographed, 0 where nobody measured.
    `one_letter`: a short name in the text is one misread letter from another's. `letters`: length of the text.
    """

    cost: float
    worst: float
    margin: float
    near_margin: float
    agreement: float = 0.0
    struck: float = 0.0
    haze: float = 0.0
    score: float = 1.0
    focus: float = 0.0
    contrast: float = 0.0
    one_letter: bool = False
    letters: int = 0

    def numbers(self) -> dict[str, float]:
        """Every feature by name as a number, fit for JSON."""
        return {name: round(float(value), 4) for name, value in asdict(self).items()}


@dataclass(frozen=True, slots=True)
class Table:
    """Weights of a logistic sum by feature (and "intercept"), and the least or most each feature must be for a line to go
    without a look."""

    weights: Mapping[str, float]
    gate: Mapping[str, float]
    provenance: str


@cache
def usual() -> Table:
    """The table that comes with this release. Raises TableError where it is faulty."""
    return read_table((files("ocr") / "confidence.toml").read_text(encoding="utf-8"))


def read_table(text: str) -> Table:
    """A table from its TOML. Raises TableError."""
    try:
        found = tomllib.loads(text)
        table = Table({k: float(v) for k, v in found["weights"].items()},
                      {k: float(v) for k, v in found["gate"].items()}, str(found["provenance"]))
    except (tomllib.TOMLDecodeError, KeyError, ValueError, AttributeError, TypeError) as fault:
        raise TableError(f"the table of confidence: {fault!r}") from fault
    known = {"intercept", *Features.__dataclass_fields__}
    strange = sorted(set(table.weights) - known)
    missing = sorted({"confidence", "cost", "worst", "margin", "near_margin", "one_letter_margin"} - set(table.gate))
    if strange or missing:
        raise TableError(f"the table of confidence has strange weights {strange} or lacks gates {missing}")
    return table


def confidence(features: Features, table: Table) -> float:
    """The chance, 0..1, that the best order is what was written."""
    numbers = features.numbers()
    total = sum(w * (1.0 if name == "intercept" else numbers[name]) for name, w in table.weights.items())
    return round(1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, total)))), 4)


def automatic(features: Features, chance: float, table: Table) -> bool:
    """May the line go without a look, as far as the ink goes? Stricter where one letter changes the meaning."""
    gate = table.gate
    margin = gate["one_letter_margin"] if features.one_letter else gate["margin"]
    return (
        chance >= gate["confidence"] and features.cost <= gate["cost"] and features.worst <= gate["worst"]
        and features.margin >= margin and features.near_margin >= gate["near_margin"]
    )
