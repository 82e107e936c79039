"""The one door of the judge: a position and everybody's orders in, a resolution out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from adjudicator import strength
from adjudicator.calendar import PhaseKind
from adjudicator.context import Context
from adjudicator.lots import Lots
from adjudicator.orders import Order
from adjudicator.outcome import Resolution
from adjudicator.phases import adjustments, movement, retreats
from adjudicator.position import Position
from adjudicator.ruleset import Resolver, Ruleset

FORM = "Python source" if str(strength.__file__).endswith(".py") else "compiled code"
"""How the judge runs (docs/adr/0019); its results are the same."""

_NO_LOTS = Lots()

_SHARED: Mapping[PhaseKind, Resolver] = {
    # Only an adjustment phase draws lots.
    PhaseKind.MOVEMENT: lambda context, rules, position, orders, _: movement.resolve(
        context, rules, position, orders),
    PhaseKind.RETREAT: lambda context, rules, position, orders, _: retreats.resolve(
        context, rules, position, orders),
    PhaseKind.ADJUSTMENT: adjustments.resolve,
}
"""Who judges each kind of phase, unless the rule set brings a separate resolver."""


def judge(
    context: Context, rules: Ruleset, position: Position, orders: Sequence[Order], lots: Lots = _NO_LOTS
) -> Resolution:
    """Judge one phase: the one that the position is before.

    `rules` come from `adjudicator.rules.load`, and `context` is the same variant's. `orders` are everybody's,
    in the order written; a player's fault in them is an outcome, never an error. The same arguments always
    give the same resolution. Raises IndexError when lots must be drawn and the tape runs out, and ValueError
    for a kind of phase that neither the rule set nor the shared rules judge.
    """
    kind = position.phase.kind
    resolver = rules.RESOLVERS.get(kind) or _SHARED.get(kind)
    if resolver is None:
        raise ValueError(f"no rule set judges a {kind} phase yet")
    return resolver(context, rules, position, orders, lots)
