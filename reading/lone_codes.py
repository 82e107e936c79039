"""A place by its code in a line whose unit is written out, on a sheet without other codes.

A writer of codes writes codes. One who writes "Army" and "moves to" writes names, and what looks like a code
there is rather a word that was misread, or a place of no board: "Mordor" as Moray and Dorset, "supports the"
as Chester (composed sheets in letters of writers for calibration).
"""

from __future__ import annotations

from collections.abc import Sequence

from grammar.lexicon import Lexicon
from ocr.decoding.open_reasons import OpenReason
from reading.codes import codes_in, has_written_unit
from reading.line import InterpretedLine
from reading.status import LineState

CODES_ELSEWHERE = 0.34
"""Share, 0..1, of the sheet's other orders that pass: so many hold a code at least, for one to pass beside a
written-out unit. By hand."""


def review_lone_codes(
    line: InterpretedLine, lines: Sequence[InterpretedLine], lexicon: Lexicon
) -> InterpretedLine:
    """The line, opened if a place stands in it by a code while its unit is written out, and few other orders
    that pass on its sheet hold a code. `lines`: the sheet's lines."""
    if line.status is not LineState.AUTO or not _codes(line, lexicon) or (
        not has_written_unit(line.text, lexicon)
    ):
        return line
    # A line that waits is no witness: "do not move" was Nottingham's code.
    passed = [other for other in lines if other.status is LineState.AUTO and other.order is not None]
    others = [other for other in passed if other is not line]
    with_code = sum(bool(_codes(other, lexicon)) for other in others)
    is_usual = bool(others) and with_code >= CODES_ELSEWHERE * len(others)
    return line if is_usual else line.for_review(OpenReason.UNKNOWN_NAME)


def _codes(line: InterpretedLine, lexicon: Lexicon) -> set[str]:
    return set() if line.order is None else codes_in(line.text, line.order, lexicon)
