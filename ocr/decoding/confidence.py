"""How sure a decoded line is: its features, and a table that turns them into a chance and a gate.

The table is data (`confidence.toml`), fitted by `python -m training.calibrate_confidence`, and says itself
where its figures come from.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files

from ocr.page import Strike, StruckWord

FAR = 25.0
"""Nats that stand for a margin to nothing: no other order was anywhere near."""

FILE = "ocr/decoding/confidence.toml"


class TableError(ValueError):
    """The table of confidence cannot be used. Our own fault: names the file and the entry."""


@dataclass(frozen=True, slots=True)
class Features:
    """What is known of a decoded line's best order. All lexical or of the ink; nothing of the board.

    `cost`: nats a frame that it fits worse than free reading, and `worst`: nats lost in the worst short
    stretch. `margin`: nats to the next different order, `near_margin` to the next that is printed nearly
    alike (A or F, Cork or York, a tail more or less), both at most FAR. `agreement`: 1 where a second opinion
    reads the same order, -1 where it reads another, 0 without one. `struck`: 0..1, how much the line looks
    crossed out. `haze`: nats a frame by which the recogniser's own letters fall short of certainty. `score`:
    0..1, the recogniser's trust in its own text. `focus` and `contrast`: how well the row was photographed, 0
    where nobody measured. `one_letter`: a short name in the text is one misread letter from another's.
    `letters`: length of the text. `touched`: 0..1, how much any part of the line looks crossed out (the
    function of that name). `odd`: the order is one that nobody means as it stands, such as one without the
    kind of its unit, or the text holds a word of doubt. `twin`: nats lost at and beside a place's name that a
    word lost would have made another's (Cork, of County Cork), 0 without one. `strange`: nats lost a letter
    in the word that fits worst; much for a word badly made, and `alien`, the same by the opinion that it fits
    best, for one that no list has, which all opinions read alike. `kind_margin`: nats to the reading that
    differs in nothing but the kinds of units, at most FAR. `mended`: the order was read on the line as its
    writer corrected it, each correction plain, and what is lost was lost on that. Where several opinions were
    asked, `cost` and `worst` are the best of theirs, `twin` and `strange` the mean.
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
    twin: float = 0.0
    strange: float = 0.0
    alien: float = 0.0
    kind_margin: float = FAR
    mended: bool = False

    def numbers(self) -> dict[str, float]:
        """Every feature by name as a number, fit for JSON."""
        return {name: round(float(value), 4) for name, value in asdict(self).items()}


CLOSE, NEARBY = 2.0, 6.0
"""Nats over which the weight of another reading fades, for readings that are close and for those farther
off."""

TORN = 6.0
"""Nats lost in one short stretch that a badly made letter or two account for; more means other words."""

EVIDENCE = (
    "cost",
    "torn",
    "haze",
    "struck",
    "touched",
    "close",
    "nearby",
    "one_letter",
    "twin",
    "strange",
    "odd",
)
"""Names of what `evidence` measures, each 0 where nothing speaks against a line."""


def evidence(features: Features) -> dict[str, float]:
    """What speaks against a line, by the names of EVIDENCE: never below 0, and the more the worse.

    `torn`: what the worst stretch loses beyond TORN nats. `close` and `nearby`: how near the next order is,
    over CLOSE and NEARBY nats. `one_letter`: how near it is where one letter makes a short name another's.
    `twin` and `strange`: see Features.
    """
    f = features
    margin, worst = max(0.0, f.margin), max(0.0, f.worst)
    nearby = math.exp(-margin / NEARBY)
    return {
        "cost": max(0.0, f.cost), "torn": max(0.0, worst - TORN), "haze": max(0.0, f.haze),
        "struck": f.struck,
        "touched": f.touched, "close": math.exp(-margin / CLOSE), "nearby": nearby,
        "one_letter": nearby if f.one_letter else 0.0, "twin": max(0.0, f.twin),
        "strange": max(0.0, f.strange),
        "odd": float(f.odd),
    }


@dataclass(frozen=True, slots=True)
class ConfidenceTable:
    """`weights` of a logistic sum by evidence (none above 0) and "intercept"; `gate`: the least or most each
    feature must be for a line to go without a look; `provenance`: what it was fitted on, by whom one can
    repeat it. `steps`: from which value of the logistic on which share of lines was right, both rising;
    without any the value itself is the chance."""

    weights: Mapping[str, float]
    gate: Mapping[str, float]
    provenance: Mapping[str, object]
    steps: tuple[tuple[float, float], ...] = ()


