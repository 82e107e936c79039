"""A resolution as the contract's JSON: the answer of `adjudicate` to a case, in the form of its `expect`. No
effects."""

from __future__ import annotations

from typing import Any

from adjudicator.calendar import PhaseKind
from adjudicator.outcome import Outcome, Resolution
from adjudicator.position import Dislodgement
from adjudicator.ruleset import Ruleset
from adjudicator.serialize import variant_state
from adjudicator.serialize.cases import Case


def answer(case: Case, resolution: Resolution, rules: Ruleset) -> dict[str, Any]:
    """The answer to a case. The contract knows no "unresolved": the key is there only if the judge met orders
    that no rule decides, and lists their places among the orders."""
    kind, after = case.position.phase.kind, resolution.position
    found: dict[str, Any] = {
        "id": case.id,
        "orders": [_outcome(o) for o in resolution.outcomes],
        "positions": sorted(map(str, after.units)),
    }
    if resolution.unresolved:
        found["unresolved"] = [
            at for at, o in enumerate(resolution.outcomes) if o.order in resolution.unresolved
        ]
    found |= _of_kind(kind, resolution, rules)
    if rules.keeps_memory():
        found["memory"] = {"converting": sorted(map(str, after.memory.converting))}
    if after.memory.notes:
        found.setdefault("memory", {})["notes"] = sorted(map(list, after.memory.notes))
    if resolution.notes:
        found["notes"] = list(resolution.notes)
    closes_year = after.phase.kind is PhaseKind.ADJUSTMENT
    if closes_year:
        found["centres"] = {p: sorted(owned) for p, owned in after.centres.items()}
    if closes_year or (kind is PhaseKind.ADJUSTMENT and rules.tests_victory_in_winter()):
        found["winner"] = resolution.winner
        found["draw_open_to"] = None if resolution.draw_open_to is None else list(resolution.draw_open_to)
    return found | variant_state.answer(resolution, rules)


def _of_kind(kind: PhaseKind, resolution: Resolution, rules: Ruleset) -> dict[str, Any]:
    """What only this kind of phase brings about."""
    match kind:
        case PhaseKind.MOVEMENT:
            gone = {"destroyed": list(map(str, resolution.disbanded))} if resolution.disbanded else {}
            return {
                "dislodged": [_dislodgement(d) for d in resolution.dislodged],
                "contested": sorted(resolution.contested),
                **gone,
            }
        case PhaseKind.RETREAT:
            return {"disbanded": list(map(str, resolution.disbanded))}
        case PhaseKind.ADJUSTMENT:
            return _winter(resolution, rules)
        case PhaseKind.TURN:
            return {}


def _outcome(outcome: Outcome) -> dict[str, Any]:
    found: dict[str, Any] = {"result": outcome.result.value}
    if outcome.reason is not None:
        found["reason"] = outcome.reason
    if outcome.dislodged:
        found["dislodged"] = True
    return found | {"why": outcome.why}


def _dislodgement(dislodged: Dislodgement) -> dict[str, Any]:
    unit = dislodged.unit
    return {
        "power": unit.power, "type": unit.kind, "loc": str(unit.region),
        "attacker_from": dislodged.attacker_from, "by_convoy": dislodged.by_convoy,
        "may_retreat": sorted(map(str, dislodged.may_retreat)),
    }


def _winter(resolution: Resolution, rules: Ruleset) -> dict[str, Any]:
    if rules.removes_by_lot():
        return {
            "removed_by_lot": [str(u.region) for u in resolution.removed_by_lot],
            "lots_used": resolution.lots_used,
        }
    return {"removed_by_civil_disorder": [str(u.region) for u in resolution.removed_by_disorder]}
