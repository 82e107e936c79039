"""The confidence of a decoded line: its features, and a fitted table that turns them into a chance; and the
thresholds by which a line passes without a person, on its own ink.

Table and thresholds are data (`confidence.toml`), fitted by `python -m training.calibrate_confidence`. Its
[provenance] states on which sheets, and how many of their lines were right. Nats are natural logarithms of
chances.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from importlib.resources import files
from itertools import pairwise

FAR = 25.0
"""Nats that represent the margin if no other order was near, and the most that any margin counts. By hand."""

FILE = "ocr/decoding/confidence.toml"


@dataclass(frozen=True, slots=True)
class ReviewThresholds:
    """What lets a line pass without a person, and what is crossed out. "At most" and "at least" say on which
    side it passes.

    `confidence` is fitted: the least from which on the share of wrong lines on the sheets that the file's
    [provenance] names is within `training.tuning.calibrate.MOST_WRONG`. The others are set by hand
    (`training.tuning.calibrate.BY_HAND`), because too few lines show what they are for.
    """

    confidence: float
    """0..1, at least: the calibrated confidence."""
    plain_other: float
    """Nats a letter, at most: lost in a place's name where every opinion reads one and the same other word.
    On sheets in real letters names of no list lost 1.9 or more, apart from mere misspellings (Donegall, 1.2),
    and of 428 right lines that passed four lost more. That is one sure letter in a code, two in a short name,
    three in a long one."""
    word_misfit: float
    """Nats a letter, at most: lost in the word that fits worst. A word of one letter that the ink does not
    show at all loses 2.9 ("Fleet Lond", read as one that holds); of 3,846 right lines for calibration that
    pass two lose more than 2.6."""
    kind_margin: float
    """Nats, at least: to the reading with another kind of unit. Where the kind is part of the order, as of a
    build, a nearer one holds the line; elsewhere the order leaves the kind out. A letter that the recogniser
    is sure of is 6.2 away."""

    part_strike: float
    """0..1, below: how much any part of a line may look crossed out that was not plainly put right. The
    lines crossed out that gave an order had 0.9 or more, but for one of 0.5; on 885 lines of writers for
    calibration 0.7 holds nine right ones, and 0.5 eighteen."""
    struck_whole: float
    """0..1, at least: a row that scores this, and `struck_part` in a part, is crossed out. In the sheets of
    2026-11-21 rows wholly crossed out scored less only where their letters were lost too."""
    struck_part: float
    """0..1, at least: see `struck_whole`."""
    cross_strokes_uncertainty: float
    """Nats a frame, at most: strokes across letters that were read with no more uncertainty cross nothing
    out. A joined and leaning hand makes such strokes itself: of 31 lines so crossed out one was as clear and
    scored less than `cross_strokes_part`; of 11 live lines that looked so seven did."""
    cross_strokes_part: float
    """0..1, below: how much any part may look struck for that."""
    surely_struck_whole: float
    """0..1, at least: a row that scores this, and `surely_struck_part`, is so plainly out that no one need
    look. Of 358 rows beyond 0.95 that were crossed out 352 were beyond 0.99; of four live ones three, hasty
    or two rows in one."""
    surely_struck_part: float
    """0..1, at least: see `surely_struck_whole`."""


class TableError(ValueError):
    """The table cannot be used. Our own fault; the text names the file and the entry."""


@dataclass(frozen=True, slots=True)
class Features:
    """Facts about a decoded line's best order. All lexical or of the ink; nothing of the board.

    Those that count nats lost are of the opinion that fits best, unless said."""

    cost: float = 0.0
    """Nats a frame by which the order fits worse than free reading."""
    margin: float = FAR
    """Nats to the next different order, at most FAR."""
    uncertainty: float = 0.0
    """Nats a frame by which the recogniser's own letters fall short of certainty."""
    part_strike: float = 0.0
    """0..1, how much any part of the row looks crossed out, see `ocr.decoding.review_gate.part_strike`."""
    word_misfit: float = 0.0
    """Nats lost a letter in the word that fits worst, mean of the opinions."""
    # The loss above counts a letter that is often misread for less. These do not: they tell a name badly
    # written from another word written well.
    name_loss: float = 0.0
    """Nats lost a letter in the place's name that fits worst, as the recogniser itself states."""
    plain_other: float = 0.0
    """Nats lost a letter in a place's name where every opinion reads one and the same other word; 0 where
    none does."""
    is_odd: bool = False
    """True for an order that cannot be meant as it is, such as a support of itself, or for a text with
    a word of doubt."""
    is_kindless: bool = False
    """True for an order without the word for its unit's kind: it is good, and may be the end of another."""
    kind_margin: float = FAR
    """Nats to another order that differs only in a kind (Build A, Build F), at most FAR."""
    unit_margin: float = FAR
    """Nats to the same order with another word for its units (A Kent H, F Kent H), at most FAR."""
    is_corrected: bool = False
    """True if the order was read on the line as its writer corrected it, each correction plain. Costs and
    losses are then those on that line."""


