"""The one door of the judge: a position and everybody's orders in, a resolution out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from adjudicator.calendar import PhaseKind
from adjudicator.context import Context
from adjudicator.lots import Lots
from adjudicator.orders import Order
from adjudicator.outcome import Resolution
from adjudicator.phases import adjustments, movement, retreats
from adjudicator.position import Position
from adjudicator.ruleset import Resolver

_NO_LOTS = Lots()

_SHARED: Mapping[PhaseKind, Resolver] = {
    PhaseKind.MOVEMENT: lambda setting, position, orders, lots: movement.resolve(setting, position, orders),  # noqa: ARG005
    PhaseKind.RETREAT: lambda setting, position, orders, lots: retreats.resolve(setting, position, orders),  # noqa: ARG005
    PhaseKind.ADJUSTMENT: adjustments.resolve,
}
"""Who judges each kind of phase, unless the rule set brings a resolver of its own."""


def judge(setting: Context, position: Position, orders: Sequence[Order], lots: Lots = _NO_LOTS) -> Resolution:
    """Judge one phase, the one the position stands before.

    `orders` are everybody's, in the order written; a player's fault in them is an outcome, never an error.
    The same arguments always give the same resolution. Raises IndexError when lots must be drawn and the tape
    runs out, and ValueError for a kind of phase that neither the rule set nor the shared rules judge.
    """
    kind = position.phase.kind
    resolver = setting.rules.RESOLVERS.get(kind) or _SHARED.get(kind)
    if resolver is None:
        raise ValueError(f"no rule set judges a {kind} phase yet")
    return resolver(setting, position, orders, lots)


__all__ = ["Context", "judge"]
