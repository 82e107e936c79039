"""How sure a decoded line is: its features, and a table that turns them into a chance and a gate.

The table is data (`confidence.toml`), fitted by `python -m service.calibrate`, and says itself where its figures come
from.
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

FILE = "ocr/confidence.toml"


class TableError(ValueError):
    """The table of confidence cannot be used. Our own fault: names the file and the entry."""


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
    `touched`: 0..1, how much any part of the line looks crossed out. `odd`: the order is one that nobody means as it
    stands, such as one without the kind of its unit, or the text holds a word of doubt.
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
    touched: float = 0.0
    odd: bool = False

    def numbers(self) -> dict[str, float]:
        """Every feature by name as a number, fit for JSON."""
        return {name: round(float(value), 4) for name, value in asdict(self).items()}


CLOSE, NEARBY = 2.0, 6.0
"""Nats over which the weight of another reading fades, for readings that are close and for those farther off."""

EVIDENCE = (
    "cost", "worst", "haze", "mistrust", "struck", "touched", "dissent", "close", "nearby", "near", "one_letter", "odd",
)
"""Names of what `evidence` measures, each 0 where nothing speaks against a line."""


def evidence(features: Features) -> dict[str, float]:
    """What speaks against a line, by the names of EVIDENCE: never below 0, and the more the worse.

    `mistrust`: what the recogniser's score falls short of 1. `dissent`: a second opinion reads another order. `close`
    and `nearby`: how near the next order is, over CLOSE and NEARBY nats, and `near` the next that is printed alike.
    `one_letter`: how near the next order is where one letter makes a short name another's.
    """
    f = features
    margin, near = max(0.0, f.margin), max(0.0, f.near_margin)
    return {
        "cost": max(0.0, f.cost), "worst": max(0.0, f.worst), "haze": max(0.0, f.haze), "mistrust": max(0.0, 1.0 - f.score),
        "struck": f.struck, "touched": f.touched, "dissent": float(f.agreement < 0),
        "close": math.exp(-margin / CLOSE), "nearby": math.exp(-margin / NEARBY), "near": math.exp(-near / CLOSE),
        "one_letter": math.exp(-margin / NEARBY) if f.one_letter else 0.0, "odd": float(f.odd),
    }


@dataclass(frozen=True, slots=True)
class Table:
    """`weights` of a logistic sum by evidence (none above 0) and "intercept"; `gate`: the least or most each feature must
    be for a line to go without a look; `provenance`: what it was fitted on, by whom one can repeat it."""

    weights: Mapping[str, float]
    gate: Mapping[str, float]
    provenance: Mapping[str, object]


GATE = ("confidence", "one_letter_confidence", "cost", "worst", "margin", "near_margin", "one_letter_margin", "struck", "touched")
"""What a table must say of the gate."""


@cache
def usual() -> Table:
    """The table that comes with this release. Raises TableError where it is faulty."""
    return read_table((files("ocr") / "confidence.toml").read_text(encoding="utf-8"))


def read_table(text: str, name: str = FILE) -> Table:
    """A table from its TOML; `name` is the file's. Raises TableError, naming the file and the key."""
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as fault:
        raise TableError(f"{name} is no TOML: {fault}") from fault
    provenance = found.get("provenance")
    if not isinstance(provenance, dict) or not provenance:
        raise TableError(f"{name}: [provenance] must say where the figures come from")
    weights = _numbers(found, "weights", ("intercept", *EVIDENCE), name)
    above = sorted(key for key, weight in weights.items() if key != "intercept" and weight > 0)
    if above:
        raise TableError(f"{name}: weights.{above[0]} is above 0, so that worse lines would be trusted more")
    return Table(weights, _numbers(found, "gate", GATE, name), provenance)


def _numbers(found: Mapping[str, object], part: str, keys: tuple[str, ...], name: str) -> dict[str, float]:
    """One table of the file: exactly these keys, each a finite number."""
    given = found.get(part)
    if not isinstance(given, dict):
        raise TableError(f"{name}: [{part}] is missing")
    for key in sorted({*keys, *given}):
        value = given.get(key)
        if key not in keys:
            raise TableError(f"{name}: {part}.{key} is unknown; known are {', '.join(keys)}")
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise TableError(f"{name}: {part}.{key} must be a number")
    return {key: float(given[key]) for key in keys}


def confidence(features: Features, table: Table) -> float:
    """The chance, 0..1, that the best order is what was written."""
    weights = table.weights
    total = weights["intercept"] + sum(weights[name] * value for name, value in evidence(features).items())
    return round(1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, total)))), 4)


def automatic(features: Features, chance: float, table: Table) -> bool:
    """May the line go without a look, as far as the ink goes? Stricter where one letter changes the meaning."""
    gate, one = table.gate, "one_letter_" if features.one_letter else ""
    return (
        chance >= gate[one + "confidence"] and features.margin >= gate[one + "margin"]
        and features.near_margin >= gate["near_margin"]
        and features.cost <= gate["cost"] and features.worst <= gate["worst"]
        and features.struck < gate["struck"] and features.touched < gate["touched"] and not features.odd
    )
