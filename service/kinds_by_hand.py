"""What a sheet tells of its own letters: which of two kinds of unit a doubtful letter stands for.

Whoever makes a plain A and, elsewhere on the sheet, a letter of which the recogniser cannot say whether it is an A or an F, does not
make his A so: it is his other letter. Of the ink alone, like everything read; a person looks at each such line.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from grammar.lexicon import Lexicon
from grammar.signs import kinds_pattern, kinds_said
from service.readable import ReadableLine
from service.store.tables import LineState

SURE, DOUBT = 6.0, 5.0
"""Nats to the reading with the other kind from which a letter is plain, and below which it is doubtful: where another kind's letter
is read without any doubt, the price of a misread letter keeps the two apart by 6.2 at least."""

PLAIN = 2
"""Plain letters of a kind on a sheet that show how its hand makes them."""


def kinds_by_hand(lines: Sequence[ReadableLine], lexicon: Lexicon) -> tuple[ReadableLine, ...]:
    """The lines of a sheet, a doubtful letter of a kind that stands plain elsewhere on it read as the other kind where that has no
    plain letter of its own. Such a line is open."""
    plain = Counter(letter for line in lines if (letter := _plain(line, lexicon)) is not None)
    return tuple(_turned(line, plain, lexicon) for line in lines)


def _plain(line: ReadableLine, lexicon: Lexicon) -> str | None:
    """The letter with which an order begins, where it is one and no other kind's is near."""
    if line.order is None or line.features is None or line.features.kind_margin < SURE:
        return None
    begins = re.match(r"\W*(\w)\b", line.text)
    letter = begins[1].upper() if begins else ""
    return letter if letter in lexicon.kinds and line.order.startswith(f"{letter} ") else None


def _turned(line: ReadableLine, plain: Mapping[str, int], lexicon: Lexicon) -> ReadableLine:
    if line.order is None or line.features is None or line.features.kind_margin >= DOUBT:
        return line
    for at, rival in enumerate(line.candidates[1:], 1):
        turned = _other_kind(line, str(rival["order"]), plain, lexicon)
        if turned is not None:
            best = line.candidates[0]
            others = [{**one, "score": best["score"] if n == at else one["score"]} for n, one in enumerate(line.candidates)]
            others[0], others[at] = others[at], {**best, "score": rival["score"]}
            return replace(line, order=str(rival["order"]), text=turned, candidates=tuple(others), status=LineState.OPEN)
    return line


def _other_kind(line: ReadableLine, rival: str, plain: Mapping[str, int], lexicon: Lexicon) -> str | None:
    """The line's text with one letter turned, where another order differs in nothing but that letter's kind, that kind has no plain
    letter on the sheet and the one read has; None otherwise."""
    letters = re.compile(kinds_pattern(lexicon.kinds))
    ours, theirs = ([str(letter) for letter in letters.findall(order)] for order in (line.order or "", rival))
    if letters.sub("_", line.order or "") != letters.sub("_", rival):
        return None
    apart = [n for n, pair in enumerate(zip(ours, theirs, strict=True)) if pair[0] != pair[1]]
    said = list(re.finditer(rf"\b{kinds_said(lexicon.kinds)}\b", line.text, re.IGNORECASE))
    if len(apart) != 1 or len(said) != len(ours) or len(said[apart[0]][0]) != 1:
        return None
    was, other, where = ours[apart[0]], theirs[apart[0]], said[apart[0]]
    if plain.get(was, 0) < PLAIN or plain.get(other, 0) or where[0].upper() != was:
        return None
    return line.text[: where.start()] + other + line.text[where.end() :]