GATE = (
    "confidence", "cost", "worst", "margin", "near_margin", "struck", "touched",
    "strict_confidence", "strict_worst", "strict_margin", "split_margin", "strange", "alien", "twin",
    "kind_doubt", "kind_margin",
    "plain_worst", "plain_struck", "plain_touched", "crossed", "crossed_touched", "taken_out", "out_touched",
    "clear_haze", "clear_touched", "lone_strange", "lone_alien", "lone_margin", "lone_struck", "lone_worst",
    "lone_touched",
    "hazy_margin", "hazy_from", "clear_less", "clear_hand", "mended_margin",
)
"""What a table must say of the gate. `strict_...` are for lines where one letter changes the meaning, `twin`
where a lost word does, `split_margin` where opinions differ. Where a line of a sheet has a kind margin below
`kind_doubt`, its hand makes A and F alike, and its other lines need `kind_margin`. A line that loses no more
than `plain_worst` in its worst stretch may be `plain_struck` and `plain_touched`. From a score of
`taken_out`, touched by `out_touched`, a line counts as crossed out; from `crossed` and `crossed_touched`
nobody need look. Strokes across letters read with `clear_haze` at most, touched by less than `clear_touched`,
cross nothing out. A word that only one opinion reads badly may be `lone_strange` where the other fits it to
`lone_alien` and no other order is within `lone_margin`. So may a stretch be `lone_touched` of a row that is
otherwise `lone_struck` at most, where no more than `lone_worst` is lost: the order without that stretch is
another that is not near. The margin is greater by `hazy_margin` for each nat of haze beyond `hazy_from`; up
to a haze of `clear_hand` it is `clear_less` smaller where opinions agree. A line read as it was corrected
needs a margin of `mended_margin`, the line as it stands being the other reading."""


@cache
def default_table() -> ConfidenceTable:
    """The table that comes with this release. Raises TableError where it is faulty."""
    return read_table((files("ocr.decoding") / "confidence.toml").read_text(encoding="utf-8"))


def read_table(text: str, name: str = FILE) -> ConfidenceTable:
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
    return ConfidenceTable(
        weights, _numbers(found, "gate", GATE, name), provenance, _steps(found.get("steps"), name)
    )


def _steps(given: object, name: str) -> tuple[tuple[float, float], ...]:
    """[steps]: `from` and `chance`, as long as each other, both rising within 0..1 and the first from 0."""
    if not isinstance(given, dict) or not all(isinstance(given.get(key), list) for key in ("from", "chance")):
        raise TableError(f"{name}: [steps] must have the lists from and chance")
    begins, chances = given["from"], given["chance"]
    numbers = [*begins, *chances]
    if (
        not begins
        or len(begins) != len(chances)
        or begins[0] != 0.0
        or any(
            isinstance(one, bool) or not isinstance(one, int | float) or not 0.0 <= one <= 1.0
            for one in numbers
        )
        or sorted(set(begins)) != begins
        or sorted(chances) != chances
    ):
        raise TableError(f"{name}: steps.from and steps.chance must be rising numbers of 0 to 1, as many of "
                         f"one as of the other")
    return tuple(zip(begins, chances, strict=True))


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


def confidence(features: Features, table: ConfidenceTable) -> float:
    """The chance, 0..1, that the best order is what was written."""
    return stepped(logistic(features, table.weights), table.steps)


def stepped(value: float, steps: Sequence[tuple[float, float]]) -> float:
    """The chance that goes with a value of the logistic."""
    return next((chance for begins, chance in reversed(steps) if value >= begins), value)


def logistic(features: Features, weights: Mapping[str, float]) -> float:
    """The logistic of the weighed evidence, 0..1."""
    total = weights["intercept"] + sum(weights[name] * value for name, value in evidence(features).items())
    return round(1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, total)))), 4)


ALONE, UNSURE, LESS = 0.05, 0.9, 0.75
"""Where the whole row scores less than ALONE, a stretch that looks struck by less than UNSURE counts for LESS
of that: of 45 such lines on 650 composed sheets and the samples none was crossed out in any part, and 39 were
read rightly."""


ASKING = 0.7
"""Score from which a hairline, or ink that nobody read, asks for a look."""


def touched(strike: Strike) -> float:
    """How much any part of a row looks crossed out, 0..1, as evidence: a stretch by itself, in a row that
    otherwise looks like none that was struck, is mostly a joined hand. What only asks for a look, a hairline
    or unread ink, counts as much as a stroke can, since it leaves the letters as they were."""
    return max((_counted(word, strike.score) for word in strike.words), default=0.0)


