"""Rows decoded side by side before they are asked for one by one, which takes less time.

Nothing is decided here: the decoder keeps the answers until they are asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from grammar.compose import Forms
from grammar.headings.sheet import MAX_HEADING_LINES, begins_order
from grammar.headings.values import KnownGame
from grammar.lexicon import Lexicon
from ocr.page import ReadLine
from reading.decode import corrected_posteriors, decoder_of, opinions
from reading.heading import heading_decoder


def orders_ahead(lines: Sequence[ReadLine], lexicon: Lexicon, forms: tuple[Forms, ...]) -> None:
    """Decode lines inside the automaton of some phases' forms and the names."""
    decoder_of(forms, lexicon).decode_rows(
        [each for line in lines for each in (*opinions(line), *corrected_posteriors(line))]
    )


def headings_ahead(rows: Sequence[ReadLine], games: Sequence[KnownGame]) -> None:
    """Decode rows, down to the first that begins like an order, inside the automaton of headings."""
    top = takewhile(lambda row: not begins_order(row.text, games), rows[:MAX_HEADING_LINES])
    heading_decoder(tuple(games)).decode_rows([each for row in top for each in opinions(row)])