CLOSE, NEARBY = 2.0, 6.0
"""Nats over which the weight of another reading fades to 1/e: two scales. By hand, before the first fit,
which gives each its weight."""

MOST_OTHER = 3.0
"""Nats a letter of `plain_other` beyond which more states no more. By hand."""

EVIDENCE = (
    "cost",
    "uncertainty",
    "part_strike",
    "close",
    "nearby",
    "word_misfit",
    "name_loss",
    "plain_other",
)
"""Names of what `evidence` measures. Each is 0 if nothing speaks against a line."""


def evidence(features: Features) -> dict[str, float]:
    """The evidence against a line, by the names of EVIDENCE: 0 or more, and the more the worse.

    `close` and `nearby`: 0..1, how near the next order is, over CLOSE and NEARBY nats. The others are
    features."""
    # Never below 0, and no weight above 0: a line that looks worse is never trusted more, whatever the fit.
    margin = max(0.0, features.margin)
    return {
        "cost": max(0.0, features.cost),
        "uncertainty": max(0.0, features.uncertainty),
        # A word struck out and put right above is read so; its stroke speaks against nothing.
        "part_strike": 0.0 if features.is_corrected else features.part_strike,
        "close": math.exp(-margin / CLOSE),
        "nearby": math.exp(-margin / NEARBY),
        "word_misfit": max(0.0, features.word_misfit),
        "name_loss": max(0.0, features.name_loss),
        "plain_other": min(MOST_OTHER, features.plain_other),
    }


@dataclass(frozen=True, slots=True)
class ConfidenceTable:
    """The fitted numbers.

    `weights`: by evidence, none above 0, and "intercept", of a logistic sum. `thresholds`: what lets a line
    pass without a person. `provenance`: what it was fitted on. `steps`: pairs of a value of the logistic,
    0..1, and the share of lines from it on that was right, both rising; without steps the value itself is the
    chance. `accepted`: triples of a confidence, the share of lines from it on that passed and were wrong, and
    the bound on that share (95 %), from the least confidence on; both shares fall."""

    weights: Mapping[str, float]
    thresholds: ReviewThresholds
    provenance: Mapping[str, object]
    # Isotonic regression: on hands that the fit did not see, the calibration error fell from 1.1 to 0.3
    # points.
    steps: tuple[tuple[float, float], ...] = ()
    accepted: tuple[tuple[float, float, float], ...] = ()


@cache
def default_table() -> ConfidenceTable:
    """The table of this release. Raises TableError if it is faulty."""
    return read_table((files(__package__) / "confidence.toml").read_text(encoding="utf-8"))


def read_table(text: str, name: str = FILE) -> ConfidenceTable:
    """A table from its TOML; `name` is the file's. Raises TableError, naming the file and the key."""
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as fault:
        raise TableError(f"{name} is not TOML: {fault}") from fault
    provenance = document.get("provenance")
    if not isinstance(provenance, dict) or not provenance:
        raise TableError(f"{name}: [provenance] must name the source of the figures")
    weights = _numbers(document, "weights", ("intercept", *EVIDENCE), name)
    positive = sorted(key for key, weight in weights.items() if key != "intercept" and weight > 0)
    if positive:
        msg = f"{name}: weights.{positive[0]} is above 0, so that worse lines would be trusted more"
        raise TableError(msg)
    keys = tuple(field.name for field in fields(ReviewThresholds))
    thresholds = ReviewThresholds(**_numbers(document, "thresholds", keys, name))
    steps, accepted = _steps(document.get("steps"), name), _accepted(document.get("accepted", {}), name)
    return ConfidenceTable(weights, thresholds, provenance, steps, accepted)