def _counted(word: StruckWord, row: float) -> float:
    if word.kind in {"faint", "unread"}:
        return 1.0 if word.score >= ASKING else word.score
    return word.score * (LESS if row < ALONE and word.score < UNSURE else 1.0)


CUT_OUT = 0.5
"""Stretches that score this much are left out where a row is read as its writer corrected it."""

SURELY = 0.9
"""How much a word must look crossed out to be surely so: of live words on the sheets for calibration those
that looked it more were few."""


def plainly_struck(strike: Strike) -> bool:
    """Is every stretch that would be left out surely crossed out? So is a row without any."""
    return all(
        word.score >= SURELY and word.kind not in {"faint", "unread"}
        for word in strike.words
        if word.score >= CUT_OUT
    )


def automatic(features: Features, chance: float, table: ConfidenceTable) -> bool:
    """May the line go without a look, as far as the ink goes? Stricter where one letter or word changes the
    meaning."""
    f, gate = features, table.gate
    strict = "strict_" if f.one_letter else ""
    return (
        chance >= gate[strict + "confidence"]
        and f.margin >= _margin(f, gate, strict)
        and f.worst <= gate[strict + "worst"]
        and f.twin <= gate["twin"]
        and _known(f, gate)
        and (f.agreement >= 0 or f.margin >= gate["split_margin"])
        and f.near_margin >= gate["near_margin"]
        and f.cost <= gate["cost"]
        and not f.odd
        and _uncrossed(f, gate)
    )


def _margin(features: Features, gate: Mapping[str, float], strict: str) -> float:
    """Nats that the next order must be away: more where the recogniser is unsure of a hand's letters, since
    its figures are too bold there, and less where it is sure of them and the opinions agree."""
    if features.haze <= gate["clear_hand"] and features.agreement >= 0:
        return gate[strict + "margin"] - gate["clear_less"]
    return gate[strict + "margin"] + gate["hazy_margin"] * max(0.0, features.haze - gate["hazy_from"])


def _known(features: Features, gate: Mapping[str, float]) -> bool:
    """Does no word look like one that no list has? Such a word is strange to every opinion, one badly made
    often to one only."""
    f = features
    lone = f.alien <= gate["lone_alien"] and f.margin >= gate["lone_margin"]
    return f.alien <= gate["alien"] and f.strange <= gate["lone_strange" if lone else "strange"]


def _uncrossed(features: Features, gate: Mapping[str, float]) -> bool:
    """Does nothing look crossed out, but what was plainly corrected? A stroke through letters costs their
    reading something, so that a line which reads without a loss may look somewhat more like one."""
    if features.mended:
        return features.struck < gate["struck"] and features.margin >= gate["mended_margin"]
    alone = (
        features.struck < gate["lone_struck"]
        and features.worst <= gate["lone_worst"]
        and features.margin >= gate["lone_margin"]
    )
    if alone and features.touched < gate["lone_touched"]:
        return True
    plain = "plain_" if features.worst <= gate["plain_worst"] else ""
    return features.struck < gate[plain + "struck"] and features.touched < gate[plain + "touched"]


def kinds_doubtful(features: Features, sheet: Sequence[Features], table: ConfidenceTable) -> bool:
    """May a line of this sheet name a unit of the other kind? A hand that makes an A like an F in one line
    does so in others, however sure the recogniser is of them."""
    least = min((line.kind_margin for line in sheet), default=FAR)
    return least < table.gate["kind_doubt"] and features.kind_margin < table.gate["kind_margin"]


def taken_out(strike: Strike, table: ConfidenceTable, haze: float = math.inf) -> bool:
    """Is a line with this evidence crossed out, and no order? `haze`: how uncertain the recogniser was of its
    letters, in nats a frame; where it was of none, strokes across them are rather a joined and leaning hand's
    own."""
    out = strike.score >= table.gate["taken_out"] and strike.max_word_score >= table.gate["out_touched"]
    own = (
        _across(strike)
        and haze <= table.gate["clear_haze"]
        and strike.max_word_score < table.gate["clear_touched"]
    )
    return out and not own


def surely_out(strike: Strike, table: ConfidenceTable) -> bool:
    """Is it so plainly crossed out, from end to end, that nobody need look? Never by strokes across, which a
    hand may have."""
    return (strike.score >= table.gate["crossed"] and strike.max_word_score >= table.gate["crossed_touched"]
            and not _across(strike))


def _across(strike: Strike) -> bool:
    """Is the longest stretch that looks struck one of strokes across the letters?"""
    longest = max(strike.words, key=lambda word: word.right - word.left, default=None)
    return longest is not None and longest.kind == "cross"
