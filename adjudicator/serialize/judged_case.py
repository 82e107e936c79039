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
from adjudicator.serialize import codec
from adjudicator.serialize.answers import answer, dislodgement_json
from adjudicator.serialize.case_fields import CaseFault
from adjudicator.serialize.cases import Case, CaseReader
from adjudicator.serialize.order_json import write_order


def case_of(
    context: Context, rules: Ruleset, position: Position, resolution: Resolution, numbers: Sequence[int]
) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
    """The case and its answer in the contract's form; None for both where that form cannot say all that was
    judged. `numbers` are the lots that were used."""
    if not all(outcome.order.WORD for outcome in resolution.outcomes):
        return None, None  # the contract has no word for some order
    phase = position.phase
    try:
        case = {
            "id": str(phase),
            "phase": phase.kind.value,
            "season": phase.season,
            "year": phase.year,
            "units": sorted(map(str, position.units)),
            "centres": {power: sorted(owned) for power, owned in position.centres.items()},
            "dislodged": [dislodgement_json(d) for d in position.dislodged],
            "contested": sorted(position.contested),
            "memory": {
                "converting": sorted(map(str, position.memory.converting)),
                **({"notes": sorted(map(list, position.memory.notes))} if position.memory.notes else {}),
            },
            **({} if position.own is None else {"state": codec.dump_own(position.own)}),
            "orders": [_order_json(outcome.order) for outcome in resolution.outcomes],
            "lots": list(numbers),
        }
        # Read back at once: an answer must belong to what its case says, not to what it should say.
        read = CaseReader(context, rules, phase.year).read(case)
    except CaseFault:
        return None, None
    # What comes back must be what was judged. Proxies kept for retreats, for one, have no key in this form.
    if read.position != position or read.orders != tuple(
        replace(outcome.order, line=None) for outcome in resolution.outcomes
    ):
        return None, None
    return case, answer(Case(str(phase), position, read.orders, read.lots), resolution, rules)


def _order_json(order: Order) -> dict[str, Any]:
    # The record's hashes rest on cases that say via_convoy of every move, also where it is false.
    written = {"via_convoy": order.via_convoy} if isinstance(order, Move) else {}
    return {"power": order.power, **write_order(order), **written}
