"""Home centres in 1066: the first that an invader captures, and those named in place of what was lost
(D66-05, 07, 09)."""

from __future__ import annotations

from collections.abc import Mapping

from adjudicator.explain import Sentence
from adjudicator.orders import MoveHome
from adjudicator.phases.adjustments import AdjustmentSheet
from adjudicator.phases.home_centres import home_centres, with_home_centres
from adjudicator.position import Memory

CAPTURED = "captured"
"""The note of a centre that an invader captured among the first: ("captured", power, province)."""

SENTENCES: Mapping[str, str] = {
    "home_named": "{1} is a home centre in place of {0}, which was lost",
    "home_of_invader": "void: {0} names no home centres, but builds in the first it captures",
    "home_not_lost": "void: {0} is no home centre that {1} has lost",
    "home_none_lost": "void: {0} has lost no home centre",
    "home_not_neutral": "void: {0} is no neutral supply centre",
    "home_not_held": "void: {1} does not own {0}",
    "home_already": "void: {0} is a home centre of {1} already",
    "no_such_kind": "void: {0} builds no {2} in {1}",
}


def captured(memory: Memory, power: str) -> set[str]:
    """The centres that count as captured by a power."""
    return {note[2] for note in memory.notes if note[:2] == (CAPTURED, power)}


def settle_home(sheet: AdjustmentSheet, index: int, order: MoveHome) -> None:
    """Name a neutral centre that one holds in place of a lost home; there are never more than at the start
    (D66-09)."""
    power, new = order.power, order.to.province
    provinces = sheet.context.board.provinces
    owned, now = sheet.accounts[power].centres, home_centres(sheet.context, sheet.memory)
    own = sorted(home for owner, home in now if owner == power)
    lost = [home for home in own if home not in owned]
    old = order.origin.province if order.origin is not None else next(iter(lost), "")
    faults: tuple[tuple[bool, str, Sentence], ...] = (
        (not own, "illegal", ("home_of_invader", power)),
        (not lost, "illegal", ("home_none_lost", power)),
        (old not in lost, "illegal", ("home_not_lost", old, power)),
        (new in own, "illegal", ("home_already", new, power)),
        (
            not provinces[new].centre or provinces[new].home is not None,
            "not_a_centre",
            ("home_not_neutral", new),
        ),
        (new not in owned, "not_owned", ("home_not_held", new, power)),
    )
    for at_fault, reason, why in faults:
        if at_fault:
            sheet.void(index, reason, why)
            return
    sheet.memory = with_home_centres(sheet.memory, now - {(power, old)} | {(power, new)})
    sheet.succeed(index, ("home_named", old, new))
