"""`galloper parse`: typed order lines to the contract's JSON of `parse`, or to plain text."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from typing import Any, TextIO

from adjudicator.serialize.order_json import write_order
from grammar.complaint import Complaint
from grammar.parse import ParsedLine
from maps.variant import Variant
from reading.vocabulary import candidate_json, parse_typed, printed


def run_parse(variant: Variant, phase: str, lines: Iterable[str], as_json: bool, out: TextIO) -> int:
    """Parse each line that is not blank and write one answer a line to `out`. The exit code: 0, or 2 for a
    phase the variant does not have, with a sentence on standard error. A line that is not an order is an
    answer, not a failure."""
    kinds = {kind.value: kind for _, kind in variant.calendar.steps}
    if phase not in kinds:
        print(f"{variant.slug} has no phase {phase!r}; it has {', '.join(kinds)}.", file=sys.stderr)
        return 2
    kind = kinds[phase]
    for raw in lines:
        text = raw.rstrip("\r\n")
        if text.strip():
            parsed = parse_typed(variant, kind, "", text)
            print(
                json.dumps(line_json(parsed, variant), ensure_ascii=False)
                if as_json
                else _plain(parsed, variant),
                file=out,
            )
    return 0


def line_json(parsed: ParsedLine, variant: Variant) -> dict[str, Any]:
    """One line's object in the contract's JSON of `parse`. `parsed` is one order in the form `adjudicate`
    takes, or {"orders": [...]} where the line gives several."""
    orders = [write_order(order) for order in parsed.orders]
    return {
        "text": parsed.text,
        "order": printed(parsed.orders, variant.board),
        # One order is alone in the contract; several need a list.
        "parsed": {"orders": orders} if len(orders) > 1 else next(iter(orders), None),
        "complaint": _complaint_json(parsed.complaint),
        "candidates": [candidate_json(c, variant.board) for c in parsed.candidates],
    }


def _complaint_json(complaint: Complaint | None) -> dict[str, Any] | None:
    if complaint is None:
        return None
    return {"code": complaint.code.value, "span": list(complaint.span), "message": complaint.message}


def _plain(parsed: ParsedLine, variant: Variant) -> str:
    if parsed.complaint is None:
        return printed(parsed.orders, variant.board) or ""
    # A line of text has no limit, and a terminal has.
    return f"? {parsed.text.strip()[:80]} ({parsed.complaint.message})"
