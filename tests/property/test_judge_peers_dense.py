"""The judge against two public judges on dense seas of the standard board (JUD-02). Where one of them
differs, a known trap of it (tests/data/datc/engine_traps.json) or ruling shows why."""

from __future__ import annotations

from typing import Any

import pytest

from adjudicator.geo import LAND
from adjudicator.judge import judge
from adjudicator.orders import Move, SupportMove
from adjudicator.outcome import Resolution, Result
from adjudicator.position import Position
from adjudicator.serialize.order_json import write_order
from adjudicator.units import Unit
from bench.adjudicate.peers import load
from tests.property.test_judge_dense_seas import VARIANTS, dense_scene

STANDARD = VARIANTS["standard"]


def _record(units: list[Unit], resolution: Resolution) -> dict[str, Any]:
    """The position as a peer takes it. A void order is given as a hold: peers void by rules of their own, and
    a void convoy by an army's own fleet would send it to sea."""
    orders = [
        {"power": o.order.power, **_written(o.order, is_void=o.result is Result.VOID)}
        for o in resolution.outcomes
    ]
    results = [{"result": str(o.result)} for o in resolution.outcomes]
    return {"units": [str(unit) for unit in units], "orders": orders, "expect": {"orders": results}}


def _written(order: Any, *, is_void: bool) -> dict[str, Any]:
    if is_void:
        return {"order": "hold", "type": order.unit.kind, "loc": str(order.unit.region)}
    return write_order(order)


def _explained(peer: str, units: list[Unit], resolution: Resolution) -> bool:
    power_in = {unit.region.province: unit.power for unit in units}
    for outcome in resolution.outcomes:
        order = outcome.order
        if outcome.reason == "paradox":
            return True
        # 6.G.8: `diplomacy` lets an army whose convoy fails go over land.
        if isinstance(order, Move) and outcome.reason == "no_convoy":
            near = STANDARD.board.near(order.unit.region.province, LAND)
            if peer == "diplomacy" and order.to.province in near:
                return True
        # Traps T1 and T2: `diplomacy` counts a support by the power of the unit attacked where a convoy is
        # in it.
        is_helped_by_defender = (
            isinstance(order, SupportMove) and order.power == power_in.get(order.to.province))
        if peer == "diplomacy" and is_helped_by_defender:
            return True
    return False


@pytest.mark.slow
@pytest.mark.parametrize("package", ["diplomacy", "pydip"])
def test_a_public_judge_agrees_on_dense_seas_but_for_its_known_traps(package: str) -> None:
    peer = load(package, STANDARD.board)
    if peer is None:
        pytest.skip(f"{package} comes with make setup-bench")
    differing = 0
    for seed in range(3_000):
        units, orders = dense_scene("standard", seed)
        position = Position(STANDARD.start.phase, frozenset(units))
        resolution = judge(STANDARD.context(), STANDARD.rules, position, orders)
        job = peer.ready(_record(units, resolution))
        # Some peers keep a dislodged unit on the board, marked, until it has retreated.
        theirs = {text.replace("*", "") for text in job.result(job.work())}
        dislodged = {str(d.unit) for d in resolution.dislodged}
        ours = {str(unit) for unit in resolution.position.units}
        if theirs != ours and theirs - dislodged != ours - dislodged:
            differing += 1
            detail = "\n".join(f"{o.order} {o.result} {o.why}" for o in resolution.outcomes)
            assert _explained(package, units, resolution), (
                f"{seed}: {sorted(theirs - ours)}, not {sorted(ours - theirs)}\n{detail}")
    # Traps that explained everything would explain nothing.
    assert differing < 90
