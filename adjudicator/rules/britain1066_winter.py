"""Home centres in 1066: the first that an invader captures, and those named in place of lost ones (D66-05,
D66-07, D66-09)."""

from __future__ import annotations

from collections.abc import Mapping

from adjudicator.orders import MoveHome
from adjudicator.phases.adjustment_sheet import AdjustmentSheet, Fault
from adjudicator.phases.home_centres import home_centres, with_home_centres
from adjudicator.position import Memory

CAPTURED = "captured"
"""The note of one of the first centres that an invader captured: ("captured", power, province)."""

SENTENCES: Mapping[str, str] = {
    "home_named": "{1} is a home centre in place of {0}, which was lost",
    "home_of_invader": "void: {0} names no home centres, but builds in the first it captures",
    # Of these powers some are plural ("The Scots"), so no verb goes with a power.
    "home_not_lost": "void: {0} is no lost home centre of {1}",
    "home_none_lost": "void: no home centre of {0} is lost",
    "home_replaced": "void: another home centre is named in place of {0} already",
    "homes_replaced": "void: every lost home centre of {0} is replaced already",
    "home_not_neutral": "void: {0} is no neutral supply centre",
    "home_not_held": "void: {0} does not belong to {1}",
    "home_already": "void: {0} is a home centre of {1} already",
    "no_such_kind": "void: no {3} is built by {0} in {1}",
    "centre_not_owned": "void: {0} does not belong to {1}",
    "no_own_unit": "void: {1} is no unit of {0}",
    "not_dislodged": "void: {0} of {1} was not dislodged",
    "nothing_to_build": "void: no supply of {0} is left for another unit",
}


def captured(memory: Memory, power: str) -> set[str]:
    """The centres that a power captured and may build in."""
    return {note[2] for note in memory.notes if note[:2] == (CAPTURED, power)}


def settle_home(sheet: AdjustmentSheet, index: int, order: MoveHome) -> None:
    """Name a neutral centre that a power owns in place of a lost home (D66-09). A power never has more homes
    than at the start."""
    power, new = order.power, order.to.province
    provinces = sheet.context.board.provinces
    owned, homes = sheet.accounts[power].centres, home_centres(sheet.context, sheet.memory)
    own_homes = sorted(home for owner, home in homes if owner == power)
    lost = [home for home in own_homes if home not in owned]
    # Where the sheet does not show which home is replaced, it is the first lost one by its abbreviation.
    old = order.origin.province if order.origin is not None else next(iter(lost), "")
    is_neutral = provinces[new].centre and provinces[new].home is None
    # What a line above has replaced is no home any more, and was lost all the same.
    homes_before = home_centres(sheet.context, sheet.position.memory)
    replaced = {home for owner, home in homes_before - homes if owner == power}
    faults: tuple[tuple[bool, Fault], ...] = (
        (not own_homes, ("illegal", ("home_of_invader", power))),
        (old in replaced, ("illegal", ("home_replaced", old))),
        (not lost and bool(replaced), ("illegal", ("homes_replaced", power))),
        (not lost, ("illegal", ("home_none_lost", power))),
        (old not in lost, ("illegal", ("home_not_lost", old, power))),
        (new in own_homes, ("illegal", ("home_already", new, power))),
        (not is_neutral, ("not_a_centre", ("home_not_neutral", new))),
        (new not in owned, ("not_owned", ("home_not_held", new, power))),
    )
    fault = next((fault for applies, fault in faults if applies), None)
    if fault is not None:
        sheet.void(index, *fault)
        return
    sheet.memory = with_home_centres(sheet.memory, homes - {(power, old)} | {(power, new)})
    sheet.succeed(index, ("home_named", old, new))
