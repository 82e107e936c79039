"""The confidence of a decoded line: its features, and a fitted table that turns them into a chance; and the
thresholds by which a line passes without a person, on its own ink.

Table and thresholds are data (`confidence.toml`), fitted by `python -m training.calibrate_confidence`. Its
[provenance] says on which sheets, and how many of their lines were right. Nats are natural logarithms of
chances.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cache
from importlib.resources import files
from itertools import pairwise

FAR = 25.0
"""Nats that stand for the margin if no other order was near, and the most that any margin counts. By hand."""

FILE = "ocr/decoding/confidence.toml"


@dataclass(frozen=True, slots=True)
class ReviewThresholds:
    """What a line must keep to pass without a person. "At most" and "at least" say on which side it
    passes.

    A field marked *fitted* is searched on the sheets that the file's [provenance] names: the widest gate that
    keeps the share of wrong lines within `training.tuning.calibrate.MOST_WRONG`. A field marked *by hand* is
    given to that search (`training.tuning.calibrate.BY_HAND`), because too few lines show what it is for; the
    counts beside it are of those sheets unless others are named.
    """

    # How likely, and how far from the next order
    confidence: float
    """0..1, at least: the calibrated confidence. Fitted."""
    one_letter_confidence: float
    """The same where one misread letter makes a short name another's, if it is to be more. By hand: no
    more than for others, since none of 23 such lines short of the highest chance was wrong."""
    margin: float
    """Nats, at least: to the next different order. Fitted."""
    one_letter_margin: float
    """The same where one misread letter makes a short name another's. Fitted, and never less than
    `margin`."""
    near_margin: float
    """Nats, at least: to the next order that is printed nearly alike. Fitted."""
    disagreement_margin: float
    """Nats, at least: to the next order where opinions differ. By hand."""
    disagreement_uncertainty: float
    """Nats a frame, at most: uncertainty of the recogniser with which a line passes on which opinions differ.
    By hand: of eleven such lines that passed on 98 sheets of writers for calibration and the samples one was
    wrong, the only one beyond it."""
    corrected_margin: float
    """Nats, at least: to the next order for a line read as its writer corrected it; the line as it stands is
    among the others. By hand."""
    uncertainty_from: float
    """Nats a frame: uncertainty of the recogniser from which more margin is asked. By hand."""
    uncertainty_extra_margin: float
    """Nats more of a margin for each nat a frame beyond `uncertainty_from`: there margins are too bold. By
    hand, on 917 lines in real letters: of 147 with an uncertainty from 0.08 and a margin from 3 nats six were
    wrong; at 10 nats six right lines more pass than at 20, and no wrong one."""
    clear_writing_below: float
    """Nats a frame: uncertainty up to which `agreement_margin_discount` holds. By hand."""
    agreement_margin_discount: float
    """Nats less of a margin for clear writing on which the opinions agree. By hand: of 29 lines with an
    uncertainty below 0.04 and a margin from 2 nats up to what else is asked none was wrong."""

    # How well it lies on the ink
    cost: float
    """Nats a frame, at most: by which the order fits worse than free reading. By hand."""
    worst_stretch: float
    """Nats, at most: lost in the worst 8 frames. Fitted; one letter that the ink does not show at all costs
    9."""
    one_letter_worst_stretch: float
    """The same where one misread letter makes a short name another's. Fitted, and less than
    `worst_stretch`."""
    homonym_loss: float
    """Nats, at most: lost at and beside a name that a lost word would have made another's. By hand: one
    letter that the ink does not show (9) and what a clear line loses besides. Of 917 lines in real letters
    five right names and no wrong one lost 8 to 11."""
    word_misfit_mean: float
    """Nats a letter, at most: lost in the word that fits worst, on the mean of the opinions. By hand: of 26
    lines in real letters with 1.45 to 2, and a margin from 3 nats, one was wrong, with 1.46."""
    word_misfit_min: float
    """Nats a letter, at most: the same by the opinion that it fits best. Fitted; places that no board has
    lost 1.5 or more by every opinion."""
    single_opinion_word_misfit: float
    """Nats a letter, at most: in place of `word_misfit_mean` where no other order is near. By hand: of 36
    lines with a word strange to one opinion alone 33 were right, and the wrong ones lost 3.4 or had other
    evidence against them."""
    single_opinion_margin: float
    """Nats, at least: how far the next order must be for `single_opinion_word_misfit` and for a lone struck
    part. By hand."""
    plain_other: float
    """Nats a letter, at most: lost in a place's name where every opinion reads one and the same other word.
    By hand, on sheets in real letters: names of no list lost 1.9 or more, apart from mere misspellings
    (Donegall, 1.2), and of 428 right lines that passed four lost more. That is one sure letter in a code, two
    in a short name, three in a long one."""
    name_loss: float
    """Nats a letter, at most: lost in the place's name that fits worst, by the opinion that it fits best, as
    the recogniser itself says. By hand: of 1,019 right lines of writers for calibration that passed six lost
    more; a name of no list that two opinions read differently (Watford, Kiel, Crewe) loses it by both."""
    near_name_loss: float
    """The same where another order is nearer than `near_name_margin`. By hand: of 271 right rows and 594
    right lines of sheets by writers for calibration that passed none lost so much with another order so near,
    and of four names of no list that passed two did ("Lunden" as London, "Harwich" as Norwich)."""
    near_name_margin: float
    """Nats: see `near_name_loss`. By hand."""
    clear_name_loss: float
    """The same, and for `word_misfit_min` too, where the writing is as clear as `clear_name_uncertainty`: a
    strange name in a plain hand is rather another name. By hand: of 2,635 right lines of writers for
    calibration that passed two lost more, and so did "Budenokh", which is no Badenoch; on a held-out sheet
    "Mordor", no London."""
    clear_name_uncertainty: float
    """Nats a frame, at most: see `clear_name_loss`. By hand."""
    kind_margin: float
    """Nats, at least: to the reading with another kind of unit. Where the kind is part of the order, as of a
    build, a nearer one holds the line; elsewhere the order leaves the kind out. By hand: a letter that the
    recogniser is sure of is 6.2 away."""
    unit_kind_doubt: float
    """Nats: a line with a smaller margin to the other kind of unit shows that its hand makes A and F alike.
    By hand: odds of 1 to 20."""
    unit_kind_margin: float
    """Nats, at least: to the other kind of unit, for every line of such a hand. By hand."""

    # How far from crossed out
    whole_strike: float
    """0..1, below: how much the row as a whole looks crossed out. By hand."""
    part_strike: float
    """0..1, below: how much any part does. By hand: the lines crossed out that gave an order had 0.9 or more,
    but for one of 0.5; 0.5 for 0.7 costs two of 1,021 right lines that would pass."""
    lossless_worst_stretch: float
    """Nats, at most: a line that loses no more in its worst stretch may look more crossed out, since a stroke
    costs the letters beneath it something. By hand: lines that were crossed out lost 2.7 or more."""
    lossless_whole_strike: float
    """0..1, below: `whole_strike` of such a line. By hand."""
    lone_part_whole_strike: float
    """0..1, below: how much a row may look crossed out in which one part alone looks struck. By hand: without
    that part the order is another that is not near."""
    lone_part_worst_stretch: float
    """Nats, at most: lost in the worst stretch of such a row. By hand."""
    lone_part_strike: float
    """0..1, below: how much that part may look struck. By hand: of 33 such lines one was wrong, above 0.98;
    a row struck from end to end by a fine pen scored 0.977."""

    # Crossed out, and no order
    struck_whole: float
    """0..1, at least: a row that scores this, and `struck_part` in a part, is crossed out. By hand: in the
    sheets of 2026-11-21 rows wholly crossed out scored less only where their letters were lost too."""
    struck_part: float
    """0..1, at least: see `struck_whole`. By hand."""
    cross_strokes_uncertainty: float
    """Nats a frame, at most: strokes across letters that were read with no more uncertainty cross nothing
    out. A joined and leaning hand makes such strokes itself. By hand: of 31 lines so crossed out one was as
    clear and scored less than `cross_strokes_part`; of 11 live lines that looked so seven did."""
    cross_strokes_part: float
    """0..1, below: how much any part may look struck for that. By hand."""
    surely_struck_whole: float
    """0..1, at least: a row that scores this, and `surely_struck_part`, is so plainly out that nobody need
    look. By hand: of 358 rows beyond 0.95 that were crossed out 352 were beyond 0.99; of four live ones
    three, hasty or two rows in one."""
    surely_struck_part: float
    """0..1, at least: see `surely_struck_whole`. By hand."""


class TableError(ValueError):
    """The table cannot be used. Our own fault; the text names the file and the entry."""


@dataclass(frozen=True, slots=True)
class Features:
    """What is known of a decoded line's best order. All lexical or of the ink; nothing of the board.

    With several opinions, `cost` and `worst_stretch` are those of the opinion that fits best."""

    cost: float
    """Nats a frame by which the order fits worse than free reading."""
    worst_stretch: float
    """Nats lost in the worst 8 frames."""
    margin: float
    """Nats to the next different order, at most FAR."""
    near_margin: float
    """Nats to the next order that is printed nearly alike (A or F, Cork or York), at most FAR."""
    agreement: float = 0.0
    """1 if all opinions read the same order, -1 if one reads another, 0 with one opinion only."""
    whole_strike: float = 0.0
    """0..1, how much the row as a whole looks crossed out."""
    uncertainty: float = 0.0
    """Nats a frame by which the recogniser's own letters fall short of certainty."""
    score: float = 1.0
    """0..1, the recogniser's trust in its own text."""
    focus: float = 0.0
    """How sharply the row was photographed, see `ocr.layout.legibility`; 0 where nobody measured."""
    contrast: float = 0.0
    """How dark its ink is, see `ocr.layout.legibility`; 0 where nobody measured."""
    one_letter: bool = False
    """True if a short name in the text is one misread letter from another's."""
    letters: int = 0
    """Length of the text."""
    part_strike: float = 0.0
    """0..1, how much any part of the row looks crossed out, see `ocr.decoding.review_gate.part_strike`."""
    is_odd: bool = False
    """True for an order that cannot be meant as it is, such as a support of itself, or for a text with
    a word of doubt."""
    is_kindless: bool = False
    """True for an order without the word for its unit's kind: it is good, and may be the end of another."""
    homonym_loss: float = 0.0
    """Nats lost at and beside a province's name that one word more would make another's (Cork, County Cork),
    mean of the opinions; 0 without such a name."""
    # Opinions differ on a badly written word and agree on a word that no list has (Gondor is no London). So
    # the mean and the least are two features.
    word_misfit_mean: float = 0.0
    """Nats lost a letter in the word that fits worst, mean of the opinions: high for a badly written word."""
    word_misfit_min: float = 0.0
    """The same by the opinion that the word fits best: high for a word that no list has."""
    kind_margin: float = FAR
    """Nats to another order that differs only in a kind (Build A, Build F), at most FAR."""
    unit_margin: float = FAR
    """Nats to the same order with another word for its units (A Kent H, F Kent H), at most FAR."""
    is_corrected: bool = False
    """True if the order was read on the line as its writer corrected it, each correction plain. Costs and
    losses are then those on that line."""

    # The losses above count a letter that is often misread for less. These do not: they tell a name badly
    # written from another word written well.
    name_loss: float = 0.0
    """Nats lost a letter in the place's name that fits worst, as the recogniser itself says, by the opinion
    that it fits best."""
    plain_other: float = 0.0
    """Nats lost a letter in a place's name where every opinion reads one and the same other word; 0 where
    none does."""

    def numbers(self) -> dict[str, float]:
        """Every feature by name as a number, fit for JSON."""
        return {name: round(float(value), 4) for name, value in asdict(self).items()}


