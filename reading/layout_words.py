"""Words of orders that are in the layout of a sheet and not in the row: a unit's kind or a verb in the
heading of a list, the dash between two cells of a table, what a ditto mark repeats (INK-11).

    rows -> headings of lists -> rows with the words put into their ink

Such a word is put into the row's posteriors as surely read, so that all that follows takes the row as if it
were written there; a ticked box of a printed sheet is read so too (`reading.ticks`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise

from grammar.lexicon import Lexicon
from grammar.list_heads import ListHead, ditto_end, list_head
from grammar.order_starts import OrderStarts
from grammar.order_traits import breaks_off, ends_in_help, has_verb
from ocr.decoding.ctc import free_words
from ocr.layout.wrap import INDENT
from ocr.page import Posteriors, Row
from reading.put_in import Span, put_in

ALIGNED, LEAST_ROWS = 0.04, 3
"""Share of the sheet's width within which the last cells of a table begin, and the rows that show one; the
rows below a table's heading need no others. By hand."""

HEAD_WORDS = 2
"""Words of a row without a verb that may be a heading, at most. By hand."""

_COLON = re.compile("[:;]")
_SIGNS = {"S": " S ", "C": " C ", "-": " - "}


@dataclass(frozen=True, slots=True)
class _Unit:
    """The letter of a unit's kind, and its ink."""

    letter: str = ""
    ink: Posteriors | None = None


def list_heads(
    rows: Sequence[Row], lexicon: Lexicon, starts: OrderStarts
) -> tuple[ListHead | None, ...]:
    """For each row what it mentions those below it, if it is the heading of a list or of a table."""
    heads: list[ListHead | None] = []
    last: ListHead | None = None
    for above, row in zip([None, *rows], rows, strict=False):
        head = list_head(row.text, lexicon)
        if head is not None and above is not None and _may_end_order(above, row, head, last, lexicon, starts):
            head = None
        heads.append(head)
        last = head or last
    return tuple(heads)


def _may_end_order(
    above: Row, row: Row, head: ListHead, last: ListHead | None, lexicon: Lexicon, starts: OrderStarts
) -> bool:
    """True if a row of one word may rather be the end of an order that begins above it. `last`: the heading
    of the list above."""
    # "Army Kent converts to", and "Fleet" below it.
    if breaks_off(above.text):
        return True
    # "Army Kent", and "supports" below it; but below "Holds:" it needs no verb, and "Fleets" is none.
    lacks_verb = starts.looks_like_order(above.text) and not has_verb(above.text, lexicon)
    return bool(head.verb) and ":" not in row.text and lacks_verb and (last is None or last.verb != "H")


def with_layout_words(rows: Sequence[Row], lexicon: Lexicon, starts: OrderStarts) -> tuple[Row, ...]:
    """The rows of a page, each with the words that its place on the sheet states."""
    heads = list_heads(rows, lexicon, starts)
    rows = _with_dashes(rows, heads, lexicon, starts)
    again: list[Row] = []
    head, first, unit = None, None, _Unit()
    for row, heading in zip(rows, heads, strict=True):
        above = again[-1] if again else None
        if heading is not None:
            head, first = heading, None
        elif row.text and not _goes_on(row, above, first):
            first = row
            head = None if _may_be_unread_head(row, head, lexicon) else head
            whole = _under(_with_ditto(row, unit), head, lexicon)
            unit = _written_unit(whole, starts) or unit
            again.append(whole)
            continue
        again.append(row)
    return tuple(again)


def _may_be_unread_head(row: Row, head: ListHead | None, lexicon: Lexicon) -> bool:
    """True if a row may be the heading of another list that was not read as one. `head`: of the list
    above."""
    # "My fleets:", read as "my pleats": what is below it is no longer of the armies. But "A Kent" is all
    # that is below "Holds:".
    # "Convoy." was below a list of supports.
    text = row.text.rstrip(" :;.-–—")
    count = len(text.split())
    return (head is None or head.verb != "H") and (
        count == 1 or (count <= HEAD_WORDS and not has_verb(text, lexicon)))


def _goes_on(row: Row, above: Row | None, first: Row | None) -> bool:
    """True if a row may go on from the row above. `first`: the first row of the order above."""
    return above is not None and first is not None and (
        row.indent - first.indent >= INDENT or breaks_off(above.text)
        or ends_in_help(above.text))


def _under(row: Row, head: ListHead | None, lexicon: Lexicon) -> Row:
    """A row below the heading of a list."""
    if head is None:
        return row
    if head.kind:
        return replace(row, tick=row.tick or head.kind)
    if head.verb == "H":
        return row if has_verb(row.text, lexicon) else put_in(row, " H", f"{row.text} H", _end)
    unit, *rest = _COLON.split(row.text, maxsplit=1)
    if head.verb and not has_verb(unit, lexicon):
        return put_in(row, _SIGNS[head.verb], _SIGNS[head.verb].join([unit, *rest]), _colon)
    return row


