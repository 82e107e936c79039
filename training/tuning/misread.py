"""Count what a recogniser makes of letters whose truth is known, and make prices of it. Values in, values
out."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from rapidfuzz.distance import Levenshtein

from ocr.decoding.confusions import similar_pairs

SIGNS = "abcdefghijklmnopqrstuvwxyz0123456789&-/().,:;+="
BELIEF = 40
"""Letters' worth of belief in what is held before counting: that a sign is taken for one made alike as often
as ALIKE says, for any other as UNLIKE does."""
ALIKE, UNLIKE = 4.5, 9.5
"""Nats."""
LEAST, MOST = 3.5, 8.7
"""Nats: no misreading is cheaper, and one dearer is not worth a row."""
BELIEVED_MOST = 6.0
"""Nats: a sign made alike is no dearer, though no hand that was counted made it so (an A like a 4)."""
LOST_BELIEF, LOST_LEAST = 60, 5.0
PLACES = 1.5
"""Nats that a lost letter costs more than it is rare, since it may be laid on any of several frames."""


@dataclass(slots=True)
class Counts:
    """Letters `written`, those of them `taken` for another (written, shown), and those `lost`."""

    written: Counter[str] = field(default_factory=Counter)
    taken: Counter[tuple[str, str]] = field(default_factory=Counter)
    lost: Counter[str] = field(default_factory=Counter)


def count(pairs: Iterable[tuple[str, str]]) -> Counts:
    """Texts as written and as read freely, of lines whose order was read rightly. Case and blanks do not
    count."""
    counts = Counts()
    for written, read in pairs:
        one, other = _bare(written), _bare(read)
        counts.written.update(one)
        for step in Levenshtein.editops(one, other):
            if step.tag == "replace":
                counts.taken[one[step.src_pos], other[step.dest_pos]] += 1
            elif step.tag == "delete":
                counts.lost[one[step.src_pos]] += 1
    return counts


def _bare(text: str) -> str:
    return "".join(c for c in text.casefold() if not c.isspace() and c not in "'’")


def shown_prices(counts: Counts) -> dict[str, dict[str, float]]:
    """By sign written, then by sign shown: nats, from LEAST to MOST."""
    believed, table = similar_pairs(), {}
    for one in SIGNS:
        row = {}
        for other in SIGNS:
            if other == one:
                continue
            held = BELIEF * math.exp(-(ALIKE if (one, other) in believed else UNLIKE))
            price = -math.log((counts.taken[one, other] + held) / (counts.written[one] + BELIEF))
            price = min(price, BELIEVED_MOST) if (one, other) in believed else price
            if price < MOST:
                row[other] = round(max(LEAST, price), 2)
        if row:
            table[one] = row
    return table


def lost_prices(counts: Counts) -> dict[str, float]:
    """By sign: nats that its loss costs."""
    return {
        one: round(
            min(
                MOST,
                max(
                    LOST_LEAST,
                    PLACES - math.log((counts.lost[one] + 1) / (counts.written[one] + LOST_BELIEF)),
                ),
            ),
            2,
        )
        for one in SIGNS
        if one.isalnum()
    }


def to_toml(counts: Counts, told: Mapping[str, str | int]) -> str:
    """The prices as their file."""
    parts = [("# What a letter costs, in nats, where the ink shows another or none "
              "(ocr/decoding/confusions.py)."),
             "# Made by `python -m training.calibrate_confusions`.", "", "[provenance]"]
    provenance = {
        **told,
        "letters": counts.written.total(),
        "taken": counts.taken.total(),
        "lost": counts.lost.total(),
    }
    parts += [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in provenance.items()]
    parts += ["", "# By the letter that was written and the one that is shown.", "[shown]"]
    for one, row in shown_prices(counts).items():
        parts.append(
            f"{json.dumps(one)} = {{ {', '.join(f'{json.dumps(other)} = {price}' for other, price in row.items())} }}"
        )
    parts += ["", "# By the letter that was written and is not shown.", "[lost]"]
    parts += [f"{json.dumps(one)} = {price}" for one, price in lost_prices(counts).items()]
    return "\n".join(parts) + "\n"