CLOSE, NEARBY = 2.0, 6.0
"""Nats over which the weight of another reading fades to 1/e: two scales. By hand, before the first fit,
which gives each its weight."""

# A badly made letter or two cost so much; more means other words.
TORN = 6.0
"""Nats lost in one short stretch, beyond which they count as `torn`. By hand."""

EVIDENCE = (
    "cost",
    "torn",
    "uncertainty",
    "whole_strike",
    "part_strike",
    "close",
    "nearby",
    "one_letter",
    "homonym_loss",
    "word_misfit",
    "name_loss",
    "odd",
)
"""Names of what `evidence` measures. Each is 0 if nothing speaks against a line."""


def evidence(features: Features) -> dict[str, float]:
    """What speaks against a line, by the names of EVIDENCE: 0 or more, and the more the worse.

    `torn`: nats that the worst stretch loses beyond TORN. `close` and `nearby`: 0..1, how near the next order
    is, over CLOSE and NEARBY nats. `one_letter`: `nearby` if one letter makes a short name another's.
    `part_strike`: the feature times `nearby`. The others are features."""
    # Never below 0, and no weight above 0: a line that looks worse is never trusted more, whatever the fit.
    margin = max(0.0, features.margin)
    nearby = math.exp(-margin / NEARBY)
    return {
        "cost": max(0.0, features.cost),
        "torn": max(0.0, features.worst_stretch - TORN),
        "uncertainty": max(0.0, features.uncertainty),
        "whole_strike": features.whole_strike,
        # A word struck out and put right above is read so; its stroke speaks against nothing. Nor does one
        # say much where no other order is near, as the one without the struck part would be.
        "part_strike": 0.0 if features.is_corrected else features.part_strike * nearby,
        "close": math.exp(-margin / CLOSE),
        "nearby": nearby,
        "one_letter": nearby if features.one_letter else 0.0,
        "homonym_loss": max(0.0, features.homonym_loss),
        "word_misfit": max(0.0, features.word_misfit_mean),
        "name_loss": max(0.0, features.name_loss),
        "odd": float(features.is_odd),
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
        raise TableError(f"{name} is no TOML: {fault}") from fault
    provenance = document.get("provenance")
    if not isinstance(provenance, dict) or not provenance:
        raise TableError(f"{name}: [provenance] must say where the figures come from")
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
