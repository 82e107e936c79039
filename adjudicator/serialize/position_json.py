"""A position in the contract's JSON: the one writer of what `cases.CaseReader.read_position` reads."""

from __future__ import annotations

from typing import Any

from adjudicator.position import Memory, Position
from adjudicator.serialize import codec
from adjudicator.serialize.answers import dislodgement_json


def write_position(position: Position) -> dict[str, Any]:
    """The keys of a case that say which phase is next and what stands where; all but orders and lots."""
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
