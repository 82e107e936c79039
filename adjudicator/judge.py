"""The one door of the judge: a position and everybody's orders in, a resolution out."""

from __future__ import annotations

from collections.abc import Sequence

from adjudicator import adjustments, movement, retreats
from adjudicator.calendar import PhaseKind
from adjudicator.lots import Lots
from adjudicator.orders import Order
from adjudicator.outcome import Resolution
from adjudicator.position import Position
from adjudicator.setting import Setting

_NO_LOTS = Lots()


def judge(setting: Setting, position: Position, orders: Sequence[Order], lots: Lots = _NO_LOTS) -> Resolution:
    """Judge one phase, the one the position stands before.

    `orders` are everybody's, in the order written; a player's fault in them is an outcome, never an error. The same
    arguments always give the same resolution. Raises IndexError when lots must be drawn and the tape runs out.
    """
    match position.phase.kind:
        case PhaseKind.MOVEMENT:
            return movement.resolve(setting, position, orders)
        case PhaseKind.RETREAT:
            return retreats.resolve(setting, position, orders)
        case PhaseKind.ADJUSTMENT:
            return adjustments.resolve(setting, position, orders, lots)
        case kind:
            raise ValueError(f"no rule set judges a {kind} phase yet")


__all__ = ["Setting", "judge"]
