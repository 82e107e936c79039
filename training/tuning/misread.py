"""Count what a recogniser makes of letters whose truth is known, and make prices of it. Values in, values
out.

A price is for a letter that the recogniser surely takes for another. Where it is in doubt, the chances that
it gives both already state it: priced as often as it shows the other letter at all, a clear code was 3.5 nats
from the next, and of 778 letters taken for others in real hands 129 were so surely.
"""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from rapidfuzz.distance import Levenshtein

from ocr.decoding.confusions import similar_pairs
from ocr.page import Posteriors

Chances: TypeAlias = npt.NDArray[np.float64]

SIGNS = "abcdefghijklmnopqrstuvwxyz0123456789&-/().,:;+="
# The recogniser's chance of the sign that was written, 0..1, below which it surely takes it for another.
SURE = 0.01
# Share of a row's signs that may be read otherwise, 0..1; beyond it the transcript may be another row's.
MOST_ERRORS = 0.35
# Weight, in letters, of what is believed before counting: that a sign is taken for a similar one as often
# as ALIKE states, for any other as UNLIKE does.
BELIEF = 200
# Nats.
ALIKE, UNLIKE = 6.0, 9.5
# Nats: no misreading is cheaper, and one dearer is not worth a row.
LEAST, MOST = 3.5, 8.7
# Nats: a similar sign costs no more, even if no hand that was counted made it so (an A like a 4).
BELIEVED_MOST = 6.0
LOST_BELIEF, LOST_LEAST = 60, 5.0
# Nats: no letter is dearer to lose, for a hasty hand loses some that no hand that was counted lost.
LOST_MOST = 6.5
# Nats that a lost letter costs more than it is rare, since it may be laid on any of several frames.
PLACES = 1.5


@dataclass(slots=True)
class Counts:
    """Letters `written`, those of them surely `taken` for another (written, shown), those surely `lost`, and
    how many were otherwise taken for another or lost (`doubtful`)."""

    written: Counter[str] = field(default_factory=Counter)
    taken: Counter[tuple[str, str]] = field(default_factory=Counter)
    lost: Counter[str] = field(default_factory=Counter)
    doubtful: int = 0


def count(rows: Iterable[tuple[str, Posteriors]]) -> Counts:
    """What is written and its posteriors, row by row. Case and blanks do not count."""
    counts = Counts()
    for text, posteriors in rows:
        shown, written = _shown(posteriors), _bare(text)
        read = "".join(sign for sign, _ in shown)
        if Levenshtein.normalized_distance(written, read) <= MOST_ERRORS:
            _count_row(counts, written, read, [frame for _, frame in shown], posteriors)
    return counts


def _count_row(
    counts: Counts, written: str, read: str, frames: list[int], posteriors: Posteriors
) -> None:
    """Count one row. `frames`: those in which the signs of `read` begin."""
    counts.written.update(written)
    by_sign = _chances(posteriors)
    # What is between two signs is in the frames between them.
    bounds = [-1, *frames, len(posteriors.log_probs)]
    for step in Levenshtein.editops(written, read):
        if step.tag == "insert":
            continue
        sign, place = written[step.src_pos], step.dest_pos
        is_taken = step.tag == "replace"
        begin, end = bounds[place] + 1, bounds[place + (2 if is_taken else 1)]
        chance = float(by_sign[sign][begin:end].max(initial=0.0)) if sign in by_sign else 0.0
        if chance >= SURE:
            counts.doubtful += 1
        elif is_taken:
            counts.taken[sign, read[place]] += 1
        else:
            counts.lost[sign] += 1


def _shown(posteriors: Posteriors) -> list[tuple[str, int]]:
    """The signs of the best path, each with the frame in which it begins."""
    best = posteriors.log_probs.argmax(axis=1)
    begins = np.flatnonzero((best != 0) & np.concatenate(([True], best[1:] != best[:-1]))).tolist()
    letters = [(_bare(posteriors.letters[best[frame] - 1]), frame) for frame in begins]
    return [(sign, frame) for sign, frame in letters if sign]


def _chances(posteriors: Posteriors) -> dict[str, Chances]:
    """By sign its chance in each frame, in whichever case."""
    columns: dict[str, list[int]] = defaultdict(list)
    for column, letter in enumerate(posteriors.letters, 1):
        columns[_bare(letter)].append(column)
    return {
        sign: np.exp(posteriors.log_probs[:, sign_columns].astype(np.float64)).sum(axis=1)
        for sign, sign_columns in columns.items()
    }


def _bare(text: str) -> str:
    return "".join(c for c in text.casefold() if not c.isspace() and c not in "'’")


def shown_prices(counts: Counts) -> dict[str, dict[str, float]]:
    """By sign written, then by sign shown: nats, from LEAST to MOST."""
    believed, table = similar_pairs(), {}
    for sign in SIGNS:
        row = {}
        for shown_sign in SIGNS:
            if shown_sign == sign:
                continue
            prior = BELIEF * math.exp(-(ALIKE if (sign, shown_sign) in believed else UNLIKE))
            price = -math.log((counts.taken[sign, shown_sign] + prior) / (counts.written[sign] + BELIEF))
            price = min(price, BELIEVED_MOST) if (sign, shown_sign) in believed else price
            if price < MOST:
                row[shown_sign] = round(max(LEAST, price), 2)
        if row:
            table[sign] = row
    return table


def lost_prices(counts: Counts, at_most: Mapping[str, float] | None = None) -> dict[str, float]:
    """By sign: nats that its loss costs, no more than an earlier count states (`at_most`)."""
    ceilings = at_most or {}
    return {
        sign: round(
            min(LOST_MOST, ceilings.get(sign, LOST_MOST), max(LOST_LEAST, _lost_price(counts, sign))), 2)
        for sign in SIGNS if sign.isalnum()
    }


def _lost_price(counts: Counts, sign: str) -> float:
    return PLACES - math.log((counts.lost[sign] + 1) / (counts.written[sign] + LOST_BELIEF))


def to_toml(
    counts: Counts, provenance: Mapping[str, str | int], lost_at_most: Mapping[str, float] | None = None
) -> str:
    """The prices as their file. `lost_at_most`: see `lost_prices`."""
    parts = [("# What a letter costs, in nats, where the ink shows another or none "
              "(ocr/decoding/confusions.py)."),
             "# Made by `python -m training.calibrate_confusions`.", "", "[provenance]"]
    totals = {"letters": counts.written.total(), "taken": counts.taken.total(), "lost": counts.lost.total(),
              "doubtful": counts.doubtful}
    facts = {**provenance, **totals}
    parts += [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in facts.items()]
    parts += ["", "# By the letter that was written and the one that is shown.", "[shown]"]
    for sign, row in shown_prices(counts).items():
        prices = ", ".join(f"{json.dumps(shown_sign)} = {price}" for shown_sign, price in row.items())
        parts.append(f"{json.dumps(sign)} = {{ {prices} }}")
    parts += ["", "# By the letter that was written and is not shown.", "[lost]"]
    parts += [f"{json.dumps(sign)} = {price}" for sign, price in lost_prices(counts, lost_at_most).items()]
    return "\n".join(parts) + "\n"
