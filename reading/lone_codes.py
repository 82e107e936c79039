"""A place by its code in a line whose unit is written out, on a sheet without other codes.

A writer of codes writes codes. One who writes "Army" and "moves to" writes names, and what looks like a code
there is rather a word that was misread, or a place of no board: "Mordor" as Moray and Dorset, "supports the"
as Chester (composed sheets in letters of writers for calibration).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from adjudicator.geo import Region
from grammar.lexicon import Lexicon, Rank
from ocr.decoding.open_reasons import OpenReason
from reading.line import InterpretedLine
from reading.status import LineState

LONGEST_CODE = 4
"""Letters of a code at most."""

CODES_ELSEWHERE = 0.34
"""Share, 0..1, of the sheet's other orders that pass: so many hold a code at least, for one to pass beside a
written-out unit. By hand."""

_WORD = re.compile(r"[^\W\d_]+")


def review_lone_codes(
    line: InterpretedLine, lines: Sequence[InterpretedLine], lexicon: Lexicon
) -> InterpretedLine:
    """The line, opened if a place stands in it by a code while its unit is written out, and few other orders
    that pass on its sheet hold a code. `lines`: the sheet's lines."""
    if line.status is not LineState.AUTO or not _codes(line, lexicon) or not _has_written_unit(line, lexicon):
        return line
    # A line that waits is no witness: "do not move" was Nottingham's code.
    passed = [other for other in lines if other.status is LineState.AUTO and other.order is not None]
    others = [other for other in passed if other is not line]
    with_code = sum(bool(_codes(other, lexicon)) for other in others)
    is_usual = bool(others) and with_code >= CODES_ELSEWHERE * len(others)
    return line if is_usual else line.for_review(OpenReason.UNKNOWN_NAME)


def _codes(line: InterpretedLine, lexicon: Lexicon) -> set[str]:
    """The codes of places that a line's text holds, folded."""
    if line.order is None:
        return set()
    # "Isle of Man": a word of a name that the order has in full is no code.
    full, names = {word.casefold() for word in _WORD.findall(line.order)}, _places_by_code(lexicon)
    written = {word.casefold() for word in _WORD.findall(line.text)} - full
    # "stands fast": the code of Fastnet, which the order does not name.
    return {word for word in written if any(name in line.order for name in names.get(word, ()))}


def _has_written_unit(line: InterpretedLine, lexicon: Lexicon) -> bool:
    kinds = {kind.name.casefold() for kind in lexicon.kinds.values()}
    return not kinds.isdisjoint(word.casefold() for word in _WORD.findall(line.text))


@lru_cache(maxsize=8)
def _places_by_code(lexicon: Lexicon) -> dict[str, tuple[str, ...]]:
    """By each code of one word, folded, the names of the places that it stands for."""
    places: dict[str, tuple[str, ...]] = {}
    for name in lexicon.names:
        is_code = (name.rank is Rank.ABBREVIATION or name.is_short_form) and len(name.words) == 1
        if is_code and isinstance(name.value, Region) and len(name.text) <= LONGEST_CODE:
            province = lexicon.board.provinces[name.value.province]
            places[name.text] = (*places.get(name.text, ()), province.name)
    return places
