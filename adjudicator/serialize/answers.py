"""A resolution in the contract's JSON: the answer of `adjudicate` to a case, in the form of its `expect`."""

from __future__ import annotations

from typing import Any

from adjudicator.calendar import PhaseKind
from adjudicator.outcome import Outcome, Resolution
from adjudicator.position import Dislodgement
from adjudicator.ruleset import Ruleset
from adjudicator.serialize import codec
from adjudicator.serialize.cases import Case


def answer(case: Case, resolution: Resolution, rules: Ruleset) -> dict[str, Any]:
    """The answer to a case. The contract has no key "unresolved": it appears only if the judge met orders
    that no rule decides, and lists their places among the orders."""
    kind, after = case.position.phase.kind, resolution.position
    data: dict[str, Any] = {
        "id": case.id,
        "orders": [_outcome(o) for o in resolution.outcomes],
        "positions": sorted(map(str, after.units)),
    }
    if resolution.unresolved:
        data["unresolved"] = [
            index for index, o in enumerate(resolution.outcomes) if o.order in resolution.unresolved
        ]
    data |= _of_kind(kind, resolution, rules)
    if rules.keeps_memory():
        data["memory"] = {"converting": sorted(map(str, after.memory.converting))}
    if after.memory.notes:
        data.setdefault("memory", {})["notes"] = sorted(map(list, after.memory.notes))
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
            destroyed = {"destroyed": list(map(str, resolution.disbanded))} if resolution.disbanded else {}
            return {
                "dislodged": [dislodgement_json(d) for d in resolution.dislodged],
                "contested": sorted(resolution.contested),
                **destroyed,
            }
        case PhaseKind.RETREAT:
            return {"disbanded": list(map(str, resolution.disbanded))}
        case PhaseKind.ADJUSTMENT:
            return _adjustments(resolution, rules)
        case PhaseKind.TURN:
            return {}


def _outcome(outcome: Outcome) -> dict[str, Any]:
    data: dict[str, Any] = {"result": outcome.result.value}
    if outcome.reason is not None:
        data["reason"] = outcome.reason
    if outcome.dislodged:
        data["dislodged"] = True
    return data | {"why": outcome.why}


def _adjustments(resolution: Resolution, rules: Ruleset) -> dict[str, Any]:
    if rules.removes_by_lot():
        return {
            "removed_by_lot": [str(u.region) for u in resolution.removed_by_lot],
            "lots_used": resolution.lots_used,
        }
    return {"removed_by_civil_disorder": [str(u.region) for u in resolution.removed_by_disorder]}


def _of_rule_set(resolution: Resolution, rules: Ruleset) -> dict[str, Any]:
    """The keys of a rule set with a state of its own or a kind of phase of its own."""
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
