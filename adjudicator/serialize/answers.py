"""A judged phase in the contract's JSON: its position, the one writer of what
`cases.CaseReader.read_position` reads; its resolution, the answer of `adjudicate` to a case in the form of
its `expect`; and both as a case, which a checker that shares no code can judge again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from adjudicator.calendar import PhaseKind
from adjudicator.context import Context
from adjudicator.orders import Move, Order
from adjudicator.outcome import Outcome, Resolution
from adjudicator.position import Dislodgement, Memory, Position
from adjudicator.ruleset import Ruleset
from adjudicator.serialize import codec
from adjudicator.serialize.case_fields import CaseFault
from adjudicator.serialize.cases import CaseReader
from adjudicator.serialize.order_json import write_order
from adjudicator.units import Unit


def answer(name: str | int | None, kind: PhaseKind, resolution: Resolution, rules: Ruleset) -> dict[str, Any]:
    """The answer to the case of that name, whose phase is of that kind. The contract has no key "unresolved":
    it appears only if the judge met orders that no rule decides, and lists their places among the orders."""
    after = resolution.position
    data: dict[str, Any] = {
        "id": name,
        "orders": [_outcome(o) for o in resolution.outcomes],
        "positions": sorted(map(str, after.units)),
    }
    if resolution.unresolved:
        data["unresolved"] = [
            index for index, o in enumerate(resolution.outcomes) if o.order in resolution.unresolved
        ]
    data |= _of_kind(kind, resolution, rules)
    # Whole, so that the answer is all that the next case needs. Games without conversions have no such key.
    memory = _memory(after.memory)
    if not rules.keeps_memory():
        del memory["converting"]
    if memory:
        data["memory"] = memory
    if resolution.notes:
        data["notes"] = list(resolution.notes)
    # The contract: centres, winner and draw only after a phase that ends the Autumn (docs/contract.md).
    closes_year = after.phase.kind is PhaseKind.ADJUSTMENT
    if closes_year:
        data["centres"] = {p: sorted(owned) for p, owned in after.centres.items()}
    if closes_year or (kind is PhaseKind.ADJUSTMENT and rules.tests_victory_in_winter()):
        data["winner"] = resolution.winner
        data["draw_open_to"] = None if resolution.draw_open_to is None else list(resolution.draw_open_to)
    return data | _of_rule_set(resolution, rules)


def dislodgement_json(dislodged: Dislodgement) -> dict[str, Any]:
    """A dislodged unit, as a case and an answer both have it."""
    unit = dislodged.unit
    return {
        "power": unit.power, "type": unit.kind, "loc": str(unit.region),
        "attacker_from": dislodged.attacker_from, "by_convoy": dislodged.by_convoy,
        "may_retreat": sorted(map(str, dislodged.may_retreat)),
    }


def _of_kind(kind: PhaseKind, resolution: Resolution, rules: Ruleset) -> dict[str, Any]:
    """The keys that only this kind of phase has."""
    match kind:
        case PhaseKind.MOVEMENT:
            # Bretwalda (BRE-16) and 1066 destroy units at once; other games' answers have no such key.
            return {
                "dislodged": [dislodgement_json(d) for d in resolution.dislodged],
                "contested": sorted(resolution.contested),
                **_named("destroyed", resolution.disbanded),
                **_named("unordered", resolution.unordered),
            }
        case PhaseKind.RETREAT:
            return {"disbanded": list(map(str, resolution.disbanded))}
        case PhaseKind.ADJUSTMENT:
            return _adjustments(resolution, rules)
        case PhaseKind.TURN:
            return {}


def _outcome(outcome: Outcome) -> dict[str, Any]:
    data: dict[str, Any] = {"result": outcome.result._value_}
    if outcome.reason is not None:
        data["reason"] = outcome.reason
    if outcome.dislodged:
        data["dislodged"] = True
    data["why"] = outcome.why
    return data


def _named(key: str, units: Sequence[Unit]) -> dict[str, list[str]]:
    """A key with units, which the answer has only where there are any."""
    return {key: list(map(str, units))} if units else {}


def _adjustments(resolution: Resolution, rules: Ruleset) -> dict[str, Any]:
    removed = _named("removed", resolution.removed)
    if rules.removes_by_lot():
        return {
            "removed_by_lot": [str(u.region) for u in resolution.removed_by_lot],
            "lots_used": resolution.lots_used,
            **removed,
        }
    return {
        "removed_by_civil_disorder": [str(u.region) for u in resolution.removed_by_disorder],
        **removed,
    }


def _of_rule_set(resolution: Resolution, rules: Ruleset) -> dict[str, Any]:
    """The keys of a rule set with its own state or kind of phase."""
    data: dict[str, Any] = {}
    if resolution.position.own is not None:
        data["state"] = codec.dump_own(resolution.position.own)
    if resolution.report is not None:
        data["report"] = codec.dump_own(resolution.report)
    if rules.RESOLVERS:
        data["notes"] = list(resolution.notes)
        data["joint"] = list(resolution.joint)
        data["winner"] = resolution.winner
        data["centres"] = {p: sorted(owned) for p, owned in resolution.position.centres.items()}
        data["lots_used"] = resolution.lots_used
    return data


def write_position(position: Position) -> dict[str, Any]:
    """The keys of a case that show which phase is next and what is where; all but orders and lots."""
    phase = position.phase
    return {
        "phase": phase.kind.value,
        "season": phase.season,
        "year": phase.year,
        "units": sorted(map(str, position.units)),
        "centres": {power: sorted(owned) for power, owned in position.centres.items()},
        "dislodged": [dislodgement_json(d) for d in position.dislodged],
        "contested": sorted(position.contested),
        "memory": _memory(position.memory),
        **({} if position.own is None else {"state": codec.dump_own(position.own)}),
    }


def _memory(memory: Memory) -> dict[str, Any]:
    data: dict[str, Any] = {"converting": sorted(map(str, memory.converting))}
    if memory.notes:
        data["notes"] = sorted(map(list, memory.notes))
    if memory.proxies:
        data["proxies"] = sorted(map(list, memory.proxies))
    return data


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
            **write_position(position),
            "orders": [_order_json(outcome.order) for outcome in resolution.outcomes],
            "lots": list(numbers),
        }
        # Read back at once: an answer must belong to what its case states, not to what it should say.
        read = CaseReader(context, rules, phase.year).read(case)
    except CaseFault:
        return None, None
    # What comes back must be what was judged.
    if read.position != position or read.orders != tuple(
        replace(outcome.order, line=None) for outcome in resolution.outcomes
    ):
        return None, None
    return case, answer(str(phase), phase.kind, resolution, rules)


def _order_json(order: Order) -> dict[str, Any]:
    # The record's hashes rest on cases that say via_convoy of every move, also where it is false.
    written = {"via_convoy": order.via_convoy} if isinstance(order, Move) else {}
    return {"power": order.power, **write_order(order), **written}
