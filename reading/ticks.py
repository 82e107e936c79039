"""The kind of a unit that is ticked next to a line of a printed sheet (LET-12): ticked or written, both are
read, and a tick that states otherwise than the line is for a person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from grammar.order_starts import OrderStarts
from ocr.decoding.open_reasons import OpenReason
from ocr.page import Row
from reading.line import InterpretedLine
from reading.put_in import put_in

_KINDS = frozenset({"A", "F"})


def read_tick(row: Row, starts: OrderStarts) -> Row:
    """The row as if the letter that is ticked next to it were written before it; as it is without a tick, and
    where it begins like an order already."""
    if row.tick not in _KINDS or not row.text or starts.looks_like_order(row.text):
        return row
    return put_in(row, f"{row.tick} ", f"{row.tick} {row.text}", lambda _: (0, 0))


def with_tick(line: InterpretedLine, rows: Sequence[Row]) -> InterpretedLine:
    """The line, for a person if what is ticked next to the first of its rows is not the kind that it names:
    another one, both boxes, or a tick next to an order that names no unit."""
    tick = rows[0].tick if rows else ""
    if not tick or line.kind != "order" or line.struck:
        return line
    written = _kind_of(line.order)
    if tick in _KINDS and written == "":
        return replace(
            line, order=f"{tick} {line.order}",
            candidates=tuple(_ticked(candidate, tick) for candidate in line.candidates))
    return line if written == tick else line.for_review(OpenReason.UNIT_LETTER)


def _kind_of(order: str | None) -> str | None:
    """The kind that a canonical order begins with, "" where it begins with a place, None without an order."""
    if order is None or order.startswith(("Build ", "Remove ", "Send ")):
        return None
    first, _, rest = order.partition(" ")
    return first if rest and len(first) <= 3 and first.replace("/", "").isupper() else ""


def _ticked(candidate: Mapping[str, object], tick: str) -> dict[str, object]:
    order = candidate.get("order")
    if isinstance(order, str) and _kind_of(order) == "":
        return {**candidate, "order": f"{tick} {order}"}
    return dict(candidate)