def _accepted(table: object, name: str) -> tuple[tuple[float, float, float], ...]:
    """[accepted]: `confidence`, `wrong_share` and `bound`, lists of equal length; the first rises and the
    others fall."""
    columns = [
        column if isinstance(column := dict(table).get(key, []), list) else None
        for key in ("confidence", "wrong_share", "bound")
    ] if isinstance(table, dict) else []
    rising, *falling = [column for column in columns if column is not None] or [[]]
    if (
        len(falling) != 2
        or {len(column) for column in falling} != {len(rising)}
        or sorted(rising) != rising
        or any(sorted(column, reverse=True) != column for column in falling)
    ):
        msg = "must be lists of equal length, confidence rising and wrong_share and bound falling"
        raise TableError(f"{name}: [accepted] {msg}")
    return tuple(zip(rising, *falling, strict=True))


def least_confidence(table: ConfidenceTable, wrong_share: float) -> float:
    """The least confidence, 0..1, from which on no greater share of the lines that passed was wrong; the
    highest that was measured where no confidence is enough, and 0 without measurements."""
    return next(
        (chance for chance, wrong, _ in table.accepted if wrong <= wrong_share),
        table.accepted[-1][0] if table.accepted else 0.0,
    )


def _steps(table: object, name: str) -> tuple[tuple[float, float], ...]:
    """[steps]: `from` and `chance`, as long as each other, both rising within 0..1 and the first from 0."""
    if not isinstance(table, dict) or not all(isinstance(table.get(key), list) for key in ("from", "chance")):
        raise TableError(f"{name}: [steps] must have the lists from and chance")
    begins, chances = table["from"], table["chance"]
    are_shares = all(
        isinstance(number, int | float) and not isinstance(number, bool) and 0.0 <= number <= 1.0
        for number in [*begins, *chances]
    )
    if (
        not begins
        or len(begins) != len(chances)
        or begins[0] != 0.0
        or not are_shares
        or sorted(set(begins)) != begins
        or sorted(chances) != chances
    ):
        msg = "must be rising numbers of 0 to 1, as many of one as of the other"
        raise TableError(f"{name}: steps.from and steps.chance {msg}")
    return tuple(zip(begins, chances, strict=True))


def _numbers(document: Mapping[str, object], part: str, keys: tuple[str, ...], name: str) -> dict[str, float]:
    """One table of the file: exactly these keys, each a finite number."""
    table = document.get(part)
    if not isinstance(table, dict):
        raise TableError(f"{name}: [{part}] is missing")
    for key in sorted({*keys, *table}):
        value = table.get(key)
        if key not in keys:
            raise TableError(f"{name}: {part}.{key} is unknown; known are {', '.join(keys)}")
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise TableError(f"{name}: {part}.{key} must be a number")
    return {key: float(table[key]) for key in keys}


def confidence(features: Features, table: ConfidenceTable) -> float:
    """The chance, 0..1, that the best order is what was written."""
    return stepped(logistic(features, table.weights), table.steps)


def stepped(value: float, steps: Sequence[tuple[float, float]]) -> float:
    """The chance that goes with a value of the logistic, both 0..1: the share of each step at its middle,
    straight lines between, and level beyond the first and the last; the value itself without steps."""
    # Bare steps gave seven different chances, and lines at the two ends of a step the same.
    if not steps:
        return value
    begins = [begin for begin, _ in steps]
    # The last step is as long as the one before it, or reaches to 1.
    ends = [*begins[1:], min(1.0, 2 * begins[-1] - begins[-2]) if len(begins) > 1 else 1.0]
    middles = [(begin + end) / 2 for begin, end in zip(begins, ends, strict=True)]
    chances = [chance for _, chance in steps]
    for (left, low), (right, high) in pairwise(zip(middles, chances, strict=True)):
        if left <= value < right:
            return round(low + (high - low) * (value - left) / (right - left), 4)
    return chances[0] if value < middles[0] else chances[-1]


def logistic(features: Features, weights: Mapping[str, float]) -> float:
    """The logistic of the weighed evidence, 0..1."""
    total = weights["intercept"] + sum(weights[name] * value for name, value in evidence(features).items())
    # Beyond 30 the logistic is 0 or 1 to all four places, and exp would overflow.
    return round(1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, total)))), 4)
