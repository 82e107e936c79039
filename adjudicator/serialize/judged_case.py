"""A judged phase as a case of `galloper adjudicate`: a checker that shares no code can judge it again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from adjudicator.context import Context
from adjudicator.orders import Move, Order
from adjudicator.outcome import Resolution
from adjudicator.position import Position
from adjudicator.ruleset import Ruleset
from adjudicator.serialize.answers import answer
from adjudicator.serialize.case_fields import CaseFault
from adjudicator.serialize.cases import Case, CaseReader
from adjudicator.serialize.order_json import write_order
from adjudicator.serialize.position_json import write_position


def case_of(
    context: Context, rules: Ruleset, position: Position, resolution: Resolution, numbers: Sequence[int]
) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
    """The case and its answer in the contract's form; None for both where that form cannot say all that was
    judged. `numbers` are the lots that were used."""
    if not all(outcome.order.WORD for outcome in resolution.outcomes):
        return None, None  # the contract has no word for some order
    # Cases had no key for proxies when the first records were written, and their digests stay as they are.
    if position.memory.proxies:
        return None, None
    phase = position.phase
    try:
        case = {
            "id": str(phase),
            **write_position(position),
            "orders": [_order_json(outcome.order) for outcome in resolution.outcomes],
            "lots": list(numbers),
        }
        # Read back at once: an answer must belong to what its case says, not to what it should say.
        read = CaseReader(context, rules, phase.year).read(case)
    except CaseFault:
        return None, None
    # What comes back must be what was judged.
    if read.position != position or read.orders != tuple(
        replace(outcome.order, line=None) for outcome in resolution.outcomes
    ):
        return None, None
    return case, answer(Case(str(phase), position, read.orders, read.lots), resolution, rules)


def _order_json(order: Order) -> dict[str, Any]:
    # The record's hashes rest on cases that say via_convoy of every move, also where it is false.
    written = {"via_convoy": order.via_convoy} if isinstance(order, Move) else {}
    return {"power": order.power, **write_order(order), **written}
