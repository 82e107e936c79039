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
# Weight, in letters, of what is believed before counting: that a sign is taken for a similar one as often
# as ALIKE says, for any other as UNLIKE does.
BELIEF = 40
# Nats.
ALIKE, UNLIKE = 4.5, 9.5
# Nats: no misreading is cheaper, and one dearer is not worth a row.
LEAST, MOST = 3.5, 8.7
# Nats: a similar sign costs no more, even if no hand that was counted made it so (an A like a 4).
BELIEVED_MOST = 6.0
LOST_BELIEF, LOST_LEAST = 60, 5.0
# Nats that a lost letter costs more than it is rare, since it may be laid on any of several frames.
PLACES = 1.5


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
        written_signs, read_signs = _bare(written), _bare(read)
        counts.written.update(written_signs)
        for step in Levenshtein.editops(written_signs, read_signs):
            if step.tag == "replace":
                counts.taken[written_signs[step.src_pos], read_signs[step.dest_pos]] += 1
            elif step.tag == "delete":
                counts.lost[written_signs[step.src_pos]] += 1
    return counts


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


def lost_prices(counts: Counts) -> dict[str, float]:
    """By sign: nats that its loss costs."""
    return {
        sign: round(min(MOST, max(LOST_LEAST, _lost_price(counts, sign))), 2) for sign in SIGNS
        if sign.isalnum()
    }


def _lost_price(counts: Counts, sign: str) -> float:
    return PLACES - math.log((counts.lost[sign] + 1) / (counts.written[sign] + LOST_BELIEF))


def to_toml(counts: Counts, provenance: Mapping[str, str | int]) -> str:
    """The prices as their file."""
    parts = [("# What a letter costs, in nats, where the ink shows another or none "
              "(ocr/decoding/confusions.py)."),
             "# Made by `python -m training.calibrate_confusions`.", "", "[provenance]"]
    totals = {"letters": counts.written.total(), "taken": counts.taken.total(), "lost": counts.lost.total()}
    facts = {**provenance, **totals}
    parts += [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in facts.items()]
    parts += ["", "# By the letter that was written and the one that is shown.", "[shown]"]
    for sign, row in shown_prices(counts).items():
        prices = ", ".join(f"{json.dumps(shown_sign)} = {price}" for shown_sign, price in row.items())
        parts.append(f"{json.dumps(sign)} = {{ {prices} }}")
    parts += ["", "# By the letter that was written and is not shown.", "[lost]"]
    parts += [f"{json.dumps(sign)} = {price}" for sign, price in lost_prices(counts).items()]
    return "\n".join(parts) + "\n"
