"""The record's entry of a judged phase: enough for anybody to judge it again, and to find the ink of every
order."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from sqlalchemy.orm import Session

from adjudicator.outcome import Resolution
from adjudicator.serialize import codec
from adjudicator.serialize.answers import case_of
from grammar.print import canonical
from maps import MapError, load
from maps.variant import Variant
from service.games import lots
from service.games.ballots import count, first_counts, ranked_submissions
from service.games.lines import lines_by_id, lines_of
from service.store.tables import GameRow, PhaseRow


@cache
def _variant(slug: str) -> Variant | None:
    try:
        return load(slug)
    except MapError:
        return None


def judged(session: Session, row: PhaseRow) -> dict[str, Any]:
    """Position, sheets that count, orders with their lines, lots and resolution; or that the judging was
    taken back."""
    if row.resolution is None or row.position is None:
        return {"phase": row.ordinal, "taken_back": True}
    variant = _variant(session.get_one(GameRow, row.game_id).variant)
    resolution = codec.load_resolution(row.resolution)
    position = codec.load_position(row.position)
    numbers = lots.tape_of(session, row, resolution.lots_used)
    # A board that the site no longer has, or a rule that `galloper adjudicate` cannot say: the entry is made
    # all the same, without a case. An entry that fails would stop the turn.
    case, answer = (
        (None, None)
        if variant is None
        else case_of(variant.context(), variant.rules, position, resolution, numbers)
    )
    # Counted again here and not handed in, so that the entry shows what the tables say.
    ballots = count(ranked_submissions(session, row.id), row.deadline, first=first_counts(session, row))
    return {
        "phase": row.ordinal,
        "position": row.position,
        "resolution": row.resolution,
        "executed": {power: ballot.submission.id for power, ballot in ballots.items()},
        "not_executed": {
            str(loser.submission.id): loser.why for ballot in ballots.values() for loser in ballot.losers
        },
        "orders": _orders(session, variant, resolution, [b.submission.id for b in ballots.values()]),
        "lots": {
            **lots.mix_of(session, row).entry_fields(),
            "used": resolution.lots_used,
            "numbers": list(numbers),
        },
        "case": case,
        "answer": answer,
    }


def _orders(
    session: Session, variant: Variant | None, resolution: Resolution, executed: Sequence[int]
) -> list[dict[str, Any]]:
    """Each order with what is written on its line; `executed` are the sheets that count now."""
    lines = {line.id: line for sheet_lines in lines_of(session, executed).values() for line in sheet_lines}
    line_ids = dict.fromkeys(outcome.order.line for outcome in resolution.outcomes
                             if outcome.order.line is not None)
    # Another sheet may count since the phase was judged.
    if others := [line_id for line_id in line_ids if line_id not in lines]:
        lines |= lines_by_id(session, others)
    orders = []
    for outcome in resolution.outcomes:
        order = outcome.order
        line = None if order.line is None else lines.get(order.line)
        orders.append({
            "power": order.power, "line": order.line, "written": None if line is None else line.order,
            "order": None if variant is None else canonical(order, variant.board),
            "result": outcome.result.value, "why": outcome.why,
        })
    return orders