def _with_ditto(row: Row, unit: _Unit) -> Row:
    """A row that begins with a ditto mark, with the unit of the row above for it."""
    end = ditto_end(row.text)
    if not end or not unit.letter:
        return row
    return put_in(row, f"{unit.letter} ", f"{unit.letter} {row.text[end:]}",
                  partial(_before, letter=row.text[end]), unit.ink)


def _written_unit(row: Row, starts: OrderStarts) -> _Unit | None:
    """The unit that a row begins with; None without one."""
    letter = _unit_of(row, starts)
    if not letter or row.tick or row.posteriors is None:
        return _Unit(letter) if letter else None
    words = free_words(row.posteriors)
    if not words:
        return _Unit(letter)
    # A letter that is hard to read is as hard where it is repeated.
    log_probs = row.posteriors.log_probs[: words[0].end]
    return _Unit(letter, replace(row.posteriors, log_probs=log_probs))


def _unit_of(row: Row, starts: OrderStarts) -> str:
    """The letter of the kind of unit that a row begins with; empty without one."""
    if row.tick:
        return row.tick
    first = row.text.split(" ")[0].strip(".,:()")
    if first.upper() in starts.letters:
        return first.upper()
    return first[:1].upper() if starts.has_unit_word(first) and first[:1].upper() in starts.letters else ""


def _with_dashes(
    rows: Sequence[Row], heads: Sequence[ListHead | None], lexicon: Lexicon, starts: OrderStarts
) -> tuple[Row, ...]:
    """The rows, those of a table with a dash before the last cell: "A   Kent   Surrey"."""
    is_table = [head is not None and head.is_table for head in heads]
    is_below = [any(is_table[:index]) for index in range(len(rows))]
    places = {
        index: place for index, row in enumerate(rows)
        # Below its heading a row is of the table though its unit was not seen.
        if heads[index] is None and (is_below[index] or _unit_of(row, starts))
        and (place := _last_cell(row, lexicon)) is not None}
    again = list(rows)
    for index, place in places.items():
        aligned = sum(abs(other - place) <= ALIGNED for other in places.values())
        if is_below[index] or aligned >= LEAST_ROWS:
            again[index] = put_in(rows[index], " - ", _with_dash(rows[index]), _inside_gap)
    return tuple(again)


def _last_cell(row: Row, lexicon: Lexicon) -> float | None:
    """Where the words behind the widest gap of a row without a verb begin, as share of the sheet's width;
    None where it has none."""
    gap = None if row.posteriors is None or has_verb(row.text, lexicon) else _widest_gap(row.posteriors)
    if gap is None or row.posteriors is None:
        return None
    return row.left + gap[1] / len(row.posteriors.log_probs) * (row.right - row.left)


def _widest_gap(posteriors: Posteriors) -> tuple[int, int] | None:
    """The frames between the two words that are farthest apart, the letter of a unit left aside."""
    words = free_words(posteriors)
    words = words[1:] if words and len(words[0].text) == 1 else words
    gaps = [(after.begin - word.end, word.end, after.begin) for word, after in pairwise(words)]
    return max(gaps)[1:] if gaps else None


def _with_dash(row: Row) -> str:
    """The contents of a row of a table, a dash before its last cell."""
    gap = None if row.posteriors is None else _widest_gap(row.posteriors)
    words = [] if row.posteriors is None else free_words(row.posteriors)
    before, after = (
        " ".join(word.text for word in words if gap and (word.begin >= gap[1]) == is_after)
        for is_after in (False, True))
    return f"{before} - {after}"


def _inside_gap(posteriors: Posteriors) -> Span | None:
    """The frames of the widest gap but its outermost ones: on bare paper a recogniser dreams of letters."""
    gap = _widest_gap(posteriors)
    return None if gap is None else (min(gap[0] + 1, gap[1]), max(gap[0] + 1, gap[1] - 1))


def _end(posteriors: Posteriors) -> Span:
    return (len(posteriors.log_probs),) * 2


def _colon(posteriors: Posteriors) -> Span | None:
    return next((
        (word.begin, word.end) for word in free_words(posteriors) if _COLON.fullmatch(word.text)), None)


def _before(posteriors: Posteriors, letter: str) -> Span | None:
    """The frames before the first word that begins with a letter."""
    return next(((0, word.begin) for word in free_words(posteriors) if word.text[0] == letter), None)
